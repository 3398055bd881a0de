/** Reads a stream of chunks by numbers of bytes. It holds no more than one chunk and what a caller requests at once. */
import { ensure } from './rejection.ts';

export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns the next bytes and does not consume them; fewer at the end of the stream. */
  async peek(length: number): Promise<Buffer> {
    while (this.#held.length < length && (await this.#pull()));
    return this.#held.subarray(0, length);
  }

  /** Throws if the stream ends before. */
  async read(length: number): Promise<Buffer> {
    const bytes = await this.peek(length);
    ensure(bytes.length === length, 'corrupt');
    this.#held = this.#held.subarray(length);
    return bytes;
  }

  /** Returns the next bytes as chunks. It throws if the stream ends before. */
  async *stream(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      const available = (await this.peek(1)).length;
      ensure(available === 1, 'corrupt');
      const chunk = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    while ((await this.peek(1)).length > 0) {
      const chunk = this.#held;
      this.#held = Buffer.alloc(0);
      yield chunk;
    }
  }

  async #pull(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return true;
  }
}
