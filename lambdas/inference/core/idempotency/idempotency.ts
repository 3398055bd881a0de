/**
 * Idempotency of paid calls. The first call claims its key before the hold is placed. A repeated call replays its
 * response or waits for it. The response is stored before the call settles, and only by the attempt that holds the claim.
 * A crash therefore never leaves a call that was billed but cannot be replayed, and no key is billed twice.
 */
import { createHash, createHmac } from 'node:crypto';
import { credentialOf, type VerifiedKey } from '../../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../../access/core/keys/key-gate.ts';
import type { Call } from '../../../ledger/core/call.ts';
import type { ReplayMarks } from '../../../ledger/core/ports.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type {
  After,
  CallContext,
  Clock,
  HttpRequest,
  Log,
  TextResponse,
} from '../../../platform/core/ports.ts';
import { within } from '../../../platform/core/within.ts';
import { CLAIM_MS, renewClaim } from './claim-renewal.ts';
import type { ReplayClaim, ReplayStore, StoredClaim, StoredResponse } from './ports.ts';
import { inProgress, PARAM, requireSame, WAIT_MS } from './rejections.ts';

/** Interface, Limits: idempotency retention. */
const RETENTION_SECONDS = 24 * 60 * 60;

/** Each check costs one read. A duplicate of a running call is rare. */
const POLL_MS = 200;

/** Milliseconds before the deadline of its host at which a duplicate stops waiting. */
const RESERVE_MS = 10_000;

/** The maximum time that a replay waits for its marker, in milliseconds. */
const MARK_MS = 500;

const FORM = /^[\x21-\x7e]{1,255}$/;

export interface IdempotencyDependencies {
  readonly store: ReplayStore;
  readonly marks: ReplayMarks;
  readonly gate: KeyGate;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
}

/** The parts of a call that its repetition has too. */
type Repeatable = Pick<Call, 'requestId' | 'key'> & {
  /** Distinguishes the request from any other of its path. */
  readonly identity: string;
  readonly stream: boolean;
};

/** A call whose response is available, and the remainder of its key's limits. */
interface CallEnd {
  readonly claim: StoredClaim;
  readonly headers: Record<string, string>;
}

/** Stores the response for replay. Must be awaited before the call settles. */
export type ResponseRecorder = (response: StoredResponse) => Promise<void>;

export class Idempotency {
  readonly #dependencies: IdempotencyDependencies;

