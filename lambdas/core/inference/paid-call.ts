/** What every paid call goes through, whatever it sells: hold, try routes until one answers, and be ready to settle. */
import type { VerifiedKey } from '../access/api-key.ts';
import type { Kind } from '../access/policy.ts';
import { ServiceError } from '../errors.ts';
import type { Admission, Ledger } from '../ledger/admission.ts';
import { type Outcome, unitOf } from '../ledger/usage-record.ts';
import type { Log } from '../ports.ts';
import type { Model } from './catalog/catalog-document.ts';
import { type CostBound, coverBoth } from './catalog/price.ts';
import type { Breaker, Served } from './circuit/breaker.ts';
import { firstAnswer } from './routing/failover.ts';
import type { Candidate } from './routing/route-choice.ts';

export interface PaidCallDependencies {
  readonly ledger: Ledger;
  readonly breaker: Breaker;
  readonly log: Log;
}

/** The estimate, the attempt and the preparation of one kind of call. */
export interface PaidCall<Answer, Prepared> {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly kind: Kind;
  /** The routes to try, in this order; at least one. */
  readonly candidates: readonly Candidate[];
  /** What counts against the key's tokens a minute at most. */
  readonly tokens: number;
  /** What the call may cost on a model. */
  costBound(model: Model): CostBound;
  /** One try of one route; throws `UpstreamFailure` when it did not answer. */
  attempt(candidate: Candidate, remainingTimeMs: number): Promise<Answer>;
  /** Makes the answer ready to send. When that fails, the call fails and costs nothing. */
  prepare(answer: Answer, paid: Paid): Promise<Prepared>;
  remainingTimeMs(): number;
}

/** Who answered, and the hold that is yet to be settled. */
export interface Paid {
  readonly candidate: Candidate;
  readonly admission: Admission;
  /** For the breaker, when the answer breaks off after it has begun. */
  readonly served: Served;
}

/**
 * Resolves with an answer that is ready to send and still to be settled. Throws `ServiceError`: 401, 403, 429, 402
 * from admission, 400 when a route refused the call as invalid, 503 when every candidate failed; nothing stays held
 * then.
 */
export async function runPaidCall<Answer, Prepared>(
  { ledger, breaker, log }: PaidCallDependencies,
  call: PaidCall<Answer, Prepared>,
): Promise<Paid & { readonly prepared: Prepared }> {
  const { requestId, key, kind, candidates, tokens } = call;
  const models = [...new Set(candidates.map(({ model }) => model))];
  const looked = breaker.refresh();
  const admission = await ledger.admit({
    requestId,
    key,
    scope: { kind, models: models.map((model) => [model.id, ...model.aliases]) },
    tokens,
    ...models.map((model) => call.costBound(model)).reduce(coverBoth),
  });
  try {
    await looked;
    const { answer, candidate, served } = await firstAnswer({
      requestId,
      accountId: key.accountId,
      candidates,
      attempt: (tried, remainingTimeMs) => call.attempt(tried, remainingTimeMs),
      remainingTimeMs: () => call.remainingTimeMs(),
      breaker,
      log,
    });
    const paid = { candidate, admission, served };
    return { ...paid, prepared: await call.prepare(answer, paid) };
  } catch (failure) {
    const released = admission.settle(failedOutcome(kind, candidates[0]?.model)).catch((cause: unknown) => {
      log.error('release left to recovery', { requestId, failure: String(cause) });
    });
    await Promise.all([released, breaker.flush()]);
    throw failure instanceof ServiceError ? failure.withHeaders(admission.headers) : failure;
  }
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
