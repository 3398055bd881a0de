/** What the failure of a try says of its route: by no means every failure is the route's. */
import type { Verdict } from './circuit.ts';
import type { UpstreamFailure } from './provider.ts';

export type Finding = 'failing' | 'limited' | 'serving' | 'nothing';

/** What a probe has found then. */
export const VERDICTS = {
  failing: 'failed',
  limited: 'unclear',
  serving: 'served',
  nothing: 'unclear',
} as const satisfies Record<Finding, Verdict['result']>;

export function findingOf({ retryable, status, kind }: UpstreamFailure): Finding {
  // It understood the request, and refused it.
  if (!retryable) return 'serving';
  if (status === 429) return 'limited';
  // A conflict is of the request's making, and a deadline is the caller's.
  return status === 409 || kind === 'deadline' ? 'nothing' : 'failing';
}
