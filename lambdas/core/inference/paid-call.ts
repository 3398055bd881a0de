/** What every paid call goes through, whatever it sells: hold, try routes until one answers, deliver and settle. */
import type { VerifiedKey } from '../access/api-key.ts';
import type { Kind } from '../access/policy.ts';
import { ServiceError } from '../errors.ts';
import type { Admission, Ledger } from '../ledger/admission.ts';
import { type Outcome, unitOf } from '../ledger/usage-record.ts';
import type { NanoUsd } from '../money.ts';
import type { Log } from '../ports.ts';
import type { Model } from './catalog-document.ts';
import { firstAnswer } from './failover.ts';
import type { Candidate } from './route-choice.ts';

export interface PaidCallDependencies {
  readonly ledger: Ledger;
  readonly log: Log;
}

/** The estimate, the attempt and the settlement of one kind of call. */
export interface PaidCall<Answer, Delivered> {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly kind: Kind;
  /** The routes to try, in this order; at least one. */
  readonly candidates: readonly Candidate[];
  /** What counts against the key's tokens a minute at most. */
  readonly tokens: number;
  /** What the call costs on a model at most. */
  worstCost(model: Model): NanoUsd;
  /** One try of one route; throws `UpstreamFailure` when it did not answer. */
  attempt(candidate: Candidate, remainingTimeMs: number): Promise<Answer>;
  /** Makes of the answer what the caller gets. It settles the admission, or sees to it that it is settled later. */
  deliver(answer: Answer, candidate: Candidate, admission: Admission): Promise<Delivered>;
  remainingTimeMs(): number;
}

/**
 * Resolves with what is delivered. Throws `ServiceError`: 401, 403, 429, 402 from admission, 400 when a route refused
 * the call as invalid, 503 when every candidate failed; nothing stays held in any case.
 */
export async function runPaidCall<Answer, Delivered>(
  { ledger, log }: PaidCallDependencies,
  call: PaidCall<Answer, Delivered>,
): Promise<Delivered> {
  const { requestId, key, kind, candidates, tokens } = call;
  const models = [...new Set(candidates.map(({ model }) => model))];
  const admission = await ledger.admit({
    requestId,
    key,
    scope: { kind, models: models.map((model) => [model.id, ...model.aliases]) },
    tokens,
    amount: models.map((model) => call.worstCost(model)).reduce(max, 0n),
  });
  try {
    const [answer, candidate] = await firstAnswer({
      requestId,
      candidates,
      attempt: (tried, remainingTimeMs) => call.attempt(tried, remainingTimeMs),
      remainingTimeMs: () => call.remainingTimeMs(),
      log,
    });
    return await call.deliver(answer, candidate, admission);
  } catch (failure) {
    await admission.settle(failedOutcome(kind, candidates[0]?.model)).catch((cause: unknown) => {
      log.error('release left to recovery', { requestId, failure: String(cause) });
    });
    throw failure instanceof ServiceError ? failure.withHeaders(admission.headers) : failure;
  }
}

const max = (a: NanoUsd, b: NanoUsd): NanoUsd => (a > b ? a : b);

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
