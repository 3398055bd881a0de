/** The bytes of request bodies that a process has in memory or on disk, counted by their owners. */

import { overloaded, ServiceError } from '../core/errors.ts';

/** The share of the bytes that an owner may always have; further ones only while half of all bytes are free. */
const SHARE = 1 / 8;

/** The reason why something does not fit: what its owner has of it already, or what others have. */
export type Shortage = 'own' | 'others';

/** Seconds after which an account that has used up its share may retry: most of its calls have ended by then. */
const SHARE_SECONDS = 5;

/** Throws if there is a shortage: 503 if others cause it, and 429, which is no failure of the service, if its owner does. */
export function requireNoShortage(shortage: Shortage | undefined): void {
  if (shortage === 'others') throw overloaded();
  if (shortage === undefined) return;
  const message = 'The bodies of this account’s open requests have used up its share; retry later.';
  throw new ServiceError('body_quota', message, { retryAfterSeconds: SHARE_SECONDS });
}

/** Bytes that owners share, so that none of them can take what the others need. */
export class SharedBytes {
  readonly #maxBytes: number;
  readonly #owned = new Map<string, number>();
  #takenBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes further bytes of a body that has `heldBytes`, or returns why they do not fit. The shortage is the owner's own if
   * they would fit without its other bodies. The first bytes always fit, so that a body alone is bounded by its own limit only.
   */
  take(owner: string, bytes: number, heldBytes: number): Shortage | undefined {
    const ownBytes = this.#owned.get(owner) ?? 0;
    const othersBytes = this.#takenBytes - ownBytes;
    if (this.#fits(othersBytes, ownBytes, bytes)) {
      this.#set(owner, ownBytes + bytes, this.#takenBytes + bytes);
      return undefined;
    }
    return this.#fits(othersBytes, heldBytes, bytes) ? 'own' : 'others';
  }

  #fits(othersBytes: number, ownBytes: number, bytes: number): boolean {
    const takenBytes = othersBytes + ownBytes;
    const limit = ownBytes + bytes <= this.#maxBytes * SHARE ? this.#maxBytes : this.#maxBytes / 2;
    return takenBytes === 0 || takenBytes + bytes <= limit;
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

/** The call of a body, which is counted apart until its body has arrived. */
export interface BodyCall {
  /** Counts the call as one of the account. Throws `ServiceError` if too many bodies are arriving. */
  claim(accountId: string): void;
  /** Counts the call as served. Throws `ServiceError` if too many calls are. */
  serve(): void;
}

/** The bytes that one body takes of its budget. */
export class BodyBytes {
  readonly #budget: BodyBudget;
  readonly #call: BodyCall;
  readonly #taken = new Map<SharedBytes, number>();
  #owner: string;
  #bytes = 0;
  #isSlow = false;

  constructor(budget: BodyBudget, call: BodyCall, owner: string) {
    this.#budget = budget;
    this.#call = call;
    this.#owner = owner;
  }

  /** Names the account as the owner. Bytes that arrived before remain those of the former owner. */
  claim(owner: string): void {
    this.#call.claim(owner);
    if (this.#bytes === 0) this.#owner = owner;
  }

  /** Each of these throws `ServiceError` if the budget does not have the bytes. */
  arrive(bytes: number): void {
    const { arriving, slow } = this.#budget;
    this.#bytes += bytes;
    this.#have(arriving, this.#bytes);
    if (this.#isSlow) this.#have(slow, this.#bytes);
  }

  slow(): void {
    this.#isSlow = true;
    this.#have(this.#budget.slow, this.#bytes);
  }

  complete(): void {
    const { arriving, slow, complete } = this.#budget;
    this.#have(slow, 0);
    if (arriving !== complete) this.#have(arriving, 0);
    this.#have(complete, this.#bytes);
    this.#call.serve();
  }

  sent(): void {
    const { complete, afterSending } = this.#budget;
    const bytes = Math.ceil(this.#bytes * afterSending);
    if ((this.#taken.get(complete) ?? 0) > bytes) this.#have(complete, bytes);
  }

  release(): void {
    for (const pool of this.#taken.keys()) this.#have(pool, 0);
  }

  #have(pool: SharedBytes, bytes: number): void {
    const taken = this.#taken.get(pool) ?? 0;
    if (bytes > taken) requireNoShortage(pool.take(this.#owner, bytes - taken, taken));
    if (bytes < taken) pool.give(this.#owner, taken - bytes);
    this.#taken.set(pool, bytes);
  }
}
