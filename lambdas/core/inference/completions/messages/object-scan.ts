/** Finds, in constant memory, when a JSON text that comes in pieces is a complete object. */

const WHITE_SPACE: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n']);

/** Counts brackets outside strings; whether what stands between them is JSON does not matter to where it ends. */
export class ObjectScan {
  #state: 'before' | 'inside' | 'after' | 'other' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The text so far is one object; false for good when it is anything else. */
  get isComplete(): boolean {
    return this.#state === 'after';
  }

  read(text: string): void {
    for (const character of text) {
      if (this.#state === 'other') return;
      if (this.#state === 'inside') this.#readInside(character);
      else if (!WHITE_SPACE.has(character)) this.#readOutside(character);
    }
  }

  #readOutside(character: string): void {
    const begins = this.#state === 'before' && character === '{';
    this.#state = begins ? 'inside' : 'other';
    this.#depth = 1;
  }

  #readInside(character: string): void {
    if (this.#inString) this.#readString(character);
    else if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
    if (this.#depth === 0) this.#state = 'after';
  }

  #readString(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
  }
}
