/** The usage of a call, from the newest results of the benches. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceUse } from './model.ts';

const RESULTS = join(import.meta.dirname, '..', 'results');

/**
 * The CPU time of the main thread for a streamed call of 20 events, measured by V8's sampling profiler on 2026-11-23.
 */
const HOST_CPU_MS = 6.095;

/** Returns a figure of a bench's newest run; files are named by their day. */
function metricOf(bench: string, name: string, unit: string): number {
  const newest = readdirSync(RESULTS)
    .filter((file) => file.endsWith(`-${bench}.json`))
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error(`there are no results: npm run bench -- ${bench}`);
  const { figures } = JSON.parse(readFileSync(join(RESULTS, newest), 'utf8')) as {
    figures: readonly { readonly name: string; readonly value: number; readonly unit: string }[];
  };
  const value = figures.find((metric) => metric.name === name && metric.unit === unit);
  if (value === undefined) throw new Error(`${newest} has no figure "${name}"`);
  return value.value;
}

export const readMeasured = (): ResourceUse => ({
  writeUnits: metricOf('ledger', 'endpoint: a call', 'write units'),
  writeUnitsIdempotent: metricOf('ledger', 'endpoint, with an Idempotency-Key: a call', 'write units'),
  hostCpuMs: HOST_CPU_MS,
  chunkCpuMs: metricOf('stream', 'chat over openai: CPU a chunk', 'microseconds') / 1000,
});
