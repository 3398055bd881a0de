/** The usage of a call, from the newest results of the benches. */
import { join } from 'node:path';
import { newestReport } from '../harness/report.ts';
import type { ResourceUse } from './model.ts';

const RESULTS = join(import.meta.dirname, '..', 'results');

/**
 * The CPU time of the main thread for a streamed call of 20 events, measured by V8's sampling profiler on 2026-11-23.
 */
const HOST_CPU_MS = 6.095;

/** Returns a figure of a bench's newest run. */
function metricOf(bench: string, name: string, unit: string): number {
  const report = newestReport(RESULTS, bench);
  const found = report?.figures.find((metric) => metric.name === name && metric.unit === unit);
  if (found === undefined) throw new Error(`there is no result "${name}": npm run bench -- ${bench}`);
  return found.value;
}

export const readMeasured = (): ResourceUse => ({
  writeUnits: metricOf('ledger', 'endpoint: a call', 'write units'),
  writeUnitsIdempotent: metricOf('ledger', 'endpoint, with an Idempotency-Key: a call', 'write units'),
  hostCpuMs: HOST_CPU_MS,
  chunkCpuMs: metricOf('stream', 'chat over openai: CPU a chunk', 'microseconds') / 1000,
});
