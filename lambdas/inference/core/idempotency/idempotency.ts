/**
 * Idempotency of paid calls. A first call claims its key before anything is held; a repeated one replays its answer
 * or waits for it. The answer is kept before the call settles, so that no crash leaves a call that was billed but
 * cannot be replayed.
 */
import { createHash, createHmac } from 'node:crypto';
import { credentialOf, type VerifiedKey } from '../../../access/core/api-key.ts';
import type { KeyGate } from '../../../access/core/key-gate.ts';
import type { Call } from '../../../ledger/core/call.ts';
import type { ReplayMarks } from '../../../ledger/core/ports.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { After, CallContext, Clock, Log } from '../../../platform/core/ports.ts';
import type { KeptAnswer, ReplayClaim, ReplayStore, StoredClaim } from './ports.ts';

/** Interface, Limits: idempotency retention. */
const RETENTION_SECONDS = 24 * 60 * 60;

/**
 * Milliseconds for which a duplicate waits for the first call. This is longer than most calls take and shorter than
 * most clients wait.
 */
const WAIT_MS = 25_000;

/** Each look costs one read; a duplicate of a running call is rare. */
const POLL_MS = 200;

/** Milliseconds after the deadline of its host until a call counts as dead. */
const LEASE_MARGIN_MS = 10_000;

/** The maximum time for which a replay waits for its mark, in milliseconds. */
const MARK_MS = 500;

const FORM = /^[\x21-\x7e]{1,255}$/;
const PARAM = 'Idempotency-Key';

export interface IdempotencyDependencies {
  readonly store: ReplayStore;
  readonly marks: ReplayMarks;
  readonly gate: KeyGate;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
}

/** The request of a call, and the time that its host has. */
export interface IncomingCall {
  readonly request: Request;
  readonly context: CallContext;
}

/** The parts of a call that its repetition has too. */
type RepeatableCall = Pick<Call, 'requestId' | 'key'> & {
  /** Distinguishes the request from any other of its path. */
  readonly identity: string;
  readonly stream: boolean;
};

/** A call whose answer is here, and what is left of its key's limits. */
interface Finished {
  readonly done: StoredClaim;
  readonly headers: Record<string, string>;
}

/** Stores the answer for replay; to be awaited before the call settles. */
export type Keep = (answer: KeptAnswer) => Promise<void>;

export class Idempotency {
  readonly #dependencies: IdempotencyDependencies;

  constructor(dependencies: IdempotencyDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs the call once per key, or replays it. Throws 400 for a malformed key, a key with another request and a
   * streamed call's key, 503 when the first call is still running after the wait. A call that fails frees its key, unless
   * its answer is kept: then it may have been billed, and a repetition replays it.
   */
  async guard<Streamed extends object = never>(
    received: IncomingCall,
    call: RepeatableCall,
    run: (keep?: Keep) => Promise<Response | Streamed>,
  ): Promise<Response | Streamed> {
    const { headers } = received.request;
    const name = headers.get(PARAM);
    if (name === null) return run();
    if (!FORM.test(name)) {
      throw new ServiceError('invalid_value', `${PARAM} must be 1 to 255 visible ASCII characters.`, {
        param: PARAM,
      });
    }
    // The replay's encryption is derived from it.
    const credential = credentialOf(headers);
    const claim = this.#claimOf(received, call, { name, credential });
    const found = await this.#claim(claim, call, received.context);
    if (found !== 'claimed') return this.#replay(found, call.key, credential);
    const { store } = this.#dependencies;
    const keep: Keep = (answer) => store.keep(claim, credential, answer);
    try {
      return await run(call.stream ? undefined : keep);
    } catch (failure) {
      await this.#free(claim);
      throw failure;
    }
  }

  /**
   * Returns whether a call of this key already has the request's `Idempotency-Key`. It only reads and claims nothing.
   */
  async isClaimed(request: Request, key: VerifiedKey): Promise<boolean> {
    const name = request.headers.get(PARAM);
    if (name === null || !FORM.test(name)) return false;
    const { store, clock } = this.#dependencies;
    return (await store.find(claimId(key, name), clock())) !== undefined;
  }

  #claimOf(
    { request, context }: IncomingCall,
    { requestId, key, identity, stream }: RepeatableCall,
    { name, credential }: { readonly name: string; readonly credential: string },
  ): ReplayClaim {
    const nowMs = this.#dependencies.clock();
    const { pathname } = new URL(request.url);
    return {
      id: claimId(key, name),
      // Keyed, so that the hash of a short prompt does not give the prompt away.
      requestHash: createHmac('sha256', credential).update(`${pathname}\n${identity}`).digest('hex'),
      requestId,
      stream,
      leaseMs: nowMs + context.remainingTimeMs() + LEASE_MARGIN_MS,
      expires: Math.floor(nowMs / 1000) + RETENTION_SECONDS,
    };
  }

