/**
 * Admission of a call: the key's windows and the wallet are charged side by side, each in one conditional write, and
 * when one refuses, the other is undone. What comes back settles exactly once.
 */
import { type CallScope, type KeyCharge, type KeyState, isStale, refusal, rollWindows } from '../access/key-state.ts';
import { rateLimitHeaders } from '../access/rate-limit-headers.ts';
import type { VerifiedKey } from '../access/api-key.ts';
import { windowsAt } from '../access/windows.ts';
import { ServiceError } from '../errors.ts';
import type { NanoUsd } from '../money.ts';
import type { Clock, Log } from '../ports.ts';
import type { ChargeResult, Hold, HoldResult, KeyStore, UsageStore, Wallet, WalletStore } from './ports.ts';
import type { Recovery } from './recovery.ts';
import { insufficientCredit, Refusals } from './refusals.ts';
import { type Settlement, settleCall } from './settlement.ts';
import type { Outcome } from './usage-record.ts';

export interface LedgerDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly recovery: Recovery;
  readonly clock: Clock;
  readonly log: Log;
  /** Seconds that a hold lives. */
  readonly holdTtlSeconds: number;
}

export interface CallRequest {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly scope: CallScope;
  /** The estimate, in tokens, that counts against the key's tokens a minute. */
  readonly tokens: number;
  /** The worst case the caller allowed. */
  readonly amount: NanoUsd;
}

/** An admitted call: its hold is open until it is settled. */
export interface Admission {
  readonly hold: Hold;
  /** Rate-limit headers as of the admission. */
  readonly headers: Readonly<Record<string, string>>;
  /** Settles the call; a second call of it returns the first one's result. */
  settle(outcome: Outcome): Promise<Settlement>;
}

/**
 * A window that rolls between two tries is lost to another call; each further try needs another roll or another
 * change of policy within milliseconds, so a handful of tries is plenty.
 */
const MAX_CHARGE_TRIES = 5;

export class Ledger {
  readonly #dependencies: LedgerDependencies;
  readonly #refusals: Refusals;

  constructor(dependencies: LedgerDependencies) {
    this.#dependencies = dependencies;
    this.#refusals = new Refusals(dependencies);
  }

