/**
 * The frame of every paid endpoint, top to bottom: a request is checked, admitted by the ledger, attempted on its routes,
 * delivered and settled. Authentication, the key's limits, idempotency and the hold stand here and nowhere else.
 */
import { authenticate, type Peppers, type VerifiedKey } from '../../access/core/api-key.ts';
import type { KeyGate } from '../../access/core/key-gate.ts';
import type { Admission, Ledger } from '../../ledger/core/admission.ts';
import { type CallOutcome, type UsageRecord, unitOf } from '../../ledger/core/usage-record.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { formatUsd, type NanoUsd } from '../../platform/core/money.ts';
import type {
  After,
  CallContext,
  Clock,
  EventFormat,
  Log,
  StreamedAnswer,
  StreamingEndpoint,
} from '../../platform/core/ports.ts';
import type { Deliver, PaidCall } from './call.ts';
import type { CatalogRoute } from './catalog/catalog-document.ts';
import type { Breaker } from './circuit/breaker.ts';
import type { Idempotency, Keep } from './idempotency/idempotency.ts';
import { firstAnswer } from './routing/failover.ts';
import type { UpstreamFailure } from './upstream/provider.ts';
import { type TimeLeft, timeFrom } from './upstream/route-clock.ts';

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
  /** Fires when the server ends its open calls. A function, which serves one call at a time, has only its time limit. */
  readonly hostEnds?: AbortSignal | undefined;
}

/** The reader of one kind of call. */
export interface PaidCallReader<Answer> {
  /** Checks a request before its body is read. Throws `ServiceError`. */
  precheck?(request: Request, key: VerifiedKey): Promise<void>;
  /** Reads the request. Throws `ServiceError` for everything that can be wrong before it is paid for. */
  read(request: Request, context: CallContext, key: VerifiedKey): Promise<PaidCall<Answer>>;
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
    const timeLeft = timeFrom(context, dependencies.clock, call.events);
    try {
      return await idempotency.guard({ request, context }, call, (keep) =>
        runPaidCall(dependencies, call, timeLeft, keep),
      );
    } finally {
      await call.dispose?.();
    }
  };
}

/** The dependencies of a paid call. */
export type PaidCallDependencies = Pick<PaidEndpointDependencies, 'ledger' | 'breaker' | 'after' | 'log'>;

/**
 * Resolves with the answer. Throws `ServiceError`: 401, 403, 429, 402 from admission, 400 when a route refused the call as
 * invalid, 503 when every candidate failed.
 */
export async function runPaidCall<Answer>(
  dependencies: PaidCallDependencies,
  call: PaidCall<Answer>,
  timeLeft: () => TimeLeft,
  keep?: Keep,
): Promise<Response | StreamedAnswer> {
  const { ledger, breaker, after } = dependencies;
  const { key, candidates, events } = call;
  const circuitsReady = breaker.refresh(
    candidates.map(({ route }) => route),
    key.accountId,
  );
  const admitted = await ledger.admit(call);
  const admission = { ...admitted, headers: { ...admitted.headers, ...call.headers } };
  const answer = answerAdmitted(dependencies, call, { admission, circuitsReady, timeLeft, keep });
  return events === undefined ? answer : withHeadersSoon(answer, { events, admission, after });
}

interface Admitted {
  readonly admission: Admission;
  /** The breaker's look at the circuits, which began beside the admission. */
  readonly circuitsReady: Promise<void>;
  readonly timeLeft: () => TimeLeft;
  readonly keep: Keep | undefined;
}

/** Tries the routes and delivers the first answer; a call without one is released and costs nothing. */
async function answerAdmitted<Answer>(
  { breaker, log }: PaidCallDependencies,
  call: PaidCall<Answer>,
  { admission, circuitsReady, timeLeft, keep }: Admitted,
): Promise<Response | StreamedAnswer> {
  const flush = () => breaker.flush();
  let deliver: Deliver;
  try {
    await circuitsReady;
    const { answer, candidate, served } = await firstAnswer({ breaker, log }, call, { admission, timeLeft });
    const broke = (failure: UpstreamFailure) => breaker.broke(failure, served);
    deliver = await call.prepare(answer, { candidate, admission, keep, broke, flush });
  } catch (failure) {
    const released = admission.settle(failedOutcome(call)).catch((cause: unknown) => {
      log.error('release left to recovery', { requestId: call.requestId, failure: String(cause) });
    });
    await Promise.all([released, flush()]);
    throw failure instanceof ServiceError ? failure.withHeaders(admission.headers) : failure;
  }
  return deliver();
}

/** A call that delivered nothing and costs nothing. */
const failedOutcome = ({
  scope,
  candidates,
}: Pick<PaidCall<unknown>, 'scope' | 'candidates'>): CallOutcome => ({
  model: candidates[0]?.model.id ?? null,
  inputUnits: 0,
  cachedUnits: 0,
  outputUnits: 0,
  unit: unitOf(scope.kind),
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

/** The values of a settled call that its caller reads in the headers. */
export interface Receipt {
  readonly record: Pick<UsageRecord, 'cost'>;
  /** Undefined when the refund is left to recovery. */
  readonly balance: NanoUsd | undefined;
}

/** The headers that name the route, the cost and what is left. */
export function receiptHeaders(
  { headers }: Pick<Admission, 'headers'>,
  { id }: CatalogRoute,
  { record, balance }: Receipt,
): Record<string, string> {
  return {
    ...headers,
    'x-route': id,
    'x-cost-usd': formatUsd(record.cost),
    ...(balance === undefined ? {} : { 'x-balance-usd': formatUsd(balance) }),
  };
}
