/**
 * Admission of a call. It charges the key's windows and the wallet concurrently, each in one conditional write. If one
 * rejects the call, the other is undone. The returned admission settles exactly once.
 */

import type { KeyGate } from '../../access/core/key-gate.ts';
import {
  isCapRejection,
  type KeyCharge,
  type KeyState,
  rateLimitHeaders,
} from '../../access/core/key-state.ts';
import type { GrantedCharge, KeyStore } from '../../access/core/key-store.ts';
import { windowsAt } from '../../access/core/windows.ts';
import { overloaded } from '../../platform/core/errors.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import {
  type AdmissionAttempt,
  isGranted,
  placedHold,
  revertCharge,
  smallerOutput,
} from './admission-attempt.ts';
import { type Admission, type Call, observeCall, type Settlement } from './call.ts';
import { type KeySpend, repairRejectingCap } from './cap-repair.ts';
import { admitByLease, type LeasedCallDependencies } from './leases/admission.ts';
import type { Hold, HoldResult, UnbilledStore, UsageStore, Wallet, WalletStore } from './ports.ts';
import { preflight } from './preflight.ts';
import type { RecentRejections } from './recent-rejections.ts';
import type { Recovery } from './recovery.ts';
import { type SettlementListener, settleCall } from './settlement.ts';

export interface LedgerDependencies {
  readonly keys: KeyStore;
  readonly gate: KeyGate;
  readonly recentRejections: RecentRejections;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly unbilled?: UnbilledStore | undefined;
  readonly recovery: Recovery;
  /** Absent in a process that serves one call at a time. */
  readonly leased?: (() => LeasedCallDependencies | undefined) | undefined;
  /**
   * The cost of the records of a key, to repair its caps when they reject a call. Absent if the process admits no
   * calls.
   */
  readonly spend?: KeySpend | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each call that this process settled, once its record is written. */
  readonly onSettled: SettlementListener;
  /** Lifetime of a hold, seconds. */
  readonly holdTtlSeconds: number;
}

/** The progress of a call toward a smaller output. */
interface Step {
  /** Tokens of each choice. */
  readonly output: number;
  /** The number of earlier attempts. */
  readonly attempts: number;
}

/** The granted charge and hold of a call. */
interface GrantedAttempt extends Pick<AdmissionAttempt, 'output' | 'charge' | 'hold'> {
  readonly state: KeyState;
  readonly wallet: Wallet;
}

/** Attempts with a smaller output. More than one is needed because caps and balance may drop between two attempts. */
const MAX_SMALLER = 3;

/**
 * An attempt that completes later than this runs no call. The process may have paused between its charge and its hold
 * until the idle key, without a hold, was repaired. Then the call's charge is not deducted from the caps. The limit is
 * far longer than the SDK retries a request, and far shorter than a key's idle time.
 */
const MAX_ATTEMPT_MS = 60_000;

export class Ledger {
  readonly #dependencies: LedgerDependencies;

