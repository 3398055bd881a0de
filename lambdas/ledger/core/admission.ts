/**
 * Admission of a call: the key's windows and the wallet are charged side by side, each in one conditional write, and
 * when one refuses, the other is undone. What is returned settles exactly once.
 */

import type { KeyGate } from '../../access/core/key-gate.ts';
import {
  isCapRefusal,
  type KeyCharge,
  type KeyState,
  rateLimitHeaders,
} from '../../access/core/key-state.ts';
import type { GrantedCharge, KeyStore } from '../../access/core/key-store.ts';
import { windowsAt } from '../../access/core/windows.ts';
import { overloaded } from '../../platform/core/errors.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import { type AdmissionAttempt, giveBack, isGranted, placedHold, smallerOutput } from './admission-try.ts';
import type { Call } from './call.ts';
import { type KeySpend, repairRefusing } from './cap-repair.ts';
import type { Hold, HoldResult, UnbilledStore, UsageStore, Wallet, WalletStore } from './ports.ts';
import { preflight } from './preflight.ts';
import type { Recovery } from './recovery.ts';
import type { Refusals } from './refusals.ts';
import { type Settlement, type SettlementListener, settleCall } from './settlement.ts';
import type { CallOutcome } from './usage-record.ts';

export interface LedgerDependencies {
  readonly keys: KeyStore;
  readonly gate: KeyGate;
  readonly refusals: Refusals;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly unbilled?: UnbilledStore | undefined;
  readonly recovery: Recovery;
  /**
   * The cost of the records of a key, to repair its caps when they reject a call. Absent if the process admits no
   * calls.
   */
  readonly spend?: KeySpend | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each call that this process settled, once its record is written. */
  readonly onSettled: SettlementListener;
  /** Seconds that a hold lives. */
  readonly holdTtlSeconds: number;
}

/** An admitted call: its hold is open until it is settled. */
export interface Admission {
  /** The output that it was admitted with, tokens of each choice; within the call's range. */
  readonly output: number;
  readonly hold: Hold;
  /** The minimum spend of the account. It excludes only the spend from shards of its wallet that were not read. */
  readonly spent: NanoUsd;
  /** The charge of the key. */
  readonly charge: GrantedCharge;
  /** Rate-limit headers as of the admission. */
  readonly headers: Readonly<Record<string, string>>;
  /** Notes for the usage record that a route is tried, or that the first content of a stream is there. */
  observe?(what: 'attempt' | 'content'): void;
  /** Settles the call; a second call of it returns the first one's result. */
  settle(outcome: CallOutcome): Promise<Settlement>;
}

/** The progress of a call toward a smaller output. */
interface Step {
  /** Tokens of each choice. */
  readonly output: number;
  /** The number of earlier attempts. */
  readonly tries: number;
}

/** The granted charge and hold of a call. */
interface Granted extends Pick<AdmissionAttempt, 'output' | 'charge' | 'hold'> {
  readonly state: KeyState;
  readonly wallet: Wallet;
}

/** Attempts with a smaller output. More than one is needed because caps and balance may drop between two attempts. */
const MAX_SMALLER = 3;

/**
 * A try whose answers are there later runs no call. The process may have stopped between its charge and its hold, for so
 * long that the key was at rest without a hold, and was repaired: then nothing is taken from its caps for the call. Far
 * longer than the SDK repeats a request, far shorter than a key's rest.
 */
const MAX_TRY_MS = 60_000;

export class Ledger {
  readonly #dependencies: LedgerDependencies;

