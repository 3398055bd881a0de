/**
 * The cost of a streamed chunk in each direction and the memory of a long stream, each direction in a fresh process, and
 * the delay of the first content.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchMetric } from '../harness/report.ts';
import { measureFirstToken } from './first-token.ts';
import type { StreamMeasurement } from './measure.ts';

const run = promisify(execFile);

/** The design's budget. */
const CHUNK_MICROSECONDS = 20;

/** Below what any of our own buffers would add over 40,000 chunks (8 MB of body), above the noise of a collection. */
const HEAP_GROWTH_MB = 5;

/** Surface and route protocol. */
const DIRECTIONS = [
  ['chat', 'openai'],
  ['chat', 'anthropic'],
  ['messages', 'openai'],
  ['messages', 'anthropic'],
  ['chat', 'openai-responses'],
  ['messages', 'openai-responses'],
  ['responses', 'openai'],
  ['responses', 'anthropic'],
  ['responses', 'openai-responses'],
] as const;

export async function measureStream(): Promise<readonly BenchMetric[]> {
  const metrics: BenchMetric[] = [];
  const program = join(import.meta.dirname, 'measure.ts');
  for (const direction of DIRECTIONS) {
    const { stdout } = await run(process.execPath, ['--expose-gc', program, ...direction]);
    metrics.push(...directionMetrics(direction.join(' over '), JSON.parse(stdout) as StreamMeasurement));
  }
  return [...metrics, ...(await measureFirstToken())];
}

const directionMetrics = (
  direction: string,
  { chunks, chunkMicroseconds, heapGrowthBytes, bodyBytes }: StreamMeasurement,
): BenchMetric[] => [
  {
    name: `${direction}: CPU a chunk`,
    value: chunkMicroseconds,
    unit: 'microseconds',
    most: CHUNK_MICROSECONDS,
    note: `${chunks} chunks, ${Math.round(bodyBytes / 1e6)} MB; the whole endpoint from body bytes to response bytes, the garbage collector included`,
  },
  {
    name: `${direction}: heap growth from 10,000 to 50,000 chunks`,
    value: heapGrowthBytes / 1e6,
    unit: 'MB',
    most: HEAP_GROWTH_MB,
  },
];
