/** Bytes that all open requests may have in memory together: many large bodies at once must not end the process. */
export class ByteBudget {
  readonly #maxBytes: number;
  #reservedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes if there are that many; one request alone may always be as large as its own bounds allow. */
  reserve(bytes: number): boolean {
    if (this.#reservedBytes > 0 && this.#reservedBytes + bytes > this.#maxBytes) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#reservedBytes -= bytes;
  }
}