  /** Claims the key, or returns the finished call that has it, waiting for it if need be. */
  async #claim(
    claim: ReplayClaim,
    { key }: RepeatableCall,
    { remainingTimeMs }: CallContext,
  ): Promise<'claimed' | Finished> {
    const { store, gate, clock } = this.#dependencies;
    const untilMs = clock() + Math.min(WAIT_MS, Math.max(0, remainingTimeMs() - LEASE_MARGIN_MS));
    let headers: Record<string, string> | undefined;
    for (;;) {
      const found = await store.claim(claim, clock());
      if (found === 'claimed') return 'claimed';
      // A duplicate runs no call, so nothing else checks whether its key is active and within its rate.
      headers ??= (await gate.touch(key)).headers;
      requireSame(found, claim, headers);
      let state: StoredClaim | undefined = found;
      while (state !== undefined && !state.done) {
        if (clock() >= untilMs) throw inProgress(headers);
        await this.#pause(POLL_MS);
        state = await store.find(claim.id, clock());
        if (state !== undefined && state.leaseMs < clock() && !state.done) break;
      }
      if (state?.done) {
        requireSame(state, claim, headers);
        return { done: state, headers };
      }
    }
  }

  async #replay({ done, headers: limits }: Finished, { keyId }: VerifiedKey, credential: string) {
    const answer = this.#dependencies.store.open(done, credential);
    const [{ body, headers }] = await Promise.all([answer, this.#mark(keyId, done.requestId)]);
    return new Response(body, { headers: { ...headers, ...limits, 'idempotent-replayed': 'true' } });
  }

  /** A mark that is late or lost takes nothing from the replay. */
  async #mark(keyId: string, requestId: string): Promise<void> {
    const { marks, clock, log } = this.#dependencies;
    const marking = marks.mark({ keyId, requestId }, Math.floor(clock() / 1000)).catch((failure: unknown) => {
      log.warn('replay not marked', { requestId, failure: String(failure) });
    });
    await Promise.race([marking, this.#pause(MARK_MS)]);
  }

  async #free(claim: ReplayClaim): Promise<void> {
    try {
      await this.#dependencies.store.free(claim);
    } catch (failure) {
      // The claim's lease ends by itself.
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

function requireSame(found: StoredClaim, claim: ReplayClaim, headers: Record<string, string>): void {
  if (found.requestHash !== claim.requestHash) {
    const message = `This ${PARAM} was used with another request.`;
    throw new ServiceError('idempotency_key_reused', message, { param: PARAM, headers });
  }
  if (found.stream) {
    const message = `This ${PARAM} was used by a streamed call, which cannot be replayed.`;
    throw new ServiceError('idempotency_key_reused', message, { param: PARAM, headers });
  }
}

function inProgress(headers: Record<string, string>): ServiceError {
  const message = 'The first request with this key is still running.';
  const retryAfterSeconds = Math.ceil(WAIT_MS / 1000);
  return new ServiceError('idempotent_request_in_progress', message, { retryAfterSeconds, headers });
}
