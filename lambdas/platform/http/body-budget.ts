/** The bytes of request bodies that a process has in memory or on disk, counted by their owners. */

import { LARGE_BODY_BYTES } from '../contract/limits.ts';
import { overloaded, ServiceError } from '../core/errors.ts';
import type { IncomingBody } from '../core/ports.ts';

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
  /** The part of it that bodies above `SMALL_BODY_BYTES` may have. */
  readonly larger: SharedBytes;
  /** The part of it for the declared bytes of bodies whose account may have no credit. */
  readonly unproven: SharedBytes;
  /** The bytes of complete bodies whose calls are being served. */
  readonly complete: SharedBytes;
  /** The part of a complete body that counts once a route has responded, because no other route needs the request. */
  readonly afterSending: number;
}

/** A body that has been arriving for so long counts as slow. */
export const SLOW_AFTER_MS = 5_000;

/** Most calls have a smaller body. A part of the bytes is reserved for them. */
const SMALL_BODY_BYTES = 64 * 1024;

/** The call of a body, which is counted apart until its body has arrived. */
export interface BodyCall {
  /**
   * Counts the call as one of the account. Returns whether its credit must be proven, because so many calls are arriving.
   * Throws `ServiceError` if too many are.
   */
  claim(accountId: string): boolean;
  prove(): void;
  /** Counts the call as served. Throws `ServiceError` if too many calls are. */
  serve(): void;
}

/** The bytes that one body takes of its budget. */
export class BodyBytes implements IncomingBody {
  readonly #budget: BodyBudget;
  readonly #call: BodyCall;
  readonly #taken = new Map<SharedBytes, number>();
  /** The most that the body can have. */
  readonly #declaredBytes: number;
  #owner: string;
  #bytes = 0;
  #isSlow = false;

  constructor(budget: BodyBudget, call: BodyCall, owner: string, declaredBytes: number) {
    this.#budget = budget;
    this.#call = call;
    this.#owner = owner;
    this.#declaredBytes = declaredBytes;
  }

  get isLarge(): boolean {
    return this.#declaredBytes > LARGE_BODY_BYTES;
  }

  /**
   * Names the account as the owner. Bytes that arrived before remain those of the former owner. Returns whether the account's
   * credit must be proven before the body is read, because the declared bytes of other bodies use up the part for the rest.
   */
  claim(owner: string): boolean {
    const mustProve = this.#call.claim(owner);
    if (this.#bytes === 0) this.#owner = owner;
    return mustProve || this.#take(this.#budget.unproven, this.#declaredBytes) !== undefined;
  }

  /** Counts the body no longer as one whose account may have no credit. */
  prove(): void {
    this.#call.prove();
    this.#have(this.#budget.unproven, 0);
  }

  /** Each of these throws `ServiceError` if the budget does not have the bytes. */
  arrive(bytes: number): void {
    const { arriving, slow, larger } = this.#budget;
    this.#bytes += bytes;
    this.#have(arriving, this.#bytes);
    if (this.#declaredBytes > SMALL_BODY_BYTES) this.#have(larger, this.#bytes);
    if (this.#isSlow) this.#have(slow, this.#bytes);
  }

  slow(): void {
    this.#isSlow = true;
    this.#have(this.#budget.slow, this.#bytes);
  }

  complete(): void {
    const { complete } = this.#budget;
    for (const pool of this.#taken.keys()) if (pool !== complete) this.#have(pool, 0);
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
    requireNoShortage(this.#take(pool, bytes));
  }

  /** Takes or gives back the difference to what the body has of the pool. */
  #take(pool: SharedBytes, bytes: number): Shortage | undefined {
    const taken = this.#taken.get(pool) ?? 0;
    const shortage = bytes > taken ? pool.take(this.#owner, bytes - taken, taken) : undefined;
    if (bytes < taken) pool.give(this.#owner, taken - bytes);
    if (shortage === undefined) this.#taken.set(pool, bytes);
    return shortage;
  }
}
