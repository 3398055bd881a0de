/** The information that a failed attempt gives about its route. Not every failure is the route's fault. */
import type { UpstreamFailure } from '../upstream/provider.ts';

/**
 * The class of a failure.
 * - `failing`: the route did not do its work.
 * - `slow`: it exceeded its time limit.
 * - `doubtful`: it did not do its work, but the request may be at fault.
 * - `limited`: it throttles callers for a while (429).
 * - `serving`: it understood the request, and responded or rejected it.
 * - `neutral`: the failure indicates nothing about the route.
 */
export type FailureClass = 'failing' | 'slow' | 'doubtful' | 'limited' | 'serving' | 'neutral';

/** Caused by the request, wherever they come from (RFC 9110, section 15.5; RFC 7725). */
const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([409, 411, 413, 414, 415, 422, 431, 451]);

export function classifyFailure({ retryable, status, kind, isExhausted }: UpstreamFailure): FailureClass {
  if (!retryable) return 'serving';
  // The caller's own time was up.
  if (kind === 'deadline') return 'neutral';
  if (status === undefined) return kind === 'timeout' ? 'slow' : 'failing';
  if (status === 429) return isExhausted ? 'failing' : 'limited';
  if (ABOUT_THE_REQUEST.has(status)) return 'neutral';
  // 401 and 402 are about the operator's account with the route, which is the same for every caller.
  return status >= 500 || status === 401 || status === 402 ? 'failing' : 'doubtful';
}

/** The route did not do its work, whoever is at fault. */
export const hasFailed = (outcome: FailureClass): boolean => isOfRoute(outcome) || outcome === 'doubtful';

/** Returns whether the route is at fault. No request of a caller is known to cause such a failure. */
export const isOfRoute = (outcome: FailureClass): boolean => outcome === 'failing' || outcome === 'slow';
