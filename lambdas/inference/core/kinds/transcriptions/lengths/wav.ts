/** The length of a WAV file (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). */
import { type Length, MAX_ELEMENTS, type ReadLength } from './windows.ts';

/** Tags of raw samples: linear (1) and floating-point (3). Any other tag is a codec. */
const PLAIN_TAGS: ReadonlySet<number> = new Set([1, 3]);

/**
 * Indicates that the first bytes of an identifier are the real tag. The rest of the identifier is this constant
 * (WAVEFORMATEXTENSIBLE).
 */
const EXTENSIBLE = 0xfffe;
const IDENTIFIER_REST = '000000001000800000aa00389b71';

/** Faster or wider than any converter; decoders differ in what they make of such a header. */
const MAX_SAMPLES_PER_SECOND = 768_000;
const MAX_CHANNELS = 32;
const MAX_BITS = 64;

const FORMAT_BYTES = 16;

/** Bytes a second of plain samples whose fields agree with each other; undefined for anything else. */
function plainRate(format: Buffer): number | undefined {
  if (format.length < FORMAT_BYTES) return undefined;
  const written = format.readUInt16LE(0);
  const long = written === EXTENSIBLE && format.toString('hex', 26, 40) === IDENTIFIER_REST;
  const tag = long ? format.readUInt16LE(24) : written;
  const [channels, samples] = [format.readUInt16LE(2), format.readUInt32LE(4)];
  const [rate, blockAlign, bits] = [format.readUInt32LE(8), format.readUInt16LE(12), format.readUInt16LE(14)];
  const agrees = blockAlign === channels * Math.ceil(bits / 8) && rate === samples * blockAlign;
  const isReal = samples <= MAX_SAMPLES_PER_SECOND && channels <= MAX_CHANNELS && bits <= MAX_BITS;
  return PLAIN_TAGS.has(tag) && agrees && isReal && rate > 0 ? rate : undefined;
}

/**
 * Reads the length of a WAV file. For plain samples, everything after the header of the data chunk counts as sound,
 * because the size in that header might be less. For a codec, the length is unknown. It is also unknown if a second
 * format would let decoders differ.
 */
export const lengthOfWav: ReadLength = async (file) => {
  const head = await file.from(0, 12);
  if (head === undefined) return undefined;
  let rate: number | undefined;
  let at = 12;
  for (let count = 0; count < MAX_ELEMENTS && at + 8 <= head.length; count += 1) {
    const [id, size] = [head.toString('latin1', at, at + 4), head.readUInt32LE(at + 4)];
    const content = at + 8;
    if (id === 'data') return rate === undefined ? undefined : exactly((file.size - content) / rate);
    if (id === 'fmt ') {
      if (rate !== undefined) return undefined;
      rate = plainRate(head.subarray(content, content + size));
      if (rate === undefined) return undefined;
    }
    // Chunks are padded to even sizes.
    at = content + size + (size % 2);
  }
  return undefined;
};

const exactly = (seconds: number): Length | undefined => (seconds > 0 ? { seconds, exact: true } : undefined);
