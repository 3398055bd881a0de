/** Returns the length that an MP3 file claims: by the index in its first frame, or else by that frame's bit rate. */
import { afterTag, claimed, type Length, MAX_ELEMENTS, type ReadLength } from './windows.ts';

/** Layer III, kbit/s by the header's index (ISO/IEC 11172-3 and 13818-3). */
const BITRATES = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Sample rates of MPEG 1. Half of each belongs to MPEG 2, and a quarter to MPEG 2.5. */
const SAMPLE_RATES = [44_100, 48_000, 32_000];
const RATE_DIVISORS = [4, undefined, 2, 1];
const LAYER_3 = 1;
const FIRST_VERSION = 3;
const MONO = 3;

interface Frame {
  readonly bitrate: number;
  readonly rate: number;
  readonly samples: number;
  /** Bytes. */
  readonly length: number;
  /** The offset at which an index (Xing) would be. */
  readonly index: number;
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const [version, layer] = [(header >>> 19) & 3, (header >>> 17) & 3];
  const divisor = RATE_DIVISORS[version];
  const rate = SAMPLE_RATES[(header >>> 10) & 3];
  const first = version === FIRST_VERSION;
  const kilobits = BITRATES[first ? 'first' : 'second'][(header >>> 12) & 15];
  if (header >>> 21 !== 0x7ff || layer !== LAYER_3 || !divisor || !rate || !kilobits) return undefined;
  const samples = first ? 1_152 : 576;
  const mono = ((header >>> 6) & 3) === MONO;
  return {
    bitrate: kilobits * 1_000,
    rate: rate / divisor,
    samples,
    length: Math.floor(((samples / 8) * kilobits * 1_000) / (rate / divisor)) + ((header >>> 9) & 1),
    index: 4 + (first ? (mono ? 17 : 32) : mono ? 9 : 17),
  };
}

/**
 * Returns the number of frames in an index: Xing's (or LAME's "Info") after the side information, or Fraunhofer's at a
 * fixed offset.
 */
function framesOf(bytes: Buffer, { index }: Frame): number | undefined {
  const tag = bytes.toString('latin1', index, index + 4);
  const counted = bytes.length >= index + 12 && (bytes.readUInt32BE(index + 4) & 1) === 1;
  if ((tag === 'Xing' || tag === 'Info') && counted) return bytes.readUInt32BE(index + 8);
  const other = bytes.toString('latin1', 36, 40) === 'VBRI' && bytes.length >= 54;
  return other ? bytes.readUInt32BE(50) : undefined;
}

/**
 * Returns the first frame. Frames start near the start of the file, because encoders pad. A frame that another one
 * follows is not a coincidence.
 */
function firstFrame(bytes: Buffer): { readonly at: number; readonly frame: Frame } | undefined {
  let at = bytes.indexOf(0xff);
  for (let count = 0; count < MAX_ELEMENTS && at !== -1; count += 1) {
    const frame = frameAt(bytes, at);
    const end = at + (frame?.length ?? 0);
    if (frame !== undefined && (end + 4 > bytes.length || frameAt(bytes, end))) return { at, frame };
    at = bytes.indexOf(0xff, at + 1);
  }
  return undefined;
}

export const lengthOfMp3: ReadLength = async (file): Promise<Length | undefined> => {
  const start = await afterTag(file);
  const bytes = await file.from(start, 4);
  const match = bytes && firstFrame(bytes);
  if (bytes === undefined || match === undefined) return undefined;
  const { at, frame } = match;
  const frames = framesOf(bytes.subarray(at), frame);
  if (frames !== undefined) return claimed((frames * frame.samples) / frame.rate);
  return claimed(((file.size - start - at) * 8) / frame.bitrate);
};
