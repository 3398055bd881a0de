/**
 * The renewal of a claim while its call runs. If the process dies, another call may take the claim once its time has
 * passed. Times decide only when an attempt may take a claim: a process that stalls, or cannot renew, may lose its
 * claim while it runs. Whoever holds the claim in the table stores its response and settles; no other attempt does.
 */
import type { After, Clock, Log } from '../../../platform/core/ports.ts';
import type { ReplayClaim, ReplayStore } from './ports.ts';

/** Milliseconds of a claim. A dead call's key is free within 60 s, even if the clocks of two processes differ by 5 s. */
export const CLAIM_MS = 55_000;

/** Milliseconds until a renewal. Most calls end before, and write nothing for it. */
const RENEW_MS = 30_000;

/** Milliseconds after a failed renewal. Four fit before the claim ends. */
const RETRY_MS = 5_000;

export interface RenewalDependencies {
  readonly store: Pick<ReplayStore, 'renew'>;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
}

/** Renews the claim until the returned function is called, or another attempt has taken it. */
export function renewClaim(
  { store, clock, after, log }: RenewalDependencies,
  claim: ReplayClaim,
): () => void {
  let hasEnded = false;
  let cancel = after(RENEW_MS, renew);
  async function renew(): Promise<void> {
    let nextMs: number | undefined = RENEW_MS;
    try {
      if (!(await store.renew(claim, clock() + CLAIM_MS))) nextMs = undefined;
    } catch (failure) {
      nextMs = RETRY_MS;
      log.warn('claim not renewed', { requestId: claim.requestId, failure: String(failure) });
    }
    if (!hasEnded && nextMs !== undefined) cancel = after(nextMs, renew);
  }
  return () => {
    hasEnded = true;
    cancel();
  };
}
