/** The length that an MPEG-4 file claims, in the header of its movie (ISO/IEC 14496-12, sections 8.2.2 and 8.8.2). */
import { claimed, MAX_ELEMENTS, type ReadLength } from './windows.ts';

/** Boxes that hold the others that are read here. */
const PARENTS: ReadonlySet<string> = new Set(['moov', 'mvex']);

/** A version, then times of 32 or of 64 bits; the fields that are read end within this many bytes. */
const HEADER_BYTES = 32;

interface Times {
  readonly timescale: number;
  readonly duration: number;
}

/** Returns 0 for an unknown duration, which has all bits set (section 8.2.2.3). */
const unlessUnknown = (duration: number, unknown: number) => (duration >= unknown ? 0 : duration);

const shortAt = (bytes: Buffer, at: number) => unlessUnknown(bytes.readUInt32BE(at), 0xffff_ffff);
const longAt = (bytes: Buffer, at: number) => unlessUnknown(Number(bytes.readBigUInt64BE(at)), 2 ** 64);

const movieHeader = (bytes: Buffer): Times =>
  bytes.readUInt8(0) === 1
    ? { timescale: bytes.readUInt32BE(20), duration: longAt(bytes, 24) }
    : { timescale: bytes.readUInt32BE(12), duration: shortAt(bytes, 16) };

/** The duration of a movie in fragments, in the scale of its header. */
const fragmentsHeader = (bytes: Buffer): number =>
  bytes.readUInt8(0) === 1 ? longAt(bytes, 4) : shortAt(bytes, 4);

interface Box {
  readonly type: string;
  readonly content: number;
  readonly end: number;
}

/** Returns undefined for a box that ends before its own header does. A size of 0 extends to the file's end. */
function boxOf(bytes: Buffer, at: number, fileSize: number): Box | undefined {
  const [written, type] = [bytes.readUInt32BE(0), bytes.toString('latin1', 4, 8)];
  const long = written === 1;
  if (long && bytes.length < 16) return undefined;
  const content = at + (long ? 16 : 8);
  const size = long ? Number(bytes.readBigUInt64BE(8)) : written;
  const end = size === 0 ? fileSize : at + size;
  return end < content ? undefined : { type, content, end };
}

export const lengthOfM4a: ReadLength = async (file) => {
  let times: Times | undefined;
  let fragments = 0;
  let at = 0;
  // The end of the movie box, once it is detected. The bytes after it are not needed.
  let end = file.size;
  for (let count = 0; count < MAX_ELEMENTS && at < end; count += 1) {
    const bytes = await file.from(at, Math.min(16, file.size - at));
    const box = bytes && bytes.length >= 8 ? boxOf(bytes, at, file.size) : undefined;
    if (box === undefined) break;
    if (box.type === 'moov') end = Math.min(end, box.end);
    const isHeader = box.type === 'mvhd' || box.type === 'mehd';
    const header = isHeader ? await file.from(box.content, HEADER_BYTES) : undefined;
    if (header !== undefined && box.type === 'mvhd') times = movieHeader(header);
    if (header !== undefined && box.type === 'mehd') fragments = fragmentsHeader(header);
    at = PARENTS.has(box.type) ? box.content : box.end;
  }
  return times && claimed((times.duration || fragments) / times.timescale);
};
