/**
 * The frame of every paid endpoint, top to bottom: a request is checked, admitted by the ledger, attempted on its routes,
 * delivered and settled. Authentication, the key's limits, idempotency and the hold stand here and nowhere else.
 */
import { authenticate, type Peppers, type VerifiedKey } from '../access/api-key.ts';
import type { Kind } from '../access/policy.ts';
import { ServiceError } from '../errors.ts';
import type { Idempotency, Keep } from '../idempotency/idempotency.ts';
import type { Admission, Ledger } from '../ledger/admission.ts';
import type { OutputRange } from '../ledger/call.ts';
import type { KeyGate } from '../ledger/key-gate.ts';
import { type Outcome, unitOf } from '../ledger/usage-record.ts';
import type { NanoUsd } from '../money.ts';
import type {
  After,
  CallContext,
  Clock,
  EventFormat,
  Log,
  StreamedAnswer,
  StreamingEndpoint,
} from '../ports.ts';
import type { Model } from './catalog/catalog-document.ts';
import type { Breaker } from './circuit/breaker.ts';
import type { Candidate } from './routing/candidate.ts';
import { firstAnswer } from './routing/failover.ts';
import type { UpstreamFailure } from './upstream/provider.ts';
import { type TimeLeft, timeFrom } from './upstream/time-left.ts';

/**
 * From its admission on, a stream's status stays open for failover until its first content, but not longer than this:
 * then the headers leave and the caller sees that the call is alive.
 */
const HEADERS_WITHIN_MS = 5_000;

export interface PaidEndpointDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
  readonly idempotency: Idempotency;
  readonly ledger: Ledger;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
  /** Fires when the host ends the calls that are open; a host that serves one call at a time has their time alone. */
  readonly hostEnds?: AbortSignal | undefined;
}

/** How one kind of call is read. */
export interface PaidCallReader<Answer> {
  /** What can be said before the request's body is read. Throws `ServiceError`. */
  precheck?(request: Request, key: VerifiedKey): Promise<void>;
  /** Reads the request. Throws `ServiceError` for everything that can be wrong before it is paid for. */
  read(request: Request, context: CallContext, key: VerifiedKey): Promise<PaidCall<Answer>>;
}

/** A checked request: what its hold, its routes and its answer need. */
export interface PaidCall<Answer> {
  readonly kind: Kind;
  /** Distinguishes the request from any other of its path. */
  readonly identity: string;
  /** No copy of a streamed answer is kept for replay. */
  readonly stream: boolean;
  /** Set when the answer is a stream of events, whose headers may leave before its first event. */
  readonly events?: EventFormat | undefined;
  /** The routes to try, in this order; at least one. */
  readonly candidates: readonly Candidate[];
  /** Headers of every answer from the admission on, a stream's too. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The output that it may be admitted with, tokens of each choice. */
  readonly output: OutputRange;
  /** What counts against the key's tokens a minute at most, with that output. */
  tokens(output: number): number;
  /** The most that the call can cost with that output, on any of its candidates. */
  cost(output: number): NanoUsd;
  /** One try of one route with that output; throws `UpstreamFailure` when it did not answer. */
  attempt(candidate: Candidate, time: TimeLeft, output: number): Promise<Answer>;
  /** Makes the answer ready to send. When that fails, the call fails and costs nothing. */
  prepare(answer: Answer, paid: AnsweredCall): Promise<Deliver>;
  /** Frees what the request holds; called once the answer has begun. */
  dispose?(): Promise<void>;
}

/** Settles a prepared answer and sends it; a streamed one settles when it ends. */
export type Deliver = () => Promise<Response | StreamedAnswer>;

/** A call that a route has answered, with its hold that is yet to be settled. */
export interface AnsweredCall {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly candidate: Candidate;
  readonly admission: Admission;
  /** Puts the whole answer aside for replay; to be awaited before the call settles. */
  readonly keep: Keep | undefined;
  /** Reports to the breaker that the answer broke off after it had begun. */
  broke(failure: UpstreamFailure): void;
  /** Waits until the breaker has stored what it knows; does not throw. */
  flush(): Promise<void>;
}

/** Throws `ServiceError` for everything that is wrong before an answer has begun; nothing stays held then. */
export function createPaidEndpoint<Answer>(
  reader: PaidCallReader<Answer>,
  dependencies: PaidEndpointDependencies,
): StreamingEndpoint {
  const { peppers, gate, idempotency } = dependencies;
  return async (request, context) => {
    const key = authenticate(request.headers, await peppers());
    await reader.precheck?.(request, key);
    const call = await gate.checked(key, () => reader.read(request, context, key));
    const { identity, stream } = call;
    const timeLeft = timeFrom(context, dependencies.clock, call.events);
    try {
      return await idempotency.guard({ request, key, body: identity, stream, context }, (keep) =>
        runPaidCall(dependencies, call, { key, keep, context, timeLeft }),
      );
    } finally {
      await call.dispose?.();
    }
  };
}

