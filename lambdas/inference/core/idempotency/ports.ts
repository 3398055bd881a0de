/**
 * The store of responses for replay, with one row per idempotency key. The content of a row is readable only with the
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
  /** True if the response is stored. */
  readonly isDone: boolean;
}

/** A stored response, as it is replayed. */
export interface StoredResponse {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReplayStore {
  /** Writes the claim if there is none, only an expired one, or one whose call is dead; else returns that one. */
  claim(claim: ReplayClaim, nowMs: number): Promise<'claimed' | StoredClaim>;
  read(id: string, nowMs: number): Promise<StoredClaim | undefined>;
  /** Stores the response of the call that holds the claim. Throws if the call no longer holds it. */
  storeResponse(claim: ReplayClaim, credential: string, response: StoredResponse): Promise<void>;
  /** Decrypts the response of a finished call. Throws if it cannot be read. */
  open(storedClaim: StoredClaim, credential: string): Promise<StoredResponse>;
  /** Ends the claim of a failed call. The claim of another call stays, and so does one whose response is stored. */
  free(claim: ReplayClaim): Promise<void>;
}
