/**
 * The steps of every paid endpoint, from top to bottom: a request is validated, admitted by the ledger, attempted on
 * its routes, delivered and settled. Authentication, the key's limits, idempotency and the hold are handled in this
 * file only.
 */
import { authenticate, type Peppers, type VerifiedKey } from '../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../access/core/keys/key-gate.ts';
import type { Ledger } from '../../ledger/core/admission.ts';
import type { Admission } from '../../ledger/core/call.ts';
import { CreditShortage } from '../../ledger/core/credit-shortage.ts';
import type { KeyCheck } from '../../ledger/core/key-check.ts';
import { type CallOutcome, type UsageRecord, unitOf } from '../../ledger/core/usage-record.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import { formatUsd, type NanoUsd } from '../../platform/core/money.ts';
import type {
  After,
  CallContext,
  Clock,
  EventFormat,
  HttpRequest,
  Log,
  StreamedResponse,
  StreamingEndpoint,
  TextResponse,
} from '../../platform/core/ports.ts';
import type { StageCheck } from '../../platform/core/stage-check.ts';
import { validTraceparent } from '../../platform/core/trace-context.ts';
import { within } from '../../platform/core/within.ts';
import type { Deliver, PaidCall, UnsettledCall } from './call.ts';
import type { CatalogSource } from './catalog/catalog.ts';
import type { CatalogRoute } from './catalog/catalog-document.ts';
import type { Breaker } from './circuit/breaker.ts';
import type { Idempotency, ResponseRecorder } from './idempotency/idempotency.ts';
import { isPaid } from './metering/priced-usage.ts';
import { reportedCall, reportedLedger } from './reported-call.ts';
import { attemptCandidates } from './routing/failover.ts';
import type { UpstreamFailure } from './upstream/provider.ts';
import { type TimeLeft, timeFrom } from './upstream/route-clock.ts';

/**
 * The maximum time after admission for which a stream's status stays open for failover before its first content. Then
 * the headers are sent, and the caller can detect that the call is alive.
 */
const HEADERS_WITHIN_MS = 5_000;

export interface PaidEndpointDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
  readonly keyCheck: Pick<KeyCheck, 'checkKind'>;
  readonly catalog: CatalogSource;
  readonly idempotency: Idempotency;
  readonly ledger: Pick<Ledger, 'admit'>;
  /** Receives each rejection for lack of credit. Never throws. */
  readonly onExhausted?: ((accountId: string, shortage: CreditShortage) => Promise<void>) | undefined;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
  /**
   * Fires when the server ends its open calls. A function, which handles one call at a time, has only its time limit.
   */
  readonly hostEnds?: AbortSignal | undefined;
  readonly mayServe?: Pick<StageCheck, 'prepare' | 'check'> | undefined;
}

/** The reader of one kind of call. */
export interface PaidCallReader<Result> {
  readonly kind: Kind;
  /** True if the key is checked before the body is read, on every host and for every size. */
  readonly checksFirst?: boolean;
  /** Reads the request. Throws `ServiceError` for everything that can be wrong before it is paid for. */
  read(request: HttpRequest, context: CallContext, key: VerifiedKey): Promise<PaidCall<Result>>;
}

/**
 * Creates a paid endpoint. Throws `ServiceError` for every error before a response has started. No hold remains then.
 */
export function createPaidEndpoint<Result>(
  reader: PaidCallReader<Result>,
  dependencies: PaidEndpointDependencies,
): StreamingEndpoint {
  const { peppers, gate, keyCheck, catalog, idempotency, mayServe, onExhausted } = dependencies;
  const { kind } = reader;

  async function respond(request: HttpRequest, context: CallContext, key: VerifiedKey) {
    const needsCredit = context.body?.claim(key.accountId) ?? false;
    if (reader.checksFirst || context.body?.isLarge || needsCredit) {
      const { models } = await catalog();
      // A call that has been paid for may be replayed with nothing left.
      const isReplay = () => idempotency.isClaimed(request, key);
      const check = { kind, isPaid: isPaid(models, kind), needsCredit, isReplay };
      if (await keyCheck.checkKind(key, check)) context.body?.prove();
    }
    const call = await gate.checked(key, () => reader.read(request, context, key));
    const ledger = reportedLedger(dependencies.ledger, context);
    const timeLeft = timeFrom(context, dependencies.clock, call.events);
    const traceparent = validTraceparent(request.headers.get('traceparent'));
    try {
      return await idempotency.guard({ request, context }, call, (storeResponse) =>
        runPaidCall(
          { ...dependencies, ledger },
          reportedCall({ ...call, traceparent }, context),
          timeLeft,
          storeResponse,
        ),
      );
    } finally {
      await call.dispose?.();
    }
  }

  return async (request, context) => {
    // A closed service rejects the call here. An old view is read again while the request is read.
    const [keyPeppers] = await Promise.all([peppers(), mayServe?.prepare()]);
    const key = authenticate(request.headers, keyPeppers);
    try {
      return await respond(request, context, key);
    } catch (failure) {
      if (failure instanceof ServiceError && failure.cause instanceof CreditShortage)
        await onExhausted?.(key.accountId, failure.cause);
      throw failure;
    }
  };
}

