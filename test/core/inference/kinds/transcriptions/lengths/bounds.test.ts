import { openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseBuffer } from 'music-metadata';
import { systemAfter } from '../../../../../../lambdas/adapters/system/system.ts';
import {
  type AudioExtension,
  requireAudio,
} from '../../../../../../lambdas/core/inference/kinds/transcriptions/audio-type.ts';
import { measureAudio } from '../../../../../../lambdas/core/inference/kinds/transcriptions/lengths/measure.ts';
import { HOSTILE_FILES } from './hostile-headers.ts';

const MB = 1_000_000;

/** What all of it may cost, by the clock of the processor, for 200 MB. */
const MOST_CPU_MS = 2_000;

/** What one file may: nobody waits longer for it, even if all of it were one step. */
const MOST_FILE_CPU_MS = 250;

const path = join(tmpdir(), `hostile-${process.pid}`);
afterAll(() => rmSync(path, { force: true }));

async function onDisk(bytes: Uint8Array): Promise<Blob> {
  writeFileSync(path, bytes);
  return openAsBlob(path);
}

/** CPU of the process, threads included, ms. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** All that the endpoint does with a file's content before it is paid for. */
async function look(content: Blob, extension: AudioExtension): Promise<void> {
  await requireAudio({ name: `a.${extension}`, content, sha256: '' });
  await measureAudio(content, extension, systemAfter);
}

describe('200 MB of headers', () => {
  it.each([
    ['in files of 2.7 MB', 2.7 * MB, 5],
    ['in files of 0.3 MB', 0.3 * MB, 45],
  ])('%s cost little CPU and keep nobody waiting', async (_name, size, copies) => {
    let cpuMs = 0;
    let bytes = 0;
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    let [dearestMs, stallMs] = [0, 0];
    for (const { make, extension } of HOSTILE_FILES) {
      const content = await onDisk(make(size));
      bytes += content.size * copies;
      // The process's other threads are at work too, now and then: the least is the file's own.
      const costs: number[] = [];
      delays.reset();
      for (let copy = 0; copy < copies; copy += 1) costs.push(await cpuOf(() => look(content, extension)));
      stallMs = Math.max(stallMs, delays.max / 1e6);
      const cost = Math.min(...costs);
      cpuMs += cost * copies;
      dearestMs = Math.max(dearestMs, cost);
    }
    delays.disable();
    expect(bytes).toBeGreaterThan(200 * MB);
    expect(cpuMs).toBeLessThan(MOST_CPU_MS);
    expect(dearestMs).toBeLessThan(MOST_FILE_CPU_MS);
  });

  it('would cost far more in a reader that follows every element', async () => {
    const found = HOSTILE_FILES.find(({ extension }) => extension === 'webm');
    const bytes = found?.make(0.1 * MB) ?? Buffer.alloc(0);
    const reading = () => parseBuffer(bytes, { mimeType: 'audio/webm' }).catch(() => {});
    expect(((await cpuOf(reading)) * 200 * MB) / bytes.length).toBeGreaterThan(10 * MOST_CPU_MS);
  });

  it.each(HOSTILE_FILES)(
    'are read in four pieces at most: $extension, $name',
    async ({ make, extension }) => {
      let read = 0;
      let pieces = 0;
      class Counted extends Blob {
        override slice(start = 0, end = this.size, type?: string): Blob {
          pieces += 1;
          read += Math.min(end, this.size) - start;
          return super.slice(start, end, type);
        }
      }
      await measureAudio(new Counted([make(MB)]), extension, systemAfter);
      expect(pieces).toBeLessThanOrEqual(4);
      expect(read).toBeLessThanOrEqual(4 * 64 * 1024);
    },
  );
});

it('a disk that does not answer leaves the length unknown', async () => {
  const silent = { size: 1_000, slice: () => ({ arrayBuffer: () => new Promise(() => {}) }) };
  expect(await measureAudio(silent as unknown as Blob, 'wav', systemAfter)).toBeUndefined();
});
