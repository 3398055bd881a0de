/**
 * Remedies for a call that was rejected because credit or a limit is short. A wallet, a cap or a limit that affords k calls
 * admits k, wherever the credit and the limits are that leases have taken and do not use, and whatever a dead call took.
 */
import type { VerifiedKey } from '../../access/core/api-key.ts';
import { isCapRejection } from '../../access/core/key-state.ts';
import type { After } from '../../platform/core/ports.ts';
import type { AdmissionAttempt } from './admission-attempt.ts';
import { type CapRejectionDependencies, repairRejectingCap } from './cap-repair.ts';
import type { KeyCheck } from './key-check.ts';
import { needsRepair } from './key-rest.ts';
import { RETURN_MS } from './lease-times.ts';
import type { Leases } from './leases/leases.ts';

/** Resolves with false if it changed nothing. */
type Remedy = () => Promise<boolean>;

interface RemedyDependencies extends CapRejectionDependencies {
  readonly keyCheck: Pick<KeyCheck, 'mayReturn'>;
  /** The leases of the process; undefined if it has none. */
  readonly leases: Pick<Leases, 'hasSlack' | 'returnSlack'> | undefined;
  readonly after: After;
}

/** The remedies of one call, each of which it gets once. */
export class Remedies {
  readonly #dependencies: RemedyDependencies;
  readonly #key: VerifiedKey;
  readonly #used = { ownSlack: false, repair: false, otherSlack: false };

  constructor(dependencies: RemedyDependencies, key: VerifiedKey) {
    this.#dependencies = dependencies;
    this.#key = key;
  }

  /**
   * Returns the next remedy after an attempt; undefined if its rejection is final.
   * 1. Leases of this process return their slack at once.
   * 2. A cap is repaired.
   * 3. Leases of other processes return their slack within `RETURN_MS`.
   */
  next({ chargeResult, holdResult, nowMs }: AdmissionAttempt, rejection: unknown): Remedy | undefined {
    const { leases, keyCheck, after } = this.#dependencies;
    const { accountId } = this.#key;
    const state = chargeResult.status === 'fulfilled' ? chargeResult.value.state : undefined;
    const wallet = holdResult.status === 'fulfilled' ? holdResult.value.wallet : undefined;
    if (!this.#used.ownSlack && leases?.hasSlack(accountId) === true) {
      this.#used.ownSlack = true;
      return () => leases.returnSlack(accountId).then(() => true);
    }
    if (!this.#used.repair && isCapRejection(rejection) && state !== undefined && needsRepair(state, nowMs)) {
      this.#used.repair = true;
      return () => repairRejectingCap(this.#dependencies, state);
    }
    if (!this.#used.otherSlack && keyCheck.mayReturn(this.#key, state, wallet)) {
      this.#used.otherSlack = true;
      return () => new Promise((resolve) => after(RETURN_MS, () => resolve(true)));
    }
    return undefined;
  }
}
