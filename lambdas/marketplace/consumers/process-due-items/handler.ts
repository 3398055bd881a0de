/** Wires the scheduled processing of due items of the market for Lambda. */

import { METRICS } from '../../../platform/contract/metrics.ts';
import { formatUsd } from '../../../platform/core/money.ts';
import { scheduledChange } from '../../../platform/handlers/consumer-handler.ts';
import { buildProcessor } from '../../core/builds/scans.ts';
import { createScanClient, createScanner } from '../../store/builds/build-scanner.ts';
import { bucketOf, createBuildStore, scannerOf } from '../../store/builds/create-builds.ts';
import { createDueProcessing } from '../../store/create-due.ts';

/** The remainder of the function's time ends the items that it is at. */
const STARTING_MS = 240_000;

export const handler = scheduledChange((resources) => {
  const { clock, environment, log, metric } = resources;
  const builds = buildProcessor({
    ...resources,
    store: createBuildStore(resources),
    scanner: createScanner(createScanClient(), bucketOf(environment)),
    engine: scannerOf(environment),
  });
  const processDue = createDueProcessing(resources, builds);
  return async () => {
    const result = await processDue(clock() + STARTING_MS);
    const { heldAmount, oldestSeconds, ...counts } = result;
    // A metric costs by the hours in which it is raised.
    if (oldestSeconds > 0) metric(METRICS.oldestDueItem, oldestSeconds);
    if (Object.values(counts).some((count) => count > 0))
      log.info('due items processed', { ...counts, heldAmount: formatUsd(heldAmount) });
  };
});
