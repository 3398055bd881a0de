/**
 * The store of answers for replay, with one row per idempotency key. The content of a row is readable only with the
 * caller's API key.
 */

/** The record that a first call writes before anything else happens. */
export interface ReplayClaim {
  /** Derived from the API key's id and the idempotency key. */
  readonly id: string;
  /** Keyed hash of path and body. */
  readonly requestHash: string;
  /** The call that holds the claim. */
  readonly requestId: string;
  /** A streamed call's claim is never replayed and never taken over. */
  readonly stream: boolean;
  /** Milliseconds since the epoch; a call that has not finished by then is dead, and another may take its claim. */
  readonly leaseMs: number;
  /** Seconds since the epoch; from then on the claim counts as absent. */
  readonly expires: number;
}

export interface StoredClaim extends ReplayClaim {
  /** True if the answer is stored. */
  readonly done: boolean;
}

/** An answer as it is replayed. */
export interface KeptAnswer {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReplayStore {
  /** Writes the claim if there is none, only an expired one, or one whose call is dead; else returns that one. */
  claim(claim: ReplayClaim, nowMs: number): Promise<'claimed' | StoredClaim>;
  find(id: string, nowMs: number): Promise<StoredClaim | undefined>;
  /** Stores the answer of the call that holds the claim; throws when it no longer does. */
  keep(claim: ReplayClaim, credential: string, answer: KeptAnswer): Promise<void>;
  /** The answer of a finished call. Throws when it cannot be read. */
  open(found: StoredClaim, credential: string): Promise<KeptAnswer>;
  /** Ends the claim of a call that failed; another call's claim stays, and so does one whose answer is kept. */
  free(claim: ReplayClaim): Promise<void>;
}
