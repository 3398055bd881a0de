/** The bytes of request bodies that a process has in memory or on disk, counted by their owners. */

/** The share of the bytes that an owner may always have; further ones only while half of all bytes are free. */
const SHARE = 1 / 8;

/** Bytes that owners share, so that none of them can take what the others need. */
export class SharedBytes {
  readonly #maxBytes: number;
  readonly #owned = new Map<string, number>();
  #takenBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes if they fit. The first bytes always fit, so that a body alone is bounded by its own limit only. */
  take(owner: string, bytes: number): boolean {
    const ownBytes = (this.#owned.get(owner) ?? 0) + bytes;
    const takenBytes = this.#takenBytes + bytes;
    const limit = ownBytes <= this.#maxBytes * SHARE ? this.#maxBytes : this.#maxBytes / 2;
    if (this.#takenBytes > 0 && takenBytes > limit) return false;
    this.#set(owner, ownBytes, takenBytes);
    return true;
  }

  give(owner: string, bytes: number): void {
    this.#set(owner, (this.#owned.get(owner) ?? 0) - bytes, this.#takenBytes - bytes);
  }

  #set(owner: string, ownBytes: number, takenBytes: number): void {
    this.#takenBytes = takenBytes;
    if (ownBytes === 0) this.#owned.delete(owner);
    else this.#owned.set(owner, ownBytes);
  }
}

/** The limits of the bodies of one kind. Both may be the same object, if a byte costs the same in both. */
export interface BodyBudget {
  /** The bytes of bodies that are being received. */
  readonly arriving: SharedBytes;
  /** The part of it that slow bodies may have. They meet each other, and leave the other part to all others. */
  readonly slow: SharedBytes;
  /** The bytes of complete bodies whose calls are being served. */
  readonly complete: SharedBytes;
  /** The part of a complete body that counts once a route has responded, because no other route needs the request. */
  readonly afterSending: number;
}

/** A body that has been arriving for so long counts as slow. */
export const SLOW_AFTER_MS = 5_000;

/** The bytes that one body takes of its budget. */
export class BodyBytes {
  readonly #budget: BodyBudget;
  readonly #taken = new Map<SharedBytes, number>();
  #owner: string;
  #bytes = 0;
  #isSlow = false;

  constructor(budget: BodyBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Names another owner. Bytes that arrived before remain those of the former. */
  claim(owner: string): void {
    if (this.#bytes === 0) this.#owner = owner;
  }

  /** Each of these returns false if the budget does not have the bytes. */
  arrive(bytes: number): boolean {
    const { arriving, slow } = this.#budget;
    this.#bytes += bytes;
    return this.#have(arriving, this.#bytes) && (!this.#isSlow || this.#have(slow, this.#bytes));
  }

  slow(): boolean {
    this.#isSlow = true;
    return this.#have(this.#budget.slow, this.#bytes);
  }

  complete(): boolean {
    const { arriving, slow, complete } = this.#budget;
    this.#have(slow, 0);
    if (arriving !== complete) this.#have(arriving, 0);
    return this.#have(complete, this.#bytes);
  }

  sent(): void {
    const { complete, afterSending } = this.#budget;
    const bytes = Math.ceil(this.#bytes * afterSending);
    if ((this.#taken.get(complete) ?? 0) > bytes) this.#have(complete, bytes);
  }

  release(): void {
    for (const pool of this.#taken.keys()) this.#have(pool, 0);
  }

  #have(pool: SharedBytes, bytes: number): boolean {
    const taken = this.#taken.get(pool) ?? 0;
    if (bytes > taken && !pool.take(this.#owner, bytes - taken)) return false;
    if (bytes < taken) pool.give(this.#owner, taken - bytes);
    this.#taken.set(pool, bytes);
    return true;
  }
}
