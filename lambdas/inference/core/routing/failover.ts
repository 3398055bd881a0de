/** Failover: a call's candidates in order, each tried once, until one of them answers. */

import type { Admission } from '../../../ledger/core/admission.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Log } from '../../../platform/core/ports.ts';
import type { PaidCall } from '../call.ts';
import type { Candidate } from '../catalog/catalog-document.ts';
import type { Breaker, OpenPermit, Permit } from '../circuit/breaker.ts';
import { coolingSeconds } from '../circuit/circuit.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import { FILTERED_MESSAGE, overflowMessage } from '../upstream/refusal.ts';
import { isSilenceOver, routeTimeOf, type TimeLeft } from '../upstream/route-clock.ts';

export interface FailoverDependencies {
  readonly breaker: Breaker;
  readonly log: Log;
}

/** A call since its admission. */
export interface FailoverCall {
  readonly admission: Pick<Admission, 'output' | 'spent' | 'observe'>;
  /** Returns the remaining time of the host and of the caller. */
  readonly timeLeft: () => TimeLeft;
}

type TriedCall<Answer> = Pick<PaidCall<Answer>, 'requestId' | 'key' | 'candidates' | 'attempt'>;

/** An answer that has begun, and who gave it; if it breaks off, report that to the breaker with `served`. */
export interface RouteAnswer<Answer> {
  readonly answer: Answer;
  readonly candidate: Candidate;
  readonly served: OpenPermit;
}

/**
 * The first answer; routes whose circuit is open are passed over. Throws `ServiceError`: 400 when a route refused the
 * call as invalid, 503 when no candidate is left or no time is; any other failure of an attempt as it is.
 */
export async function firstAnswer<Answer>(
  dependencies: FailoverDependencies,
  call: TriedCall<Answer>,
  { admission, timeLeft }: FailoverCall,
): Promise<RouteAnswer<Answer>> {
  const { breaker } = dependencies;
  const caller = { accountId: call.key.accountId, spent: admission.spent };
  let retryAfterSeconds: number | undefined;
  for (const candidate of call.candidates) {
    const time = routeTimeOf(timeLeft());
    if (time.remainingTimeMs <= 0 || isSilenceOver(time)) break;
    const pass = await breaker.admit(candidate.route, caller);
    const attempt = () => {
      admission.observe?.('attempt');
      return call.attempt(candidate, time, admission.output);
    };
    const tried = pass.allowed
      ? await tryCandidate(dependencies, { attempt, candidate, requestId: call.requestId }, pass)
      : pass;
    if ('answer' in tried) return tried;
    retryAfterSeconds = Math.min(retryAfterSeconds ?? tried.retryAfterSeconds, tried.retryAfterSeconds);
  }
  throw noAnswer(retryAfterSeconds ?? coolingSeconds(undefined), isSilenceOver(routeTimeOf(timeLeft())));
}

/** Clients that know the header do not repeat a call by themselves that would be too slow for its way again. */
const noAnswer = (retryAfterSeconds: number, isTooSlow: boolean): ServiceError =>
  isTooSlow
    ? new ServiceError('all_routes_failed', TOO_SLOW, {
        retryAfterSeconds,
        headers: { 'x-should-retry': 'false' },
      })
    : new ServiceError('all_routes_failed', NO_ANSWER, { retryAfterSeconds });

const NO_ANSWER = 'No route of this model could serve the call; try again later.';
const TOO_SLOW =
  'No route answered within the time for which this address keeps a silent call open; a stream has more.';

interface RouteTry<Answer> {
  readonly attempt: () => Promise<Answer>;
  readonly candidate: Candidate;
  readonly requestId: string;
}

async function tryCandidate<Answer>(
  { breaker, log }: FailoverDependencies,
  { attempt, candidate, requestId }: RouteTry<Answer>,
  permit: Permit,
): Promise<RouteAnswer<Answer> | { readonly retryAfterSeconds: number }> {
  const { route } = candidate;
  try {
    const answer = await attempt();
    return { answer, candidate, served: breaker.succeeded(permit) };
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) {
      breaker.abandoned(permit);
      throw failure;
    }
    breaker.failed(failure, permit);
    log.warn('route failed', { requestId, route: route.id, reason: failure.message });
    if (!failure.retryable) throw refusedByRoute(failure, candidate);
    return { retryAfterSeconds: coolingSeconds(failure.retryAfterSeconds) };
  }
}

/** The window of the catalog stands in for one that the route does not name. */
function refusedByRoute({ param, refusal }: UpstreamFailure, { model, route }: Candidate): ServiceError {
  const options = param === undefined ? {} : { param };
  const { overflow, filtered, reason = '' } = refusal ?? {};
  if (filtered) return new ServiceError('content_filter', FILTERED_MESSAGE);
  if (overflow !== undefined) {
    const message = overflowMessage({ ...overflow, window: overflow.window ?? model.context_window });
    return new ServiceError('context_length_exceeded', message, options);
  }
  const said = reason
    .split(' ')
    .map((word) => (word === route.upstream_model ? model.id : word))
    .join(' ');
  return new ServiceError('invalid_value', `${REFUSED}${said === '' ? '.' : `: ${said}`}`, options);
}

const REFUSED = 'The route that serves this model refused the request as invalid';