  /**
   * Holds `amount` and charges the key's windows, in one round trip. Throws 401, 403, 429 or 402, in this order
   * of precedence, with nothing held; any failure to reach the database is thrown as it is, after undoing.
   */
  async admit(request: CallRequest): Promise<Admission> {
    const { clock, wallets, holdTtlSeconds } = this.#dependencies;
    const nowMs = clock();
    const windows = windowsAt(nowMs);
    const { key, tokens, amount } = request;
    const charge: KeyCharge = { key, windows, tokens, amount, scope: request.scope };
    await this.#refusals.check(charge, nowMs);
    const created = Math.floor(nowMs / 1000);
    const hold: Hold = {
      id: request.requestId,
      keyId: key.keyId,
      kind: request.scope.kind,
      amount,
      created,
      expires: created + holdTtlSeconds,
    };
    let [charged, held] = await Promise.allSettled([this.#charge(charge), wallets.hold(key.accountId, hold)]);
    if (isGranted(charged) && held.status === 'fulfilled' && !held.value.granted) {
      [held] = await Promise.allSettled([this.#holdAfterRecovery(key.accountId, hold, held.value)]);
    }
    if (isGranted(charged) && isGranted(held)) {
      return this.#admitted(request, hold, charged.value.state, held.value.wallet);
    }
    await this.#undo(request, hold, charged, held);
    throw this.#reason(charge, charged, held, nowMs);
  }

  /**
   * Counts a request that runs no model against the key. Throws 401 or 429; returns the key's state and its
   * rate-limit headers.
   */
  async touch(key: VerifiedKey): Promise<{ readonly state: KeyState; readonly headers: Record<string, string> }> {
    const nowMs = this.#dependencies.clock();
    const charge: KeyCharge = { key, windows: windowsAt(nowMs), tokens: 0, amount: 0n };
    const result = await this.#charge(charge);
    if (!result.granted) throw this.#keyRefusal(result, charge, nowMs);
    return { state: result.state, headers: rateLimitHeaders(result.state, nowMs) };
  }

  async #charge(charge: KeyCharge): Promise<ChargeResult> {
    const { keys } = this.#dependencies;
    let result = await keys.charge(charge);
    for (let tries = 1; tries < MAX_CHARGE_TRIES; tries += 1) {
      if (result.granted || result.state === undefined) return result;
      const found = result.state;
      const nowMs = this.#dependencies.clock();
      const state = rollWindows(found, charge.windows);
      if (refusal(state, charge, nowMs) !== undefined) return { granted: false, state };
      result = await keys.charge(charge, isStale(found, charge.windows) ? { from: found, to: state } : undefined);
    }
    return result;
  }

  /** Expired holds lock credit: when a wallet refuses, they are recovered and the hold is tried once more. */
  async #holdAfterRecovery(accountId: string, hold: Hold, refused: HoldResult): Promise<HoldResult> {
    if (refused.wallet === undefined) return refused;
    const { recovery, wallets } = this.#dependencies;
    const { settled, released } = await recovery.recoverWallet(refused.wallet);
    return settled + released === 0 ? refused : wallets.hold(accountId, hold);
  }

  #admitted(request: CallRequest, hold: Hold, state: KeyState, wallet: Wallet): Admission {
    const { recovery, clock } = this.#dependencies;
    let settlement: Promise<Settlement> | undefined;
    return {
      hold,
      headers: rateLimitHeaders(state, clock()),
      settle: (outcome) => {
        settlement ??= settleCall(this.#dependencies, request, hold, outcome).finally(() =>
          recovery.recoverQuietly(wallet),
        );
        return settlement;
      },
    };
  }

  /** Takes back what one half granted when the other refused or failed. The request itself stays counted. */
  async #undo(
    request: CallRequest,
    hold: Hold,
    charged: PromiseSettledResult<ChargeResult>,
    held: PromiseSettledResult<HoldResult>,
  ): Promise<void> {
    const { keys, wallets, log } = this.#dependencies;
    const work: Promise<unknown>[] = [];
    if (charged.status === 'fulfilled' && charged.value.granted) {
      work.push(keys.correct({ keyId: hold.keyId, windows: windowsAt(hold.created * 1000), tokens: request.tokens, amount: hold.amount }));
    }
    if (held.status === 'rejected' || held.value.granted) {
      work.push(wallets.endHold(request.key.accountId, { id: hold.id, amount: hold.amount, cost: 0n }));
    }
    for (const result of await Promise.allSettled(work)) {
      // A hold that could not be undone expires and is released; a window that could not errs to the strict side.
      if (result.status === 'rejected') log.error('undo failed', { requestId: hold.id, failure: String(result.reason) });
    }
  }

  #reason(
    charge: KeyCharge,
    charged: PromiseSettledResult<ChargeResult>,
    held: PromiseSettledResult<HoldResult>,
    nowMs: number,
  ): unknown {
    if (charged.status === 'rejected') return charged.reason;
    if (!charged.value.granted) return this.#keyRefusal(charged.value, charge, nowMs);
    if (held.status === 'rejected') return held.reason;
    const headers = rateLimitHeaders(charged.value.state, nowMs);
    this.#refusals.remember(charge.key.keyId, nowMs);
    return insufficientCredit(charge.amount).withHeaders(headers);
  }

  #keyRefusal(result: ChargeResult, charge: KeyCharge, nowMs: number): ServiceError {
    const reason = refusal(result.state, charge, nowMs);
    if (reason === undefined) return new ServiceError('internal_error', 'The service is too busy with this API key.');
    this.#refusals.remember(charge.key.keyId, nowMs);
    if (result.state === undefined || reason.status === 401) return reason;
    return reason.withHeaders(rateLimitHeaders(result.state, nowMs));
  }
}

function isGranted<T extends ChargeResult | HoldResult>(
  result: PromiseSettledResult<T>,
): result is PromiseFulfilledResult<T & { granted: true }> {
  return result.status === 'fulfilled' && result.value.granted;
}
