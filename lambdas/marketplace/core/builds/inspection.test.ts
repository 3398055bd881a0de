import { describe, expect, it } from '@jest/globals';
import { zip } from '../../testing/archives.ts';
import { EICAR, HOSTILE_ARCHIVES, noise } from '../../testing/hostile-archives.ts';
import { inspectArchive } from './inspection.ts';
import { ARCHIVE_LIMITS } from './rejection.ts';

/** zlib extracts at most this at once. */
const CHUNK = 16 * 1024;

const file = (name: string, content: Buffer = Buffer.from(name)) => ({ name, content });

describe('a hostile archive', () => {
  it.each(HOSTILE_ARCHIVES)('fails the inspection with $title', async ({ reason, file: build }) => {
    const archive = build();
    const inspection = await inspectArchive(archive);
    expect(inspection.reason).toBe(reason);
    // Of a bomb no more is extracted than the limits allow, and one chunk.
    const { extractedBytes, ratio } = ARCHIVE_LIMITS;
    const max = Math.min(extractedBytes, Math.max(1024 * 1024, ratio * archive.length));
    expect(inspection.extracted).toBeLessThanOrEqual(max + Math.max(CHUNK, archive.length));
  });
});

describe('an archive', () => {
  it.each([
    ['a zip', zip([file('a/b.txt'), file('a/c.txt')]), 2],
    [
      'a zip with descriptors and a comment',
      zip([{ ...file('a'), descriptor: true }], { comment: Buffer.from('4f2a9c') }),
      1,
    ],
    ['a zip of stored members', zip([{ ...file('a'), method: 0 }]), 1],
    ['an empty zip', zip([]), 0],
    ['a zip with folders', zip([file('a/', Buffer.alloc(0)), file('a/b')]), 2],
    ['a zip of the folder itself', zip([file('./', Buffer.alloc(0)), file('./a'), file('./b')]), 3],
    [
      'nested archives',
      zip([file('a.zip', zip([file('b.zip', zip([file('c.zip', zip([file('d')]))]))]))]),
      4,
    ],
    ['noise', zip([file('noise', noise(3_000_000))]), 1],
  ])('passes if it is %s', async (_, archive, entries) => {
    expect(await inspectArchive(archive)).toEqual({ entries, extracted: expect.any(Number) });
  });

  it('shows an observer each extracted byte, those of nested archives included', async () => {
    const members: string[] = [];
    const observe = () => {
      const index = members.push('') - 1;
      return (chunk: Buffer) => {
        members[index] += chunk.toString('latin1');
      };
    };
    await inspectArchive(zip([file('a', EICAR), file('b.zip', zip([file('c', EICAR)]))]), { observe });
    expect(members.filter((content) => content === EICAR.toString('latin1'))).toHaveLength(2);
  });
});

describe('any bytes', () => {
  it('give a result wherever a byte of an archive changes, and a reason wherever it is cut', async () => {
    const archives = [
      zip([file('a'), { ...file('b'), descriptor: true }], { comment: Buffer.from('x') }),
      zip([file('a.zip', zip([file('b')]))]),
    ];
    for (const archive of archives)
      for (let index = 0; index < archive.length; index += 1)
        for (const bit of [1, 0x80]) {
          const changed = Buffer.from(archive);
          changed[index] = (changed[index] ?? 0) ^ bit;
          expect(await inspectArchive(changed)).toHaveProperty('entries');
          expect(await inspectArchive(archive.subarray(0, index))).toHaveProperty('reason');
        }
  });
});
