/** What a streamed chunk costs us, and whether a long stream stays in memory; in a fresh process that can collect garbage. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../report.ts';
import type { StreamMeasurement } from './measure.ts';

const run = promisify(execFile);

/** The design's budget. */
const CHUNK_MICROSECONDS = 20;

/** Below what any of our own buffers would add over 40,000 chunks (8 MB of body), above the noise of a collection. */
const HEAP_GROWTH_MB = 5;

export async function measureStream(): Promise<readonly Figure[]> {
  const program = join(import.meta.dirname, 'measure.ts');
  const { stdout } = await run(process.execPath, ['--expose-gc', program]);
  const measured = JSON.parse(stdout) as StreamMeasurement;
  return [
    {
      name: 'stream: CPU a chunk',
      value: measured.chunkMicroseconds,
      unit: 'microseconds',
      most: CHUNK_MICROSECONDS,
      note: 'the whole endpoint from body bytes to response bytes, the garbage collector included',
    },
    { name: 'stream: chunks', value: measured.chunks, unit: '' },
    { name: 'stream: body', value: measured.bodyBytes / 1e6, unit: 'MB' },
    {
      name: 'stream: heap growth from 10,000 to 50,000 chunks',
      value: measured.heapGrowthBytes / 1e6,
      unit: 'MB',
      most: HEAP_GROWTH_MB,
    },
  ];
}
