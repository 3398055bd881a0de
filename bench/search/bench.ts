/** What search costs with 50,000 listings: a query, the memory, the index and keeping it up. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../harness/report.ts';
import type { LoadMeasurement, QueryTimes, SearchMeasurement } from './measure.ts';

const run = promisify(execFile);

const LISTINGS = 50_000;

/** Below what a caller feels beside the network and the read of the listings. */
const QUERY_MS = 25;

/** What leaves the function's 1,536 MB room for its requests. */
const PEAK_MB = 900;

/** DynamoDB, on demand: USD a million write units of 1 KB (DynamoDB pricing, US East). */
const WRITE_USD = 0.625;

export async function measureSearch(): Promise<readonly Figure[]> {
  const { stdout } = await run(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, 'measure.ts'), String(LISTINGS)],
    { maxBuffer: 1 << 20 },
  );
  const { build, load } = JSON.parse(stdout) as { build: SearchMeasurement; load: LoadMeasurement };
  const partsUsd = (build.storedMb * 1000 * WRITE_USD) / 1e6;
  return [
    {
      name: 'relevance cases that fail',
      value: build.missedCases.length,
      unit: 'cases',
      most: 0,
      ...(build.missedCases.length === 0 ? {} : { note: build.missedCases.join('; ') }),
    },
    ...timesOf('warm query', build.query),
    ...timesOf('warm query with a wrong letter', build.typo),
    { name: 'one change taken in', value: build.changeMs, unit: 'ms' },
    {
      name: 'stored index',
      value: build.storedMb,
      unit: 'MB',
      note: `${Math.round(build.jsonMb)} MB of JSON`,
    },
    { name: 'index read by a search function', value: load.loadMs, unit: 'ms' },
    { name: 'memory while it is read, at most', value: load.peakMb, unit: 'MB', most: PEAK_MB },
    { name: 'memory of the index afterwards', value: load.heapMb, unit: 'MB' },
    {
      name: 'index built anew',
      value: build.buildMs + build.storeMs,
      unit: 'ms',
      note: 'without reading the listings',
    },
    { name: 'memory while it is built', value: build.residentMb, unit: 'MB' },
    {
      name: 'stored index written',
      value: partsUsd,
      unit: 'USD',
      note: 'write units of DynamoDB on demand; reading 50,000 listings for it is about as much again',
    },
  ];
}

const timesOf = (name: string, { p50, p95, cpuP50, cpuP95 }: QueryTimes): readonly Figure[] => [
  { name: `${name}, p50 of its CPU time`, value: cpuP50, unit: 'ms', most: QUERY_MS },
  { name: `${name}, p95 of its CPU time`, value: cpuP95, unit: 'ms' },
  { name: `${name}, p50`, value: p50, unit: 'ms' },
  { name: `${name}, p95`, value: p95, unit: 'ms' },
];