/** The dependencies of a paid call. */
export type PaidCallDependencies = Pick<
  PaidEndpointDependencies,
  'ledger' | 'breaker' | 'after' | 'log' | 'mayServe'
>;

/**
 * Resolves with the response. Throws `ServiceError`: 401, 403, 429, 402 from admission, 400 if a route rejected the
 * call as invalid, 503 if every candidate failed or the service is closed.
 */
export async function runPaidCall<Result>(
  dependencies: PaidCallDependencies,
  call: PaidCall<Result>,
  timeLeft: () => TimeLeft,
  storeResponse?: ResponseRecorder,
): Promise<TextResponse | StreamedResponse> {
  const { ledger, breaker, after, mayServe } = dependencies;
  const { key, candidates, events } = call;
  const routes = candidates.map(({ route }) => route);
  const ready = Promise.all([mayServe?.check('change'), breaker.refresh(routes, key.accountId)]);
  ready.catch(() => {});
  const admitted = await ledger.admit(call);
  const admission = { ...admitted, headers: { ...admitted.headers, ...call.headers } };
  const response = attemptAndDeliver(dependencies, call, {
    admission,
    ready,
    timeLeft,
    storeResponse,
  });
  return events === undefined ? response : withHeadersSoon(response, { events, admission, after });
}

interface AttemptOptions {
  readonly admission: Admission;
  /**
   * Resolves if the process may serve and the breaker has refreshed the circuits. Both run concurrently with the
   * admission.
   */
  readonly ready: Promise<unknown>;
  readonly timeLeft: () => TimeLeft;
  readonly storeResponse: ResponseRecorder | undefined;
}

/** Attempts the routes and delivers the first response. A call without a response is released and costs nothing. */
async function attemptAndDeliver<Result>(
  { breaker, log }: PaidCallDependencies,
  call: PaidCall<Result>,
  { admission, ready, timeLeft, storeResponse }: AttemptOptions,
): Promise<TextResponse | StreamedResponse> {
  const flush = () => breaker.flush();
  let deliver: Deliver;
  try {
    await ready;
    const { result, candidate, permit } = await attemptCandidates({ breaker, log }, call, {
      admission,
      timeLeft,
    });
    const broke = (failure: UpstreamFailure) => breaker.broke(failure, permit);
    deliver = await call.prepare(result, { candidate, admission, storeResponse, broke, flush });
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
  amount: 0n,
  estimated: false,
  route: null,
  status: 'failed',
  tokens: 0,
});

/**
 * Responds with the right status if the first content or a failure arrives soon. Otherwise responds with headers and a
 * heartbeat.
 */
async function withHeadersSoon(
  response: Promise<TextResponse | StreamedResponse>,
  options: { readonly events: EventFormat; readonly admission: Admission; readonly after: After },
): Promise<TextResponse | StreamedResponse> {
  const { events, admission, after } = options;
  const early = await within(after, HEADERS_WITHIN_MS, response);
  if (early !== undefined) return early;
  const leave = () => {
    response.then((late) => ('body' in late ? late.leave?.() : undefined)).catch(() => {});
  };
  return { headers: admission.headers, body: bodyOf(response), events, opening: events.heartbeat, leave };
}

async function* bodyOf(
  response: Promise<TextResponse | StreamedResponse>,
): AsyncGenerator<string | Uint8Array, void> {
  const streamed = await response;
  if (!('body' in streamed)) throw new Error('a call that requests a stream has a complete response');
  yield* streamed.body;
}

/** The values of a settled call that its caller reads in the headers. */
export interface Receipt {
  readonly record: Pick<UsageRecord, 'cost'>;
  /** Undefined when the refund is left to recovery. */
  readonly balance: NanoUsd | undefined;
}

/** The headers that name the route, the cost and what is left. */
function receiptHeaders(
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

const JSON_TYPE = { 'content-type': 'application/json' };

/** Stores a complete response. Returns the function that settles the call and returns the response. */
export async function prepareJson(
  { admission, candidate: { route }, storeResponse, flush }: UnsettledCall,
  { text, headers }: { readonly text: string; readonly headers: PaidCall<unknown>['headers'] },
  settle: () => Promise<Receipt>,
): Promise<Deliver> {
  await storeResponse?.({ body: text, headers: { ...JSON_TYPE, 'x-route': route.id, ...headers } });
  return async () => {
    const [receipt] = await Promise.all([settle(), flush()]);
    return { headers: { ...JSON_TYPE, ...receiptHeaders(admission, route, receipt), ...headers }, text };
  };
}
