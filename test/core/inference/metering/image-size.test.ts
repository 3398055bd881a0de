import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { imageSizeOf } from '../../../../lambdas/core/inference/metering/image-size.ts';
import { growthOf, TIMES } from '../../../growth.ts';
import { it } from '../../../search.ts';
import {
  gifComment,
  gifFrame,
  gifOf,
  jpegFrame,
  jpegOf,
  jpegSegment,
  pngChunk,
  pngHeader,
  pngOf,
  REAL_FILES,
  webpCanvas,
  webpChunk,
  webpFrame,
  webpLossless,
  webpLossy,
  webpOf,
} from './image-files.ts';

const side = fc.integer({ min: 1, max: 16_383 });
const sides = fc.tuple(side, side);
const data = fc.uint8Array({ maxLength: 300 });

/** What each format may hold before its picture, and the picture. */
const files: Record<string, (sides: readonly [number, number], before: readonly Uint8Array[]) => string> = {
  PNG: (size, before) => pngOf(pngHeader(size), ...before.map((bytes) => pngChunk('tEXt', bytes))),
  'baseline JPEG': (size, before) =>
    jpegOf(...before.map((bytes) => jpegSegment(0xe1, bytes)), jpegFrame(size)),
  'progressive JPEG': (size, before) =>
    jpegOf(
      ...before.map((bytes) => jpegSegment(0xed, bytes)),
      jpegFrame(size, 0xc2),
      jpegSegment(0xc4, Buffer.alloc(30)),
    ),
  GIF: (size, before) =>
    gifOf(size, ...before.map((bytes) => gifComment('x'.repeat(bytes.length % 256 || 1))), gifFrame(size)),
  'lossy WebP': (size) => webpOf(webpLossy(size)),
  'lossless WebP': (size) => webpOf(webpLossless(size)),
  'WebP with metadata': (size, before) =>
    webpOf(webpCanvas(size), ...before.map((bytes) => webpChunk('ICCP', bytes)), webpLossy(size)),
  'animated WebP': (size, before) =>
    webpOf(
      webpCanvas(size),
      ...before.map((bytes) => webpChunk('ICCP', bytes)),
      webpFrame(size),
      webpFrame([1, 1]),
    ),
};

describe('the size of an image', () => {
  it.each(Object.entries(REAL_FILES))('is read from %s as it is written by an encoder', (_name, file) => {
    expect(imageSizeOf(file)).toEqual({ width: 300, height: 200 });
  });

  it.each(Object.entries(files))('is read from a %s, whatever stands before the picture', (_name, write) => {
    fc.assert(
      fc.property(sides, fc.array(data, { maxLength: 4 }), ([width, height], before) => {
        expect(imageSizeOf(write([width, height], before))).toEqual({ width, height });
      }),
      { numRuns: 100 },
    );
  });

  it('is found behind any number of bytes that applications have put into a JPEG', () => {
    const applications = Array.from({ length: 200 }, () => jpegSegment(0xe2, Buffer.alloc(65_000)));
    expect(imageSizeOf(jpegOf(...applications, jpegFrame([4_032, 3_024])))).toEqual({
      width: 4_032,
      height: 3_024,
    });
  });
});

describe('the size of an image is unknown', () => {
  const small = [8, 8] as const;
  const large = [4_000, 3_000] as const;
  const onlyScan = jpegSegment(0xe0, Buffer.alloc(14));

  it.each([
    ['no image', Buffer.from('The quick brown fox jumps over the lazy dog').toString('base64')],
    ['nothing', ''],
    ['a format that is not known', Buffer.from('BM______________________').toString('base64')],
    ['a PNG whose header is not first', pngOf(pngChunk('CgBI', Buffer.alloc(4)), pngHeader(small))],
    ['a PNG of two headers', pngOf(pngHeader(small), pngHeader(large))],
    ['a PNG without pixels', pngOf(pngHeader(small)).slice(0, 40)],
    ['a PNG of no width', pngOf(pngHeader([0, 8]))],
    ['a JPEG of two frames', jpegOf(jpegFrame(small), jpegFrame(large))],
    ['a JPEG of no frame', jpegOf(onlyScan)],
    ['a JPEG whose height comes later', jpegOf(jpegFrame([8, 0]))],
    ['a JPEG whose segment has no length', jpegOf(Buffer.of(0xff, 0xe0, 0, 0), jpegFrame(small))],
    ['a JPEG with bytes between its segments', jpegOf(Buffer.from('junk'), jpegFrame(small))],
    ['a GIF whose frame is larger than its screen', gifOf(small, gifFrame(large))],
    ['a GIF whose frame is smaller than its screen', gifOf(large, gifFrame(small))],
    ['a GIF whose frame lies elsewhere', gifOf(small, gifFrame(small, 4_000))],
    ['a GIF of no frame', gifOf(small, gifComment('nothing'))],
    ['a WebP whose picture is larger than its canvas', webpOf(webpCanvas(small), webpLossy(large))],
    ['a WebP whose frame is smaller than its canvas', webpOf(webpCanvas(large), webpFrame(small))],
    ['a WebP of no picture', webpOf(webpCanvas(small), webpChunk('EXIF', Buffer.alloc(8)))],
    ['a WebP of another chunk', webpOf(webpChunk('ICCP', Buffer.alloc(8)), webpLossy(small))],
  ])('of %s', (_name, file) => {
    expect(imageSizeOf(file)).toBeUndefined();
  });

  it('of any text: nothing throws', () => {
    const heads = ['iVBORw0KGgo', '/9j/', 'R0lGODlh', 'UklGRgAAAABXRUJQ', ''];
    const letters = fc.string({ unit: fc.constantFrom(...'ABCDghijwxyz0189+/'), maxLength: 400 });
    fc.assert(
      fc.property(fc.constantFrom(...heads), letters, (head, tail) => {
        const size = imageSizeOf(head + tail);
        expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a file that is cut off before its picture', () => {
    for (const [name, file] of Object.entries(REAL_FILES)) {
      for (let letters = 0; letters < 28; letters += 1)
        expect([name, imageSizeOf(file.slice(0, letters))]).toEqual([name, undefined]);
    }
  });

  it('of more segments than any photograph has, in time that does not grow with the file', async () => {
    const endless = (segments: number): readonly string[] => [
      pngOf(pngHeader(small), ...Array.from({ length: segments }, () => pngChunk('tEXt', Buffer.alloc(0)))),
      jpegOf(...Array.from({ length: segments }, () => jpegSegment(0xe0, Buffer.alloc(0))), jpegFrame(small)),
      jpegOf(Buffer.alloc(20 * segments, 0xff), jpegFrame(small)),
      gifOf(small, ...Array.from({ length: segments }, () => gifComment('x')), gifFrame(small)),
    ];
    const files = new Map([3_000, 3_000 * TIMES].map((segments) => [segments, endless(segments)]));
    const look = (segments: number) => {
      for (const file of files.get(segments) ?? []) expect(imageSizeOf(file)).toBeUndefined();
    };
    expect(await growthOf(look, 3_000)).toBeLessThan(TIMES / 2);
  });
});