/** Who makes a call, and where. */
export interface Caller {
  readonly key: VerifiedKey;
  readonly keep?: Keep | undefined;
  readonly context: Pick<CallContext, 'requestId'>;
  readonly timeLeft: () => TimeLeft;
}

/** What a call that is paid for needs. */
export type PaidCallDependencies = Pick<PaidEndpointDependencies, 'ledger' | 'breaker' | 'after' | 'log'>;

/**
 * Resolves with the answer. Throws `ServiceError`: 401, 403, 429, 402 from admission, 400 when a route refused the call as
 * invalid, 503 when every candidate failed.
 */
export async function runPaidCall<Answer>(
  dependencies: PaidCallDependencies,
  call: PaidCall<Answer>,
  caller: Caller,
): Promise<Response | StreamedAnswer> {
  const { ledger, breaker, after } = dependencies;
  const { kind, candidates, events } = call;
  const { key, context } = caller;
  const models = [...new Set(candidates.map(({ model }) => model))];
  const looked = breaker.refresh(
    candidates.map(({ route }) => route),
    key.accountId,
  );
  const admitted = await ledger.admit({
    requestId: context.requestId,
    key,
    scope: { kind, models: models.map((model) => [model.id, ...model.aliases]) },
    output: call.output,
    tokens: (output) => call.tokens(output),
    cost: (output) => call.cost(output),
  });
  const admission = { ...admitted, headers: { ...admitted.headers, ...call.headers } };
  const answer = answerAdmitted(dependencies, call, { ...caller, admission, looked });
  return events === undefined ? answer : withHeadersSoon(answer, { events, admission, after });
}

interface AdmittedCaller extends Caller {
  readonly admission: Admission;
  /** The breaker's look at the circuits, which began beside the admission. */
  readonly looked: Promise<void>;
}

/** Tries the routes and delivers the first answer; a call without one is released and costs nothing. */
async function answerAdmitted<Answer>(
  { breaker, log }: PaidCallDependencies,
  call: PaidCall<Answer>,
  { key, keep, context, timeLeft, admission, looked }: AdmittedCaller,
): Promise<Response | StreamedAnswer> {
  const { requestId } = context;
  const { kind, candidates } = call;
  const flush = () => breaker.flush();
  let deliver: Deliver;
  try {
    await looked;
    const { answer, candidate, served } = await firstAnswer({
      requestId,
      caller: { accountId: key.accountId, spent: admission.spent },
      candidates,
      attempt: (tried, time) => {
        admission.observe?.('attempt');
        return call.attempt(tried, time, admission.output);
      },
      timeLeft,
      breaker,
      log,
    });
    const broke = (failure: UpstreamFailure) => breaker.broke(failure, served);
    deliver = await call.prepare(answer, { requestId, key, candidate, admission, keep, broke, flush });
  } catch (failure) {
    const released = admission.settle(failedOutcome(kind, candidates[0]?.model)).catch((cause: unknown) => {
      log.error('release left to recovery', { requestId, failure: String(cause) });
    });
    await Promise.all([released, flush()]);
    throw failure instanceof ServiceError ? failure.withHeaders(admission.headers) : failure;
  }
  return deliver();
}

/** A call that delivered nothing and costs nothing. */
const failedOutcome = (kind: Kind, model: Model | undefined): Outcome => ({
  model: model?.id ?? null,
  inputUnits: 0,
  cachedUnits: 0,
  outputUnits: 0,
  unit: unitOf(kind),
  cost: 0n,
  estimated: false,
  route: null,
  status: 'failed',
  tokens: 0,
});

/** Answers with the right status if the first content or a failure comes soon, else with headers and a heartbeat. */
async function withHeadersSoon(
  answer: Promise<Response | StreamedAnswer>,
  options: { readonly events: EventFormat; readonly admission: Admission; readonly after: After },
): Promise<Response | StreamedAnswer> {
  const { events, admission, after } = options;
  let stopWaiting = () => {};
  const patience = new Promise<undefined>((resolve) => {
    stopWaiting = after(HEADERS_WITHIN_MS, () => resolve(undefined));
  });
  const early = await Promise.race([answer, patience]).finally(stopWaiting);
  if (early !== undefined) return early;
  const leave = () => {
    answer.then((late) => (late instanceof Response ? undefined : late.leave?.())).catch(() => {});
  };
  return { headers: admission.headers, chunks: chunksOf(answer), events, opening: events.heartbeat, leave };
}

async function* chunksOf(
  answer: Promise<Response | StreamedAnswer>,
): AsyncGenerator<string | Uint8Array, void> {
  const streamed = await answer;
  if (streamed instanceof Response) throw new Error('a call that asked for a stream was answered whole');
  yield* streamed.chunks;
}
