/**
 * Remedies for a call that was rejected because credit or a limit is short. A wallet, a cap or a limit that affords k calls
 * admits k, wherever the credit and the limits are that leases have taken and do not use, and whatever a dead call took.
 */
import { isCapRejection } from '../../access/core/keys/key-state.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { After } from '../../platform/core/ports.ts';
import type { AdmissionAttempt } from './admission-attempt.ts';
import type { Call } from './call.ts';
import { type CapRejectionDependencies, repairRejectingCap } from './cap-repair.ts';
import { isShortage, type KeyCheck } from './key-check.ts';
import { needsRepair } from './key-rest.ts';
import { RETURN_MS } from './lease-times.ts';
import type { Leases } from './leases/leases.ts';
import { largestOutput } from './preflight.ts';

/** Resolves with the output of the next attempt, tokens of each choice; undefined if the remedy changed nothing. */
type Remedy = () => Promise<number | undefined>;

interface RemedyDependencies extends CapRejectionDependencies {
  readonly keyCheck: Pick<KeyCheck, 'mayReturn'>;
  /** The leases of the process; undefined if it has none. */
  readonly leases: Pick<Leases, 'hasSlack' | 'returnSlack'> | undefined;
  readonly after: After;
}

/** Attempts with a smaller output. More than one is needed because caps and balance may drop between two attempts. */
const MAX_SMALLER = 3;

/** The remedies of one call. */
export class Remedies {
  readonly #dependencies: RemedyDependencies;
  readonly #call: Call;
  readonly #used = { recovery: false, ownSlack: false, repair: false, otherSlack: false };
  #smaller = 0;

  constructor(dependencies: RemedyDependencies, call: Call) {
    this.#dependencies = dependencies;
    this.#call = call;
  }

  /**
   * Returns the next remedy after an attempt; undefined if its rejection is final. Each is used once, but for the second.
   * 1. Expired holds and leases of the wallet are recovered.
   * 2. The output is reduced to what the key and the wallet cover.
   * 3. Leases of this process return their slack at once.
   * 4. A cap is repaired.
   * 5. Leases of other processes return their slack within `RETURN_MS`.
   */
  next(attempt: AdmissionAttempt, rejection: unknown): Remedy | undefined {
    const { recovery, leases, keyCheck, after } = this.#dependencies;
    const { chargeResult, holdResult, nowMs } = attempt;
    const { key, output } = this.#call;
    if (chargeResult.status === 'rejected' || holdResult.status === 'rejected') return undefined;
    if (!(rejection instanceof ServiceError) || isForbidden(rejection)) return undefined;
    const { state } = chargeResult.value;
    const { granted, wallet } = holdResult.value;
    const expired = granted || wallet === undefined ? undefined : recovery.expiredOf(wallet);
    if (!this.#used.recovery && expired !== undefined && expired.holds.length > 0) {
      this.#used.recovery = true;
      return async () => {
        const { settled, released } = await recovery.recover(expired);
        return settled + released > 0 ? attempt.output : undefined;
      };
    }
    const smaller = this.#smaller < MAX_SMALLER ? this.#smallerOutput(attempt) : undefined;
    if (smaller !== undefined) {
      this.#smaller += 1;
      return async () => smaller;
    }
    if (!isShortage(rejection)) return undefined;
    this.#smaller = 0;
    if (!this.#used.ownSlack && leases?.hasSlack(key.accountId) === true) {
      this.#used.ownSlack = true;
      return () => leases.returnSlack(key.accountId).then(() => output.max);
    }
    if (!this.#used.repair && isCapRejection(rejection) && state !== undefined && needsRepair(state, nowMs)) {
      this.#used.repair = true;
      return async () => ((await repairRejectingCap(this.#dependencies, state)) ? output.max : undefined);
    }
    if (!this.#used.otherSlack && keyCheck.mayReturn(key, state, wallet)) {
      this.#used.otherSlack = true;
      return () => new Promise((resolve) => after(RETURN_MS, () => resolve(output.max)));
    }
    return undefined;
  }

  /** Returns the largest smaller output that the key and the wallet cover by their responses; undefined if there is none. */
  #smallerOutput({ output, charge, chargeResult, holdResult, nowMs }: AdmissionAttempt): number | undefined {
    if (chargeResult.status === 'rejected' || holdResult.status === 'rejected') return undefined;
    const [key, hold] = [chargeResult.value, holdResult.value];
    const isAbsent =
      (!key.granted && key.state === undefined) || (!hold.granted && hold.wallet === undefined);
    if (isAbsent || (key.granted && hold.granted)) return undefined;
    const snapshot = {
      state: key.granted ? undefined : key.state,
      wallet: hold.granted ? undefined : hold.wallet,
    };
    const range = { min: this.#call.output.min, max: output - 1 };
    return largestOutput(this.#call, range, snapshot, { charge, nowMs });
  }
}

/** Returns whether no credit and no limit would change the rejection. */
const isForbidden = ({ status }: ServiceError): boolean => status === 401 || status === 403;
