/** The usage of a call, from the newest results of the benches. */
import { resultMetric } from '../harness/results.ts';
import type { ResourceUse } from './model.ts';

/**
 * The CPU time of the main thread for a streamed call of 20 events, measured by V8's sampling profiler on 2026-11-23.
 */
const HOST_CPU_MS = 6.095;

export const readMeasured = (): ResourceUse => ({
  writeUnits: resultMetric('ledger', 'endpoint: a call').value,
  writeUnitsIdempotent: resultMetric('ledger', 'endpoint, with an Idempotency-Key: a call').value,
  leasedWriteUnits: resultMetric('leases', '64 accounts, 5 a second each of 1 s: write units').value,
  hostCpuMs: HOST_CPU_MS,
  chunkCpuMs: resultMetric('stream', 'chat over openai: CPU a chunk').value / 1000,
});
