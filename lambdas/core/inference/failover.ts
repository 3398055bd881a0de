/** Failover: a call's candidates in order, each tried once, until one of them answers. */
import { ServiceError } from '../errors.ts';
import type { Log } from '../ports.ts';
import { UpstreamFailure } from './provider.ts';
import type { Candidate } from './route-choice.ts';

/**
 * What is left of the host's time when the upstream is cut off: enough for an error event, two rounds of database
 * calls with the SDK's retries, and the last bytes.
 */
const SETTLE_MARGIN_MS = 15_000;

/** Sent as Retry-After when no route said anything better. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

export interface FailoverOptions<Answer> {
  readonly requestId: string;
  /** The routes to try, in this order. */
  readonly candidates: readonly Candidate[];
  /** One try; throws `UpstreamFailure` when the route did not answer. */
  attempt(candidate: Candidate, remainingTimeMs: number): Promise<Answer>;
  /** Milliseconds until the host ends the call. */
  remainingTimeMs(): number;
  readonly log: Log;
}

/**
 * The first answer, and who gave it. Throws `ServiceError`: 400 when a route refused the call as invalid, 503 when
 * every candidate failed or no time is left; any other failure of an attempt as it is.
 */
export async function firstAnswer<Answer>(
  options: FailoverOptions<Answer>,
): Promise<readonly [Answer, Candidate]> {
  const { requestId, candidates, attempt, log } = options;
  let retryAfterSeconds = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const remainingTimeMs = options.remainingTimeMs() - SETTLE_MARGIN_MS;
    if (remainingTimeMs <= 0) break;
    try {
      return [await attempt(candidate, remainingTimeMs), candidate];
    } catch (failure) {
      if (!(failure instanceof UpstreamFailure)) throw failure;
      log.warn('route failed', { requestId, route: candidate.route.id, reason: failure.message });
      if (!failure.retryable) throw refusedByRoute(failure);
      retryAfterSeconds = Math.min(
        retryAfterSeconds,
        failure.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS,
      );
    }
  }
  throw new ServiceError(
    'all_routes_failed',
    'No route of this model could serve the call; try again later.',
    {
      retryAfterSeconds: Number.isFinite(retryAfterSeconds) ? retryAfterSeconds : DEFAULT_RETRY_AFTER_SECONDS,
    },
  );
}

function refusedByRoute({ param }: UpstreamFailure): ServiceError {
  return new ServiceError(
    'invalid_value',
    'The route that serves this model refused the request as invalid.',
    {
      ...(param === undefined ? {} : { param }),
    },
  );
}
