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
  /** The attempt that holds the claim. Every write of an attempt requires that its id is stored. */
  readonly requestId: string;
  /** A streamed call's claim is never replayed and never taken over. */
  readonly stream: boolean;
  /** Seconds since the epoch; from then on the claim counts as absent. */
  readonly expires: number;
}

export interface StoredClaim extends ReplayClaim {
  /** Milliseconds since the epoch. After it another attempt may take the claim, unless the response is stored. */
  readonly claimedUntilMs: number;
  /** True if the response is stored. */
  readonly isDone: boolean;
}

/** A stored response, as it is replayed. */
export interface StoredResponse {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReplayStore {
  /** Writes the claim if there is none, only an expired one, or one that has ended; else returns that one. */
  claim(
    claim: ReplayClaim,
    times: { readonly nowMs: number; readonly claimedUntilMs: number },
  ): Promise<'claimed' | StoredClaim>;
  /** Extends the claim. Returns false if the attempt no longer holds the claim, or its response is stored. */
  renew(claim: ReplayClaim, claimedUntilMs: number): Promise<boolean>;
  read(id: string, nowMs: number): Promise<StoredClaim | undefined>;
  /** Stores the response of the attempt. Returns false, and stores nothing, if the attempt no longer holds the claim. */
  storeResponse(claim: ReplayClaim, credential: string, response: StoredResponse): Promise<boolean>;
  /** Decrypts the response of a finished call. Throws if it cannot be read. */
  open(storedClaim: StoredClaim, credential: string): Promise<StoredResponse>;
  /** Ends the claim of a failed call. The claim of another call stays, and so does one whose response is stored. */
  free(claim: ReplayClaim): Promise<void>;
}
