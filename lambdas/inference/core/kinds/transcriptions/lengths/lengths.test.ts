import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseBuffer } from 'music-metadata';
import { systemAfter } from '../../../../../platform/system/system.ts';
import type { AudioExtension } from '../audio-type.ts';
import { measureAudio } from './measure.ts';

/** One second of a tone as FFmpeg 9.0.2 writes it, by file name. */
const ENCODED = JSON.parse(
  readFileSync('lambdas/inference/testing/kinds/transcriptions/lengths/encoded.json', 'utf8'),
) as Readonly<Record<string, string>>;
const read = (name: string): Buffer<ArrayBuffer> => Buffer.from(ENCODED[name] ?? '', 'base64');
const extensionOf = (name: string) => name.slice(name.lastIndexOf('.') + 1) as AudioExtension;
const measure = (bytes: Uint8Array<ArrayBuffer>, extension: AudioExtension) =>
  measureAudio(new Blob([bytes]), extension, systemAfter);

/** Files whose header omits the length, because encoders leave it out, or does not determine it. */
const UNTOLD = ['recorder.webm', 'fragments.m4a', 'adpcm.wav'];
const stated = Object.keys(ENCODED).filter((name) => !UNTOLD.includes(name));

describe('the length of what encoders write', () => {
  it.each(stated)('matches the length of another reader that reads to the end: %s', async (name) => {
    const length = await measure(read(name), extensionOf(name));
    const { format } = await parseBuffer(read(name), undefined, { duration: true });
    // Encoders pad: a frame of MP3 or AAC at 8 kHz has 0.13 s.
    expect(Math.abs((length?.seconds ?? 0) - (format.duration ?? 0))).toBeLessThan(0.14);
    expect(Math.abs((length?.seconds ?? 0) - 1)).toBeLessThan(0.2);
  });

  it.each(UNTOLD)('stays undefined if the header does not state it: %s', async (name) => {
    expect(await measure(read(name), extensionOf(name))).toBeUndefined();
  });

  it('counts as exact for plain samples alone', async () => {
    const exact = await Promise.all(
      stated.map(async (name) => ((await measure(read(name), extensionOf(name)))?.exact ? [name] : [])),
    );
    expect(exact.flat()).toEqual(['extensible.wav', 'plain.wav', 'unknown-size.wav']);
  });

  it.each(['constant.mp3', 'samples.flac'])(
    'stays the same behind a tag with a picture: %s',
    async (name) => {
      const bytes = read(name);
      const tag = Buffer.alloc(10 + 200_000);
      // 200,000 in four times seven bits.
      tag.set([...Buffer.from('ID3'), 4, 0, 0, 0, 12, 26, 64]);
      const [plain, tagged] = await Promise.all([
        measure(bytes, extensionOf(name)),
        measure(Buffer.concat([tag, bytes]), extensionOf(name)),
      ]);
      expect(tagged).toEqual(plain);
    },
  );

  it('stays the same if 20 MB of sound precede the movie header', async () => {
    const bytes = read('movie-last.m4a');
    const data = bytes.indexOf('mdat') - 4;
    const end = data + bytes.readUInt32BE(data);
    const extension = Buffer.alloc(20_000_000);
    const head = Buffer.from(bytes.subarray(0, end));
    head.writeUInt32BE(bytes.readUInt32BE(data) + extension.length, data);
    const long = Buffer.concat([head, extension, bytes.subarray(end)]);
    expect(await measure(long, 'm4a')).toEqual(await measure(bytes, 'm4a'));
  });
});

describe('a WAV file with a false header', () => {
  const wav = read('plain.wav');
  const changed = (change: (bytes: Buffer<ArrayBuffer>) => void) => {
    const bytes = Buffer.from(wav);
    change(bytes);
    return measure(bytes, 'wav');
  };
  const data = wav.indexOf('data');

  it.each([0, 2, 100, 0xffff_ffff])(
    'lasts as long as its bytes, whatever size its data claims: %d',
    async (size) => {
      const length = await changed((bytes) => bytes.writeUInt32LE(size, data + 4));
      expect(length).toEqual({ seconds: (wav.length - data - 8) / 8_000, exact: true });
    },
  );

  it.each<readonly [string, (bytes: Buffer<ArrayBuffer>) => unknown]>([
    ['a tag of MP3', (bytes) => bytes.writeUInt16LE(0x55, 20)],
    ['a tag of GSM', (bytes) => bytes.writeUInt16LE(0x31, 20)],
    ['a rate that its other fields do not make', (bytes) => bytes.writeUInt32LE(8_000_000, 28)],
    ['blocks that its channels do not make', (bytes) => bytes.writeUInt16LE(400, 32)],
    [
      'a rate that nothing samples at',
      (bytes) => {
        bytes.writeUInt32LE(1_000_000_000, 24);
        bytes.writeUInt32LE(1_000_000_000 * bytes.readUInt16LE(32), 28);
      },
    ],
    ['no channels', (bytes) => bytes.writeUInt16LE(0, 22)],
    ['no bits', (bytes) => bytes.writeUInt16LE(0, 34)],
    ['a format of no size', (bytes) => bytes.writeUInt32LE(0, 16)],
  ])('yields no length with %s', async (_name, change) => {
    expect(await changed(change)).toBeUndefined();
  });

  it('yields no length with a second format', async () => {
    const format = wav.subarray(12, 36);
    const twice = Buffer.concat([wav.subarray(0, 12), format, wav.subarray(12)]);
    expect(await measure(twice, 'wav')).toBeUndefined();
  });
});

describe('any bytes', () => {
  it('yield a length above 0 or none, and never an error, even if cut and changed', async () => {
    let state = 20_261_122;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let lengths = 0;
    for (const name of Object.keys(ENCODED)) {
      for (let turn = 0; turn < 150; turn += 1) {
        const bytes = read(name);
        for (let change = random(12); change > 0; change -= 1) {
          const near = random(2) === 0 ? Math.min(bytes.length, 120) : bytes.length;
          bytes[random(near)] = random(3) === 0 ? 0xff : random(256);
        }
        const cut = random(3) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
        const length = await measure(cut, extensionOf(name));
        if (length === undefined) continue;
        lengths += 1;
        expect(Number.isFinite(length.seconds) && length.seconds > 0).toBe(true);
      }
    }
    expect(lengths).toBeGreaterThan(500);
  });
});
