/** The length that a WebM file claims (Matroska, RFC 9559, section 5.1.2; EBML, RFC 8794, sections 4 and 5). */
import { claimed, MAX_ELEMENTS, type ReadLength } from './windows.ts';

const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const CLUSTER = 0x1f43b675;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;

/** Nanoseconds a tick where the file does not say (RFC 9559, section 5.1.2.9). */
const DEFAULT_SCALE = 1_000_000;

interface Element {
  readonly id: number;
  /** Bytes; all bits set means unknown, and is far beyond any file. */
  readonly size: number;
  /** The offset at which its content starts. */
  readonly content: number;
}

/** Returns the number of bytes of a variable-length integer, which equals its number of leading zeros plus one. */
const widthAt = (bytes: Buffer, at: number): number => Math.clz32(bytes[at] ?? 0) - 23;

function elementAt(bytes: Buffer, at: number): Element | undefined {
  const idWidth = widthAt(bytes, at);
  const sizeWidth = widthAt(bytes, at + idWidth);
  const content = at + idWidth + sizeWidth;
  if (idWidth > 4 || sizeWidth > 8 || content > bytes.length) return undefined;
  const id = bytes.readUIntBE(at, idWidth);
  // The first byte without the bit that ends the zeros, then the others.
  let size = (bytes[at + idWidth] ?? 0) & (0xff >> sizeWidth);
  for (let index = 1; index < sizeWidth; index += 1) size = size * 256 + (bytes[at + idWidth + index] ?? 0);
  return { id, size, content };
}

const unsignedOf = (value: Buffer): number =>
  value.length >= 1 && value.length <= 6 ? value.readUIntBE(0, value.length) : DEFAULT_SCALE;

function floatOf(value: Buffer): number {
  if (value.length === 4) return value.readFloatBE(0);
  return value.length === 8 ? value.readDoubleBE(0) : Number.NaN;
}

export const lengthOfWebm: ReadLength = async (file) => {
  const bytes = await file.from(0, 4);
  if (bytes === undefined) return undefined;
  let scale = DEFAULT_SCALE;
  let ticks = Number.NaN;
  let at = 0;
  for (let count = 0; count < MAX_ELEMENTS && at < bytes.length; count += 1) {
    const element = elementAt(bytes, at);
    if (element === undefined || element.id === CLUSTER) break;
    const { id, size, content } = element;
    const value = bytes.subarray(content, content + size);
    if (id === TIMESTAMP_SCALE) scale = unsignedOf(value);
    if (id === DURATION) ticks = floatOf(value);
    at = id === SEGMENT || id === INFO ? content : content + size;
  }
  return claimed((ticks * scale) / 1e9);
};
