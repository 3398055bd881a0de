/**
 * Admission of a call: by a draw from the lease that the process has of its key, else by a hold.
 *
 *   draw from memory -> check of a key that was rejected -> draw with the next tick -> hold
 *
 * A hold charges the key's windows and the wallet concurrently, each in one conditional write. If one rejects the call, the
 * other is undone. Only the hold rejects calls. The returned admission settles exactly once.
 */

import { invalidKey } from '../../access/core/keys/api-key.ts';
import { type KeyCharge, rateLimitHeaders } from '../../access/core/keys/key-state.ts';
import type { GrantedCharge, KeyStore } from '../../access/core/keys/key-store.ts';
import { windowsAt } from '../../access/core/keys/windows.ts';
import { overloaded, ServiceError } from '../../platform/core/errors.ts';
import type { After, Clock, Log } from '../../platform/core/ports.ts';
import { type AdmissionAttempt, isGranted, placedHold, revertCharge } from './admission-attempt.ts';
import { type Admission, type Call, observeCall, type Settlement } from './call.ts';
import type { KeySpend } from './cap-repair.ts';
import { drawCover, holdCover, identityOf } from './covers.ts';
import type { KeyCheck } from './key-check.ts';
import type { Draw } from './leases/lease.ts';
import type { Leases } from './leases/leases.ts';
import type { RecordBatches } from './leases/record-batches.ts';
import type { Hold, UsageStore, WalletStore } from './ports.ts';
import { preflight } from './preflight.ts';
import type { ExpiredHolds, Recovery } from './recovery.ts';
import { Remedies } from './remedies.ts';
import { type CallIdentity, type Cover, type SettlementDependencies, settleCall } from './settlement.ts';

/** The leases of a process that serves many calls at once. */
export interface LeasedCalls {
  readonly leases: Leases;
  readonly records: RecordBatches;
  /** Counts the cost of a call whose process paused for so long that its record cannot be written any more. */
  readonly onLost: (cost: bigint) => void;
}

export interface LedgerDependencies extends SettlementDependencies {
  readonly keys: KeyStore;
  readonly keyCheck: KeyCheck;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly recovery: Recovery;
  /** Absent in a process that serves one call at a time. */
  readonly leased?: (() => LeasedCalls | undefined) | undefined;
  /**
   * The cost of the records of a key, to repair its caps when they reject a call. Absent if the process admits no
   * calls.
   */
  readonly spend?: KeySpend | undefined;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
  /** Lifetime of a hold, seconds. */
  readonly holdTtlSeconds: number;
}