  constructor(dependencies: LedgerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Holds the cost of the largest output in the call's range that the wallet covers, and charges the key's windows, in
   * one round trip. If the first attempt is rejected, its results determine the output of the next attempt, after the
   * undo. Throws 401, 403, 429 or 402, in this order of precedence, with nothing held. Rethrows any failure to reach
   * the database unchanged, after the undo. A process with leases admits most calls without a request.
   */
  async admit(call: Call): Promise<Admission> {
    const leased = this.#dependencies.leased?.();
    const admission = leased && (await admitByLease({ ...this.#dependencies, ...leased }, call));
    return admission ?? this.#admitWithHold(call);
  }

  async #admitWithHold(call: Call): Promise<Admission> {
    const { clock, recentRejections } = this.#dependencies;
    let step: Step = { output: await recentRejections.check(call, clock()), attempts: 0 };
    for (let repaired = false; ; ) {
      const attempt = await this.#attempt(call, step.output);
      const admission = this.#admission(call, attempt);
      if (admission !== undefined) return admission;
      const isLocked = (wallet: Wallet) => this.#dependencies.recovery.expiredOf(wallet).holds.length > 0;
      const next = step.attempts < MAX_SMALLER ? smallerOutput(call, attempt, isLocked) : undefined;
      const leftover = await this.#undo(attempt, next === undefined ? 0 : 1);
      if (next !== undefined) {
        if (leftover !== undefined) throw leftover.reason;
        step = { output: next, attempts: step.attempts + 1 };
        continue;
      }
      const reason = this.#reason(call, attempt);
      if (
        repaired ||
        !isCapRejection(reason) ||
        !(await repairRejectingCap(this.#dependencies, attempt.chargeResult))
      )
        throw reason;
      repaired = true;
      step = { output: call.output.max, attempts: 0 };
    }
  }

  async #attempt(call: Call, output: number): Promise<AdmissionAttempt> {
    const { clock, keys, wallets, holdTtlSeconds } = this.#dependencies;
    const { key, requestId, scope } = call;
    const nowMs = clock();
    const [tokens, amount] = [call.tokens(output), call.cost(output)];
    const charge: KeyCharge = { key, windows: windowsAt(nowMs), tokens, amount, scope };
    const hold: Hold = {
      id: requestId,
      keyId: key.keyId,
      kind: scope.kind,
      amount,
      expires: Math.floor(nowMs / 1000) + holdTtlSeconds,
    };
    let [chargeResult, holdResult] = await Promise.allSettled([
      keys.charge(charge),
      wallets.hold(key.accountId, hold),
    ]);
    if (isGranted(chargeResult) && holdResult.status === 'fulfilled' && !holdResult.value.granted) {
      [holdResult] = await Promise.allSettled([
        this.#holdAfterRecovery(key.accountId, hold, holdResult.value),
      ]);
    }
    return { output, charge, hold, chargeResult, holdResult, nowMs };
  }

  /** Returns the admission if both the key and the wallet have granted the call. */
  #admission(call: Call, { output, charge, hold, chargeResult, holdResult, nowMs }: AdmissionAttempt) {
    if (!isGranted(chargeResult) || !isGranted(holdResult)) return undefined;
    const { clock, recentRejections } = this.#dependencies;
    if (clock() - nowMs > MAX_ATTEMPT_MS) return undefined;
    const storedHold = placedHold(holdResult, hold);
    // A late copy of an earlier attempt's request: its hold is a different one, and is released.
    if (storedHold.amount !== hold.amount) return undefined;
    // The key's next call checks in advance which output is covered.
    if (output < call.output.max) recentRejections.remember(call.key.keyId, nowMs);
    const { state } = chargeResult.value;
    return this.#admitted({ output, charge, hold: storedHold, state, wallet: holdResult.value.wallet });
  }

  /**
   * Retries a hold after recovery. Expired holds lock credit: if a wallet rejects a hold, they are recovered and the
   * hold is attempted once more.
   */
  async #holdAfterRecovery(accountId: string, hold: Hold, holdResult: HoldResult): Promise<HoldResult> {
    if (holdResult.wallet === undefined) return holdResult;
    const { recovery, wallets } = this.#dependencies;
    const { settled, released } = await recovery.recoverWallet(holdResult.wallet);
    return settled + released === 0 ? holdResult : wallets.hold(accountId, hold);
  }

  #admitted({ output, charge, hold, state, wallet }: GrantedAttempt): Admission {
    const { recovery, clock } = this.#dependencies;
    // Judged now: a hold that is open at admission may have ended well by the time this call settles.
    const expired = recovery.expiredOf(wallet);
    const { key, windows, tokens } = charge;
    const granted: GrantedCharge = { windows, repaired: state.repaired };
    const { observe, observed } = observeCall(clock);
    let settlement: Promise<Settlement> | undefined;
    return {
      observe,
      output,
      amount: hold.amount,
      spentAmount: wallet.spentAmount,
      held: { hold, charge: granted },
      headers: rateLimitHeaders(state, clock()),
      settle: (outcome) => {
        const call = { accountId: key.accountId, hold, charge: granted, tokens };
        settlement ??= settleCall(this.#dependencies, call, { ...outcome, ...observed() }).finally(() =>
          recovery.recoverQuietly(expired),
        );
        return settlement;
      },
    };
  }

  /**
   * Reverts what one half granted if the other rejected it or failed, and reverts the given number of requests. A call
   * counts as one request for any number of attempts, also if it is rejected. Returns the failure that may have left a
   * hold.
   */
  async #undo(attempt: AdmissionAttempt, requests: 0 | 1): Promise<PromiseRejectedResult | undefined> {
    const { charge, hold, holdResult } = attempt;
    const { keys, wallets, log } = this.#dependencies;
    const [revertResult, releaseResult] = await Promise.allSettled([
      revertCharge(keys, attempt, requests),
      holdResult.status === 'rejected' || holdResult.value.granted
        ? wallets.endHold(charge.key.accountId, { ...placedHold(holdResult, hold), cost: 0n, recorded: 0 })
        : undefined,
    ]);
    for (const result of [revertResult, releaseResult]) {
      // What could not be undone expires and is recovered.
      if (result.status === 'rejected')
        log.error('undo failed', { requestId: hold.id, failure: String(result.reason) });
    }
    return releaseResult.status === 'rejected' ? releaseResult : undefined;
  }

  /**
   * Returns the reason for the rejection of a call: the error of key and wallet for the minimum that the call requests.
   */
  #reason(call: Call, { charge, chargeResult, holdResult, nowMs }: AdmissionAttempt): unknown {
    const { gate, recentRejections } = this.#dependencies;
    if (chargeResult.status === 'rejected') return chargeResult.reason;
    if (chargeResult.value.granted && isGranted(holdResult)) return overloaded();
    const { state, granted } = chargeResult.value;
    if (state === undefined) return gate.explain(chargeResult.value, charge, nowMs);
    const isInsufficient = holdResult.status === 'fulfilled' && !holdResult.value.granted;
    const snapshot = {
      // A key that was charged leaves the call; its state has less by that charge.
      state: granted ? undefined : state,
      wallet: isInsufficient ? (holdResult.value.wallet ?? NO_CREDIT) : undefined,
    };
    const rejection = preflight(call, snapshot, { charge, nowMs });
    if (rejection === undefined && holdResult.status === 'rejected') return holdResult.reason;
    recentRejections.remember(charge.key.keyId, nowMs);
    const reason = rejection ?? overloaded();
    return reason.status === 401 ? reason : reason.withHeaders(rateLimitHeaders(state, nowMs));
  }
}

/** The balance of an account without a wallet. It does not cover even a call that costs nothing. */
const NO_CREDIT = { balance: -1n };
