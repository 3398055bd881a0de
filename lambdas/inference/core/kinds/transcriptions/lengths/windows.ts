/** Reads a file in a few small ranges, so that the cost of reading a header is bounded for any content. */

/** Long enough for the last page of an Ogg file, which has 65,307 bytes at most (RFC 3533, section 6). */
const WINDOW_BYTES = 64 * 1024;

/** A tag to skip, the header, and a place elsewhere that it points to are three. */
const MAX_WINDOWS = 4;

/**
 * The maximum number of elements (chunks, boxes, pages, frames) that a reader checks. Files of encoders have a few
 * dozen at most.
 */
export const MAX_ELEMENTS = 1_000;

/** A recording's length as its own header gives it. */
export interface Length {
  readonly seconds: number;
  /** True if the bytes of the file allow no other length, so that a header cannot state a wrong one. */
  readonly exact: boolean;
}

/** Reads a length; undefined when the header does not state one within the bounds. Rejects when the file cannot be read. */
export type ReadLength = (file: ByteWindows) => Promise<Length | undefined>;

/** Returns a length that a header states and the file need not have, or undefined if it is not a length. */
export const claimed = (seconds: number): Length | undefined =>
  Number.isFinite(seconds) && seconds > 0 ? { seconds, exact: false } : undefined;

export class ByteWindows {
  readonly #content: Blob;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #loads = 0;

  constructor(content: Blob) {
    this.#content = content;
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#content.size;
  }

  /** The file from `offset` on: `minBytes` or more. Undefined past its end and past the bounds. */
  async from(offset: number, minBytes: number): Promise<Buffer | undefined> {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + minBytes > this.size) return undefined;
    const end = this.#start + this.#bytes.length;
    if (offset < this.#start || offset + minBytes > end) {
      if (this.#loads === MAX_WINDOWS) return undefined;
      this.#loads += 1;
      this.#bytes = Buffer.from(await this.#content.slice(offset, offset + WINDOW_BYTES).arrayBuffer());
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start);
  }

  /** The file's last bytes. */
  last(): Promise<Buffer | undefined> {
    const length = Math.min(WINDOW_BYTES, this.size);
    return this.from(this.size - length, length);
  }
}

/** Returns the offset of the audio after a tag that may precede it (id3.org, ID3v2.4, section 3.1). */
export async function afterTag(file: ByteWindows): Promise<number> {
  const head = await file.from(0, 10);
  return head === undefined ? 0 : tagBytes(head);
}

/** Returns the bytes of the tag that starts with these ten bytes or more. */
export function tagBytes(head: Buffer): number {
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const footer = (head.readUInt8(5) & 0x10) === 0 ? 0 : 10;
  // Seven bits of each byte.
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head.readUInt8(at) & 0x7f), 0);
  return 10 + size + footer;
}