/** A covered call, and the fields of its admission. */
interface CoveredAdmission extends Pick<Admission, 'output' | 'spentAmount' | 'headers' | 'held'> {
  readonly call: CallIdentity;
  readonly cover: Cover;
  readonly traceparent: string | undefined;
  /** Holds that had expired at the admission. They are recovered after the call. */
  readonly expired?: ExpiredHolds;
}

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
   * Covers the cost of the largest output in the call's range that the wallet has credit for, and charges the key's windows.
   * Throws 401, 403, 429 or 402, in this order of precedence, with nothing held. Rethrows any failure to reach the database
   * unchanged, after the undo.
   */
  async admit(call: Call): Promise<Admission> {
    const { leased, keyCheck } = this.#dependencies;
    const leases = leased?.()?.leases;
    const draw = leases?.draw(call);
    if (draw !== undefined) return this.#drawn(call, draw);
    const output = await keyCheck.check(call);
    const next = output === call.output.max ? await leases?.drawNext(call) : undefined;
    return next === undefined ? this.#hold(call, output) : this.#drawn(call, next);
  }

  #drawn({ requestId, key, scope, output, traceparent }: Call, draw: Draw): Admission {
    const leased = this.#dependencies.leased?.();
    if (leased === undefined) throw new Error('a draw without leases');
    const { spentAmount, headers } = draw;
    return this.#admitted({
      call: { id: requestId, keyId: key.keyId, accountId: key.accountId, kind: scope.kind },
      cover: drawCover({ ...this.#dependencies, ...leased }, draw),
      traceparent,
      output: output.max,
      spentAmount,
      headers,
    });
  }

  /** Holds the cost of a call, in one round of requests. After an attempt that was rejected and undone, a remedy is tried. */
  async #hold(call: Call, firstOutput: number): Promise<Admission> {
    const leases = this.#dependencies.leased?.()?.leases;
    const remedies = new Remedies({ ...this.#dependencies, leases }, call);
    for (let output = firstOutput; ; ) {
      const attempt = await this.#attempt(call, output);
      const admission = this.#heldAdmission(call, attempt);
      if (admission !== undefined) return admission;
      const reason = this.#reason(call, attempt);
      let remedy = remedies.next(attempt, reason);
      const leftover = await this.#undo(attempt, remedy === undefined ? 0 : 1);
      if (leftover !== undefined && remedy !== undefined) throw leftover.reason;
      let next: number | undefined;
      while (remedy !== undefined) {
        next = await remedy();
        remedy = next === undefined ? remedies.next(attempt, reason) : undefined;
      }
      if (next === undefined) {
        if (reason instanceof ServiceError && reason.status !== 503)
          this.#dependencies.keyCheck.remember(call.key.keyId, attempt.nowMs);
        throw reason;
      }
      output = next;
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
    const [chargeResult, holdResult] = await Promise.allSettled([
      keys.charge(charge),
      wallets.hold(key.accountId, hold),
    ]);
    return { output, charge, hold, chargeResult, holdResult, nowMs };
  }

  /** Returns the admission if both the key and the wallet have granted the call. */
  #heldAdmission(call: Call, { output, charge, hold, chargeResult, holdResult, nowMs }: AdmissionAttempt) {
    if (!isGranted(chargeResult) || !isGranted(holdResult)) return undefined;
    const { clock, keyCheck, recovery } = this.#dependencies;
    if (clock() - nowMs > MAX_ATTEMPT_MS) return undefined;
    const storedHold = placedHold(holdResult, hold);
    // A late copy of an earlier attempt's request: its hold is a different one, and is released.
    if (storedHold.amount !== hold.amount) return undefined;
    // The key's next call checks in advance which output is covered.
    if (output < call.output.max) keyCheck.remember(call.key.keyId, nowMs);
    const { state } = chargeResult.value;
    const { wallet } = holdResult.value;
    const granted: GrantedCharge = { windows: charge.windows, repaired: state.repaired };
    const held = {
      accountId: charge.key.accountId,
      hold: storedHold,
      charge: granted,
      tokens: charge.tokens,
    };
    return this.#admitted({
      call: identityOf(held),
      cover: holdCover(this.#dependencies, held),
      traceparent: call.traceparent,
      output,
      spentAmount: wallet.spentAmount,
      headers: rateLimitHeaders(state, clock()),
      held,
      // Judged now: a hold that is open at admission may have ended well by the time this call settles.
      expired: recovery.expiredOf(wallet),
    });
  }

  #admitted({ call, cover, expired, traceparent, ...shown }: CoveredAdmission): Admission {
    const { recovery, clock } = this.#dependencies;
    const progress = observeCall(clock, traceparent);
    let settlement: Promise<Settlement> | undefined;
    return {
      ...shown,
      ...progress,
      amount: cover.amount,
      settle: (outcome) => {
        settlement ??= settleCall(
          this.#dependencies,
          { call, cover },
          { ...outcome, ...progress.observed() },
        ).finally(() => expired && recovery.recoverQuietly(expired));
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
    if (chargeResult.status === 'rejected') return chargeResult.reason;
    if (chargeResult.value.granted && isGranted(holdResult)) return overloaded();
    const { state, granted } = chargeResult.value;
    if (state === undefined) return invalidKey();
    const isInsufficient = holdResult.status === 'fulfilled' && !holdResult.value.granted;
    const snapshot = {
      // A key that was charged leaves the call; its state has less by that charge.
      state: granted ? undefined : state,
      wallet: isInsufficient ? (holdResult.value.wallet ?? NO_CREDIT) : undefined,
    };
    const rejection = preflight(call, snapshot, { charge, nowMs });
    if (rejection === undefined && holdResult.status === 'rejected') return holdResult.reason;
    const reason = rejection ?? overloaded();
    return reason.status === 401 ? reason : reason.withHeaders(rateLimitHeaders(state, nowMs));
  }
}

/** The balance of an account without a wallet. It does not cover even a call that costs nothing. */
const NO_CREDIT = { balance: -1n };
