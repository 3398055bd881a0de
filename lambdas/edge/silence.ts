/** How long a call may be silent, by the way on which it came. */
import { EDGE_SILENCE_SECONDS, VIEWER_IP_HEADER } from '../contract/limits.ts';

/**
 * Milliseconds. `hostMs` is what stands before the host in any case; absent where nothing does. A caller who sets
 * CloudFront's header himself has less time for it.
 */
export const silenceOf = (headers: Headers, hostMs?: number): number | undefined =>
  headers.has(VIEWER_IP_HEADER) ? EDGE_SILENCE_SECONDS * 1000 : hostMs;
