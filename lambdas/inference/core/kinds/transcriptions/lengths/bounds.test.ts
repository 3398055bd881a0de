import { openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseBuffer } from 'music-metadata';
import { systemAfter } from '../../../../../platform/system/system.ts';
import { HOSTILE_FILES } from '../../../../testing/kinds/transcriptions/lengths/hostile-headers.ts';
import { type AudioExtension, requireAudio } from '../audio-type.ts';
import { measureAudio } from './measure.ts';

const MB = 1_000_000;

/**
 * CPU milliseconds for 200 MB of headers in a reader that follows every element. All other results are compared with
 * it.
 */
let followingMs = 0;

const path = join(tmpdir(), `hostile-${process.pid}`);
beforeAll(async () => {
  const bytes =
    HOSTILE_FILES.find(({ extension }) => extension === 'webm')?.make(0.1 * MB) ?? Buffer.alloc(0);
  const following = () => parseBuffer(bytes, { mimeType: 'audio/webm' }).catch(() => {});
  followingMs = ((await cpuOf(following)) * 200 * MB) / bytes.length;
});
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
async function checkAudio(content: Blob, extension: AudioExtension): Promise<void> {
  await requireAudio({ name: `a.${extension}`, content, sha256: '' });
  await measureAudio(content, extension, systemAfter);
}

describe('200 MB of headers', () => {
  it.each([
    ['in files of 2.7 MB', 2.7 * MB, 5],
    ['in files of 0.3 MB', 0.3 * MB, 45],
  ])(
    'take a tenth of the time of a reader that follows every element, and those of a file a hundredth: %s',
    async (_name, size, copies) => {
      let cpuMs = 0;
      let bytes = 0;
      for (const { make, extension } of HOSTILE_FILES) {
        const content = await onDisk(make(size));
        bytes += content.size * copies;
        // The process's other threads are at work too, now and then: the least is the file's own.
        const costs: number[] = [];
        for (let copy = 0; copy < copies; copy += 1)
          costs.push(await cpuOf(() => checkAudio(content, extension)));
        const cost = Math.min(...costs);
        cpuMs += cost * copies;
        // Nobody waits longer for it, even if all of it were one step.
        expect(cost).toBeLessThan(followingMs / 100);
      }
      expect(bytes).toBeGreaterThan(200 * MB);
      expect(cpuMs).toBeLessThan(followingMs / 10);
    },
  );

  it.each(HOSTILE_FILES)('require at most four reads: $extension, $name', async ({ make, extension }) => {
    let read = 0;
    let readCount = 0;
    class Counted extends Blob {
      override slice(start = 0, end = this.size, type?: string): Blob {
        readCount += 1;
        read += Math.min(end, this.size) - start;
        return super.slice(start, end, type);
      }
    }
    await measureAudio(new Counted([make(MB)]), extension, systemAfter);
    expect(readCount).toBeLessThanOrEqual(4);
    expect(read).toBeLessThanOrEqual(4 * 64 * 1024);
  });
});

it('the length of a file remains unknown if the disk does not respond', async () => {
  const silent = { size: 1_000, slice: () => ({ arrayBuffer: () => new Promise(() => {}) }) };
  expect(await measureAudio(silent as unknown as Blob, 'wav', systemAfter)).toBeUndefined();
});