  constructor(dependencies: LedgerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Holds the cost of the largest output of the call's range that the wallet leaves, and charges the key's windows, in one
   * round trip. Where the first try is refused, what it returned says which output is tried next, after its undoing.
   * Throws 401, 403, 429 or 402, in this order of precedence, with nothing held; any failure to reach the database is
   * thrown as it is, after undoing.
   */
  async admit(call: Call): Promise<Admission> {
    const { clock, refusals } = this.#dependencies;
    let step: Step = { output: await refusals.check(call, clock()), tries: 0 };
    for (let repaired = false; ; ) {
      const tried = await this.#try(call, step.output);
      const admission = this.#admission(call, tried);
      if (admission !== undefined) return admission;
      const isLocked = (wallet: Wallet) => this.#dependencies.recovery.expiredOf(wallet).holds.length > 0;
      const next = step.tries < MAX_SMALLER ? smallerOutput(call, tried, isLocked) : undefined;
      const stuck = await this.#undo(tried, next === undefined ? 0 : 1);
      if (next !== undefined) {
        if (stuck !== undefined) throw stuck.reason;
        step = { output: next, tries: step.tries + 1 };
        continue;
      }
      const reason = this.#reason(call, tried);
      if (repaired || !isCapRefusal(reason) || !(await repairRefusing(this.#dependencies, tried.charged)))
        throw reason;
      repaired = true;
      step = { output: call.output.most, tries: 0 };
    }
  }

  async #try(call: Call, output: number): Promise<AdmissionAttempt> {
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
    let [charged, held] = await Promise.allSettled([keys.charge(charge), wallets.hold(key.accountId, hold)]);
    if (isGranted(charged) && held.status === 'fulfilled' && !held.value.granted) {
      [held] = await Promise.allSettled([this.#holdAfterRecovery(key.accountId, hold, held.value)]);
    }
    return { output, charge, hold, charged, held, nowMs };
  }

  /** The admission, if both halves have granted what was asked of them. */
  #admission(call: Call, { output, charge, hold, charged, held, nowMs }: AdmissionAttempt) {
    if (!isGranted(charged) || !isGranted(held)) return undefined;
    const { clock, refusals } = this.#dependencies;
    if (clock() - nowMs > MAX_TRY_MS) return undefined;
    const found = placedHold(held, hold);
    // A copy of an earlier try's request that came late: its hold is another one, and is given back.
    if (found.amount !== hold.amount) return undefined;
    // The next call of the key sees beforehand which output is left.
    if (output < call.output.most) refusals.remember(call.key.keyId, nowMs);
    const { state } = charged.value;
    return this.#admitted({ output, charge, hold: found, state, wallet: held.value.wallet });
  }

  /** Expired holds lock credit: when a wallet refuses, they are recovered and the hold is tried once more. */
  async #holdAfterRecovery(accountId: string, hold: Hold, refused: HoldResult): Promise<HoldResult> {
    if (refused.wallet === undefined) return refused;
    const { recovery, wallets } = this.#dependencies;
    const { settled, released } = await recovery.recoverWallet(refused.wallet);
    return settled + released === 0 ? refused : wallets.hold(accountId, hold);
  }

  #admitted({ output, charge, hold, state, wallet }: Granted): Admission {
    const { recovery, clock } = this.#dependencies;
    // Judged now: a hold that is open at admission may have ended well by the time this call settles.
    const expired = recovery.expiredOf(wallet);
    const { key, windows, tokens } = charge;
    const granted: GrantedCharge = { windows, repaired: state.repaired };
    const admittedMs = clock();
    let [attempts, firstTokenMs]: readonly [number, number | undefined] = [0, undefined];
    let settlement: Promise<Settlement> | undefined;
    return {
      observe: (what) => {
        if (what === 'attempt') attempts += 1;
        else firstTokenMs ??= clock() - admittedMs;
      },
      output,
      hold,
      spent: wallet.spent,
      charge: granted,
      headers: rateLimitHeaders(state, clock()),
      settle: (outcome) => {
        const call = { accountId: key.accountId, hold, charge: granted, tokens };
        const course = { attempts, ...(firstTokenMs === undefined ? {} : { firstTokenMs }) };
        settlement ??= settleCall(this.#dependencies, call, { ...outcome, ...course }).finally(() =>
          recovery.recoverQuietly(expired),
        );
        return settlement;
      },
    };
  }

  /**
   * Takes back what one half granted when the other refused or failed, and as many requests: a call counts as one however
   * many tries it makes, and when it is refused too. Returns the failure that may have left a hold.
   */
  async #undo(tried: AdmissionAttempt, requests: 0 | 1): Promise<PromiseRejectedResult | undefined> {
    const { charge, hold, held } = tried;
    const { keys, wallets, log } = this.#dependencies;
    const [given, ended] = await Promise.allSettled([
      giveBack(keys, tried, requests),
      held.status === 'rejected' || held.value.granted
        ? wallets.endHold(charge.key.accountId, { ...placedHold(held, hold), cost: 0n, recorded: 0 })
        : undefined,
    ]);
    for (const result of [given, ended]) {
      // What could not be undone expires and is recovered.
      if (result.status === 'rejected')
        log.error('undo failed', { requestId: hold.id, failure: String(result.reason) });
    }
    return ended.status === 'rejected' ? ended : undefined;
  }

  /**
   * Returns the reason for the rejection of a call: the error of key and wallet for the minimum that the call requests.
   */
  #reason(call: Call, { charge, charged, held, nowMs }: AdmissionAttempt): unknown {
    const { gate, refusals } = this.#dependencies;
    if (charged.status === 'rejected') return charged.reason;
    if (charged.value.granted && isGranted(held)) return overloaded();
    const { state, granted } = charged.value;
    if (state === undefined) return gate.explain(charged.value, charge, nowMs);
    const isLacking = held.status === 'fulfilled' && !held.value.granted;
    const known = {
      // A key that was charged leaves the call; its state has less by that charge.
      state: granted ? undefined : state,
      wallet: isLacking ? (held.value.wallet ?? NO_CREDIT) : undefined,
    };
    const found = preflight(call, known, { charge, nowMs });
    if (found === undefined && held.status === 'rejected') return held.reason;
    refusals.remember(charge.key.keyId, nowMs);
    const reason = found ?? overloaded();
    return reason.status === 401 ? reason : reason.withHeaders(rateLimitHeaders(state, nowMs));
  }
}

/** The balance of an account without a wallet. It does not cover even a call that costs nothing. */
const NO_CREDIT = { balance: -1n };
