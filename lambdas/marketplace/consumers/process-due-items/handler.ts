/** Wires the scheduled processing of due items of the market, and of payouts, for Lambda. */

import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { formatUsd } from '../../../platform/core/money.ts';
import { type ConsumerResources, scheduledChange } from '../../../platform/handlers/consumer-handler.ts';
import { buildProcessor } from '../../core/builds/scans.ts';
import { processPayouts } from '../../core/payouts/due.ts';
import { BucketFiles, createFileClient } from '../../store/builds/build-files.ts';
import { createScanClient, createScanner } from '../../store/builds/build-scanner.ts';
import { bucketOf, createBuildStore, scannerOf } from '../../store/builds/create-builds.ts';
import { createDueProcessing } from '../../store/create-due.ts';
import { createListingCheck } from '../../store/create-listings.ts';
import { maturityOf } from '../../store/earnings/create-earnings.ts';
import { createPayoutStore } from '../../store/payouts/create-payouts.ts';
import { createPayoutProvider } from '../../store/payouts/stripe-payouts.ts';

/** The remainder of the function's time ends the items that it is at. */
const STARTING_MS = 240_000;

export const handler = scheduledChange((resources) => {
  const { clock, environment, log, metric } = resources;
  const builds = buildProcessor({
    ...resources,
    store: createBuildStore(resources),
    scanner: createScanner(createScanClient(), bucketOf(environment)),
    files: new BucketFiles(createFileClient(), bucketOf(environment)),
    isListed: createListingCheck(resources),
    engine: scannerOf(environment),
  });
  const processDue = createDueProcessing(resources, builds);
  const runPayouts = payoutsOf(resources);
  return async () => {
    const stopMs = clock() + STARTING_MS;
    const result = await processDue(stopMs);
    const { heldAmount, oldestSeconds, ...counts } = result;
    // A metric costs by the hours in which it is raised.
    if (oldestSeconds > 0) metric(METRICS.oldestDueItem, oldestSeconds);
    if (Object.values(counts).some((count) => count > 0))
      log.info('due items processed', { ...counts, heldAmount: formatUsd(heldAmount) });
    await runPayouts(stopMs);
  };
});

function payoutsOf(resources: ConsumerResources): (stopMs: number) => Promise<void> {
  const { log, metric, environment } = resources;
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const provider = createPayoutProvider({ ...resources, readSecret });
  const store = createPayoutStore(resources);
  const maturitySeconds = maturityOf(environment);
  return async (stopMs) => {
    if (provider === undefined) return;
    const { lateSeconds, ...counts } = await processPayouts({
      ...resources,
      store,
      provider,
      maturitySeconds,
      stopMs,
    });
    if (lateSeconds > 0) metric(METRICS.latestPayout, lateSeconds);
    if (Object.values(counts).some((count) => count > 0)) log.info('payouts processed', { ...counts });
  };
}
