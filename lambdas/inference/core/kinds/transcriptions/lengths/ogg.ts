/** The length that an Ogg file claims: the position on its last page (RFC 3533), at the rate on its first. */
import { claimed, MAX_ELEMENTS, type ReadLength } from './windows.ts';

const CAPTURE_PATTERN = 'OggS';

/** Up to the table of segments. */
const PAGE_BYTES = 27;

interface Stream {
  /** Positions a second. */
  readonly rate: number;
  /** Positions before the first that is heard. */
  readonly skipped: number;
}

/**
 * Returns the stream of the codec that its first packet identifies, with the rate of its positions and those that are
 * skipped.
 */
function streamOf(packet: Buffer): Stream | undefined {
  const startsWith = (text: string) => packet.toString('latin1', 0, text.length) === text;
  // RFC 7845, section 5.1: positions are at 48 kHz whatever the input was.
  if (startsWith('OpusHead') && packet.length >= 12)
    return { rate: 48_000, skipped: packet.readUInt16LE(10) };
  // Vorbis I specification, section 4.2.2.
  if (startsWith('\x01vorbis') && packet.length >= 16) return { rate: packet.readUInt32LE(12), skipped: 0 };
  // RFC 9639, section 10.1: a STREAMINFO block after 17 bytes.
  if (startsWith('\x7fFLAC') && packet.length >= 30)
    return { rate: packet.readUIntBE(27, 3) >>> 4, skipped: 0 };
  // The Speex Codec Manual, section 6.3.
  if (startsWith('Speex   ') && packet.length >= 40) return { rate: packet.readUInt32LE(36), skipped: 0 };
  return undefined;
}

export const lengthOfOgg: ReadLength = async (file) => {
  const first = await file.from(0, PAGE_BYTES);
  if (first?.toString('latin1', 0, 4) !== CAPTURE_PATTERN) return undefined;
  const serial = first.readUInt32LE(14);
  const stream = streamOf(first.subarray(PAGE_BYTES + first.readUInt8(26)));
  const last = stream && (await file.last());
  if (!stream || !last) return undefined;
  let at = last.lastIndexOf(CAPTURE_PATTERN);
  for (let count = 0; count < MAX_ELEMENTS && at >= 0; count += 1) {
    const page = at + PAGE_BYTES <= last.length && last.readUInt32LE(at + 14) === serial;
    // A position of -1 means that no packet ends on the page.
    const position = page ? last.readBigInt64LE(at + 6) : -1n;
    if (position > 0n) return claimed((Number(position) - stream.skipped) / stream.rate);
    at = at === 0 ? -1 : last.lastIndexOf(CAPTURE_PATTERN, at - 1);
  }
  return undefined;
};
