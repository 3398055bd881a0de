/** Failover: attempts a call's candidates in order, each once, until one responds. */

import type { Admission } from '../../../ledger/core/call.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { attemptTraceparent } from '../../../platform/core/trace-context.ts';
import type { PaidCall } from '../call.ts';
import type { Candidate } from '../catalog/catalog-document.ts';
import type { Breaker, OpenPermit, Permit } from '../circuit/breaker.ts';
import { coolingSeconds } from '../circuit/circuit.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import { FILTERED_MESSAGE, overflowMessage } from '../upstream/rejection.ts';
import { isSilenceOver, routeTimeOf, type TimeLeft } from '../upstream/route-clock.ts';

export interface FailoverDependencies {
  readonly breaker: Breaker;
  readonly log: Log;
}

/** The admission of a call, and its time. */
export interface FailoverOptions {
  readonly admission: Pick<Admission, 'output' | 'spentAmount' | 'startAttempt'>;
  /** Returns the remaining time of the host and of the caller. */
  readonly timeLeft: () => TimeLeft;
}

/** A started response and its route. If it is interrupted, the breaker receives the permit. */
export interface RouteSuccess<Result> {
  readonly result: Result;
  readonly candidate: Candidate;
  readonly permit: OpenPermit;
}

/**
 * Returns the first response. Skips routes whose circuit is open. Throws `ServiceError`: 400 if a route rejected the
 * call as invalid, 503 if no candidate or no time is left. Rethrows any other failure of an attempt unchanged.
 */
export async function attemptCandidates<Result>(
  dependencies: FailoverDependencies,
  call: Pick<PaidCall<Result>, 'requestId' | 'key' | 'candidates' | 'attempt' | 'traceparent'>,
  { admission, timeLeft }: FailoverOptions,
): Promise<RouteSuccess<Result>> {
  const { breaker } = dependencies;
  const caller = { accountId: call.key.accountId, spentAmount: admission.spentAmount };
  let retryAfterSeconds: number | undefined;
  let number = 0;
  for (const candidate of call.candidates) {
    const time = routeTimeOf(timeLeft());
    if (time.remainingTimeMs <= 0 || isSilenceOver(time)) break;
    const pass = await breaker.admit(candidate.route, caller);
    const attempt = async () => {
      number += 1;
      const recordFailure = admission.startAttempt?.(candidate.route.id);
      const traceparent = attemptTraceparent(call, number);
      try {
        return await call.attempt(candidate, { ...time, traceparent }, admission.output);
      } catch (failure) {
        recordFailure?.(failureName(failure));
        throw failure;
      }
    };
    const outcome = pass.allowed
      ? await attemptCandidate(dependencies, { attempt, candidate, requestId: call.requestId }, pass)
      : pass;
    if ('result' in outcome) return outcome;
    retryAfterSeconds = Math.min(retryAfterSeconds ?? outcome.retryAfterSeconds, outcome.retryAfterSeconds);
  }
  throw noRouteError(retryAfterSeconds ?? coolingSeconds(undefined), isSilenceOver(routeTimeOf(timeLeft())));
}

/** Returns the name of a failure in records and traces. It has no text of the upstream. */
const failureName = (failure: unknown): string =>
  failure instanceof UpstreamFailure ? String(failure.status ?? failure.kind) : '_OTHER';

/**
 * Returns the error of a call without a response. Clients that support the header do not retry automatically if the
 * call would be too slow again.
 */
const noRouteError = (retryAfterSeconds: number, isTooSlow: boolean): ServiceError =>
  isTooSlow
    ? new ServiceError('all_routes_failed', TOO_SLOW, {
        retryAfterSeconds,
        headers: { 'x-should-retry': 'false' },
      })
    : new ServiceError('all_routes_failed', NO_ROUTE, { retryAfterSeconds });

const NO_ROUTE = 'No route of this model could serve the call; try again later.';
const TOO_SLOW =
  'No route responded within the time limit of this address for a call that is not streamed; a stream has more time.';

interface CandidateAttempt<Result> {
  readonly attempt: () => Promise<Result>;
  readonly candidate: Candidate;
  readonly requestId: string;
}

async function attemptCandidate<Result>(
  { breaker, log }: FailoverDependencies,
  { attempt, candidate, requestId }: CandidateAttempt<Result>,
  permit: Permit,
): Promise<RouteSuccess<Result> | { readonly retryAfterSeconds: number }> {
  const { route } = candidate;
  try {
    const result = await attempt();
    return { result, candidate, permit: breaker.succeeded(permit) };
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) {
      breaker.abandoned(permit);
      throw failure;
    }
    breaker.failed(failure, permit);
    const secret = failure.kind === 'secret' ? { secret: route.secret } : {};
    log.warn('route failed', { requestId, route: route.id, reason: failure.message, ...secret });
    if (!failure.retryable) throw toRejection(failure, candidate);
    return { retryAfterSeconds: coolingSeconds(failure.retryAfterSeconds) };
  }
}

/**
 * Returns the error of a rejection by a route. If the route does not report its window, the catalog's value is used.
 */
function toRejection({ param, rejection }: UpstreamFailure, { model, route }: Candidate): ServiceError {
  const options = param === undefined ? {} : { param };
  const { overflow, filtered, reason = '' } = rejection ?? {};
  if (filtered) return new ServiceError('content_filter', FILTERED_MESSAGE);
  if (overflow !== undefined) {
    const message = overflowMessage({ ...overflow, window: overflow.window ?? model.context_window });
    return new ServiceError('context_length_exceeded', message, options);
  }
  const reasonText = reason
    .split(' ')
    .map((word) => (word === route.upstream_model ? model.id : word))
    .join(' ');
  return new ServiceError(
    'invalid_value',
    `${REJECTED}${reasonText === '' ? '.' : `: ${reasonText}`}`,
    options,
  );
}

const REJECTED = 'The route that serves this model rejected the request as invalid';
