/** Bytes that all open requests may have in memory together: many large bodies at once must not end the process. */
export class ByteBudget {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes bytes if there are that many; one request alone may always be as large as its own bounds allow. */
  take(bytes: number): boolean {
    if (this.#taken > 0 && this.#taken + bytes > this.#most) return false;
    this.#taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}
