/** What the failure of a try says of its route: by no means every failure is the route's. */

import type { UpstreamFailure } from '../upstream/provider.ts';
import type { Scope } from './call-circuits.ts';
import type { Verdict } from './circuit.ts';

/**
 * `failing`: the route did not do its work. `doubtful`: it did not, and may be right: the request may be at fault.
 * `limited`: it asks to be left alone. `serving`: it understood the request, and refused it. `nothing`: the failure
 * says nothing of the route.
 */
export type Finding = 'failing' | 'doubtful' | 'limited' | 'serving' | 'nothing';

/** What a probe has found then: a request that may be at fault itself does not speak for other accounts. */
export const VERDICTS = {
  failing: { shared: 'failed', own: 'failed' },
  doubtful: { shared: 'unclear', own: 'failed' },
  limited: { shared: 'unclear', own: 'unclear' },
  serving: { shared: 'served', own: 'served' },
  nothing: { shared: 'unclear', own: 'unclear' },
} as const satisfies Record<Finding, Record<Scope, Verdict['result']>>;

/** The route did not do its work, whosever fault it was. */
export const hasFailed = (finding: Finding): boolean => finding === 'failing' || finding === 'doubtful';

/** Of the request's making wherever they come from (RFC 9110, section 15.5; RFC 7725). */
const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([409, 411, 413, 414, 415, 422, 431, 451]);

/** Of the operator's account with the route, which is the same for every caller. */
const ABOUT_THE_OPERATOR: ReadonlySet<number> = new Set([401, 402]);

export function findingOf({ retryable, status, kind }: UpstreamFailure): Finding {
  if (!retryable) return 'serving';
  // The caller's time was up.
  if (kind === 'deadline') return 'nothing';
  if (status === undefined) return kind === 'timeout' ? 'doubtful' : 'failing';
  if (status === 429) return 'limited';
  if (ABOUT_THE_REQUEST.has(status)) return 'nothing';
  return status >= 500 || ABOUT_THE_OPERATOR.has(status) ? 'failing' : 'doubtful';
}
