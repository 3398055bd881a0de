/** Wires the scheduled processing of due items of the market for Lambda. */

import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { formatUsd } from '../../../platform/core/money.ts';
import { scheduledChange } from '../../../platform/handlers/consumer-handler.ts';
import { buildProcessor } from '../../core/builds/scans.ts';
import { BucketFiles, createFileClient } from '../../store/builds/build-files.ts';
import { createScanClient, createScanner } from '../../store/builds/build-scanner.ts';
import { bucketOf, createBuildStore, scannerOf } from '../../store/create-builds.ts';
import { createDueProcessing } from '../../store/create-due.ts';
import { createListingCheck } from '../../store/create-listings.ts';
import { createPayoutProvider } from '../../store/payouts/stripe-payouts.ts';

/** The remainder of the function's time ends the items that it is at. */
const STARTING_MS = 240_000;

export const handler = scheduledChange((resources) => {
  const { clock, environment, log, metric } = resources;
  const build = buildProcessor({
    ...resources,
    store: createBuildStore(resources),
    scanner: createScanner(createScanClient(), bucketOf(environment)),
    files: new BucketFiles(createFileClient(), bucketOf(environment)),
    isListed: createListingCheck(resources),
    engine: scannerOf(environment),
  });
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const provider = createPayoutProvider({ ...resources, readSecret });
  const processDue = createDueProcessing(resources, { build, provider });
  return async () => {
    const { heldAmount, oldestSeconds, latestPayoutSeconds, ...counts } = await processDue(
      clock() + STARTING_MS,
    );
    // A metric costs by the hours in which it is raised.
    if (oldestSeconds > 0) metric(METRICS.oldestDueItem, oldestSeconds);
    if (latestPayoutSeconds > 0) metric(METRICS.latestPayout, latestPayoutSeconds);
    if (Object.values(counts).some((count) => count > 0))
      log.info('due items processed', { ...counts, heldAmount: formatUsd(heldAmount) });
  };
});
