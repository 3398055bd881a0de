/** The rejections of a request whose key another request has claimed. */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { ReplayClaim, StoredClaim } from './ports.ts';

export const PARAM = 'Idempotency-Key';

/**
 * Milliseconds for which a duplicate waits for the first call. This is longer than most calls take and shorter than
 * most clients wait.
 */
export const WAIT_MS = 25_000;

/** Throws 400 if the request is not that of the claim, or if the claim is that of a streamed call. */
export function requireSame(
  storedClaim: StoredClaim,
  claim: ReplayClaim,
  headers: Record<string, string>,
): void {
  if (storedClaim.requestHash !== claim.requestHash) {
    const message = `This ${PARAM} was used with another request.`;
    throw new ServiceError('idempotency_key_reused', message, { param: PARAM, headers });
  }
  if (storedClaim.stream) {
    const message = `This ${PARAM} was used by a call whose response was streamed, as speech always is. Such a response cannot be replayed; send another call with a new key.`;
    throw new ServiceError('idempotency_key_reused', message, { param: PARAM, headers });
  }
}

/** Another attempt of the request holds the claim. Its response can be replayed once it is stored. */
export function inProgress(headers: Record<string, string>): ServiceError {
  const message = 'Another request with this key is still running.';
  const retryAfterSeconds = Math.ceil(WAIT_MS / 1000);
  return new ServiceError('idempotent_request_in_progress', message, { retryAfterSeconds, headers });
}