  constructor(dependencies: IdempotencyDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs the call once per key, or replays it. Throws 400 for a malformed key, for a key with another request, and for
   * a streamed call's key. Throws 503 if the first call is still running after the wait, or another attempt has taken the
   * claim. A failed call frees its key, unless its response is stored: it may have been billed, so it is replayed.
   */
  async guard<Result>(
    { request, context }: { readonly request: HttpRequest; readonly context: CallContext },
    call: Repeatable,
    run: (storeResponse?: ResponseRecorder) => Promise<Result>,
  ): Promise<Result | TextResponse> {
    const { headers } = request;
    const name = headers.get(PARAM);
    if (name === null) return run();
    if (!FORM.test(name)) {
      throw new ServiceError('invalid_value', `${PARAM} must be 1 to 255 visible ASCII characters.`, {
        param: PARAM,
      });
    }
    // The replay's encryption is derived from it.
    const credential = credentialOf(headers);
    const claim = this.#claimOf(request, call, { name, credential });
    const claimResult = await this.#claim(claim, call, context);
    if (claimResult !== 'claimed') return this.#replay(claimResult, call.key, credential);
    const { store } = this.#dependencies;
    const storeResponse: ResponseRecorder = async (response) => {
      if (!(await store.storeResponse(claim, credential, response))) throw inProgress({});
    };
    const endRenewal = call.stream ? () => {} : renewClaim(this.#dependencies, claim);
    try {
      return await run(call.stream ? undefined : storeResponse);
    } catch (failure) {
      await this.#free(claim);
      throw failure;
    } finally {
      endRenewal();
    }
  }

  /**
   * Returns whether a call of this key already has the request's `Idempotency-Key`. It only reads and claims nothing.
   */
  async isClaimed(request: HttpRequest, key: VerifiedKey): Promise<boolean> {
    const name = request.headers.get(PARAM);
    if (name === null || !FORM.test(name)) return false;
    const { store, clock } = this.#dependencies;
    return (await store.read(claimId(key, name), clock())) !== undefined;
  }

  #claimOf(
    request: HttpRequest,
    { requestId, key, identity, stream }: Repeatable,
    { name, credential }: { readonly name: string; readonly credential: string },
  ): ReplayClaim {
    const { pathname } = new URL(request.url);
    return {
      id: claimId(key, name),
      // Keyed, so that the hash of a short prompt does not give the prompt away.
      requestHash: createHmac('sha256', credential).update(`${pathname}\n${identity}`).digest('hex'),
      requestId,
      stream,
      expires: Math.floor(this.#dependencies.clock() / 1000) + RETENTION_SECONDS,
    };
  }

  /** Claims the key, or returns the finished call that has it, waiting for it if need be. */
  async #claim(
    claim: ReplayClaim,
    { key }: Repeatable,
    { remainingTimeMs }: CallContext,
  ): Promise<'claimed' | CallEnd> {
    const { store, gate, clock } = this.#dependencies;
    const untilMs = clock() + Math.min(WAIT_MS, Math.max(0, remainingTimeMs() - RESERVE_MS));
    let headers: Record<string, string> | undefined;
    for (;;) {
      const nowMs = clock();
      const claimResult = await store.claim(claim, { nowMs, claimedUntilMs: nowMs + CLAIM_MS });
      if (claimResult === 'claimed') return 'claimed';
      // A duplicate runs no call, so nothing else checks whether its key is active and within its rate.
      headers ??= (await gate.touch(key)).headers;
      requireSame(claimResult, claim, headers);
      let state: StoredClaim | undefined = claimResult;
      while (state !== undefined && !state.isDone) {
        if (clock() >= untilMs) throw inProgress(headers);
        await this.#pause(POLL_MS);
        state = await store.read(claim.id, clock());
        if (state !== undefined && state.claimedUntilMs < clock() && !state.isDone) break;
      }
      if (state?.isDone) {
        requireSame(state, claim, headers);
        return { claim: state, headers };
      }
    }
  }

  async #replay(
    { claim, headers: limits }: CallEnd,
    { keyId }: VerifiedKey,
    credential: string,
  ): Promise<TextResponse> {
    const response = this.#dependencies.store.open(claim, credential);
    const [{ body, headers }] = await Promise.all([response, this.#mark(keyId, claim.requestId)]);
    const replayed = { 'idempotent-replayed': 'true', 'x-cost-usd': '0' };
    return { headers: { ...headers, ...limits, ...replayed }, text: body };
  }

  /** Marks the call as replayed. A late or lost marker does not affect the replay. */
  async #mark(keyId: string, requestId: string): Promise<void> {
    const { marks, clock, after, log } = this.#dependencies;
    const marking = marks
      .markReplay({ keyId, requestId }, Math.floor(clock() / 1000))
      .catch((failure: unknown) => {
        log.warn('replay not marked', { requestId, failure: String(failure) });
      });
    await within(after, MARK_MS, marking);
  }

  async #free(claim: ReplayClaim): Promise<void> {
    try {
      await this.#dependencies.store.free(claim);
    } catch (failure) {
      // The claim ends by itself.
      this.#dependencies.log.warn('claim not freed', {
        requestId: claim.requestId,
        failure: String(failure),
      });
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#dependencies.after(ms, resolve);
    });
  }
}

const claimId = ({ keyId }: VerifiedKey, name: string): string =>
  createHash('sha256').update(`${keyId}\n${name}`).digest('hex');
