/**
 * Admission of a call: the key's windows and the wallet are charged side by side, each in one conditional write, and
 * when one refuses, the other is undone. What is returned settles exactly once.
 */
import type { KeyCharge, KeyState } from '../access/key-state.ts';
import { rateLimitHeaders } from '../access/rate-limit-headers.ts';
import { windowsAt } from '../access/windows.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Clock, Log } from '../ports.ts';
import type { CallRequest } from './call.ts';
import { coverOf } from './exposure.ts';
import type { KeyGate } from './key-gate.ts';
import type { ChargeResult, Hold, HoldResult, KeyStore, UsageStore, Wallet, WalletStore } from './ports.ts';
import type { Recovery } from './recovery.ts';
import { insufficientCredit, type Refusals } from './refusals.ts';
import { type OnSettled, type Settlement, settleCall } from './settlement.ts';
import type { Outcome } from './usage-record.ts';

export interface LedgerDependencies {
  readonly keys: KeyStore;
  readonly gate: KeyGate;
  readonly refusals: Refusals;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly recovery: Recovery;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each call that this process settled, once its record is written. */
  readonly onSettled: OnSettled;
  /** Seconds that a hold lives. */
  readonly holdTtlSeconds: number;
}

/** An admitted call: its hold is open until it is settled. */
export interface Admission {
  readonly hold: Hold;
  /** Rate-limit headers as of the admission. */
  readonly headers: Readonly<Record<string, string>>;
  /** Settles the call; a second call of it returns the first one's result. */
  settle(outcome: Outcome): Promise<Settlement>;
}

/** What came of the two halves of an admission, where not both granted it. */
interface Refused {
  readonly charged: PromiseSettledResult<ChargeResult>;
  readonly held: PromiseSettledResult<HoldResult>;
  readonly hold: Hold;
}

type Try =
  | { readonly admission: Admission }
  | {
      readonly admission: undefined;
      /** The wallet refused because the account is on probation, and nothing else did. */
      readonly forProbation: boolean;
      readonly failure: () => unknown;
    };

/** Bounds the memory of accounts on probation; one that falls out is found again at its next call. */
const MAX_ON_PROBATION = 10_000;

export class Ledger {
  readonly #dependencies: LedgerDependencies;
  /** Accounts on probation, as far as this process knows: their calls are held at their ceiling from the start. */
  readonly #onProbation = new BoundedMap<string, true>(MAX_ON_PROBATION);

  constructor(dependencies: LedgerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Holds `amount`, or the `ceiling` for an account on probation, and charges the key's windows, in one round trip; in
   * two, and their undoing, where this process learns of the probation. Throws 401, 403, 429 or 402, in this order of
   * precedence, with nothing held; any failure to reach the database is thrown as it is, after undoing.
   */
  async admit(request: CallRequest): Promise<Admission> {
    const known = this.#onProbation.has(request.key.accountId);
    const first = await this.#try(known ? atCeiling(request) : request);
    if (first.admission !== undefined) return first.admission;
    if (!first.forProbation) throw first.failure();
    const second = await this.#try(atCeiling(request), true);
    if (second.admission !== undefined) return second.admission;
    throw second.failure();
  }

  /** `counted`: an earlier try of the same call has counted its request against the key. */
  async #try(request: CallRequest, counted = false): Promise<Try> {
    const { clock, gate, refusals, wallets, holdTtlSeconds } = this.#dependencies;
    const nowMs = clock();
    const windows = windowsAt(nowMs);
    const { key, tokens, amount } = request;
    const created = Math.floor(nowMs / 1000);
    const expires = created + holdTtlSeconds;
    const { kind } = request.scope;
    // A second try of the same call is a charge of its own.
    const call = counted ? `${request.requestId}+` : request.requestId;
    const charge: KeyCharge = { key, windows, tokens, amount, scope: request.scope, call, counted };
    await refusals.check(charge, nowMs);
    const hold: Hold = {
      id: request.requestId,
      keyId: key.keyId,
      kind,
      amount,
      exposure: request.ceiling - amount,
      tokens,
      created,
      expires,
    };
    let [charged, held] = await Promise.allSettled([gate.charge(charge), wallets.hold(key.accountId, hold)]);
    if (isGranted(charged) && held.status === 'fulfilled' && !held.value.granted) {
      [held] = await Promise.allSettled([this.#holdAfterRecovery(key.accountId, hold, held.value)]);
    }
    const probation = this.#learnProbation(key.accountId, held);
    if (isGranted(charged) && isGranted(held)) {
      const taking = { ...taken(held, hold), ...(probation ? { onProbation: true } : {}) };
      const admission = this.#admitted(request, taking, charged.value.state, held.value.wallet);
      return { admission };
    }
    await this.#undo(charge, hold, charged, held);
    return {
      admission: undefined,
      forProbation: probation && hold.exposure > 0n && isGranted(charged),
      failure: () => this.#reason(charge, { charged, held, hold }, nowMs),
    };
  }

  /** Notes whether the account is on probation, as far as its wallet answered. */
  #learnProbation(accountId: string, held: PromiseSettledResult<HoldResult>): boolean {
    const wallet = held.status === 'fulfilled' ? held.value.wallet : undefined;
    if (wallet === undefined) return false;
    if (wallet.probation > 0n) this.#onProbation.set(accountId, true);
    else this.#onProbation.delete(accountId);
    return wallet.probation > 0n;
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
    // Judged now: a hold that is open at admission may have ended well by the time this call settles.
    const expired = recovery.expiredOf(wallet);
    const confirmed = this.#confirm(request, hold, state);
    let settlement: Promise<Settlement> | undefined;
    return {
      hold,
      headers: rateLimitHeaders(state, clock()),
      settle: (outcome) => {
        const call = { request, hold, windows: state.windows };
        settlement ??= settleCall(this.#dependencies, call, outcome).finally(() =>
          Promise.all([confirmed, recovery.recoverQuietly(expired)]),
        );
        return settlement;
      },
    };
  }

  /**
   * Notes in the hold that its key was charged, while the call runs: should it die, recovery gives the key back what
   * it took. A key without a cap has nothing that could be spent beyond one, and needs no proof.
   */
  async #confirm({ key }: CallRequest, hold: Hold, { policy }: KeyState): Promise<void> {
    if (policy.daily_usd === undefined && policy.monthly_usd === undefined) return;
    const { wallets, log } = this.#dependencies;
    await wallets.confirm(key.accountId, hold).catch((failure: unknown) => {
      log.warn('hold not confirmed', { requestId: hold.id, failure: String(failure) });
    });
  }

  /** Takes back what one half granted when the other refused or failed. The request itself stays counted. */
  async #undo(
    charge: KeyCharge,
    hold: Hold,
    charged: PromiseSettledResult<ChargeResult>,
    held: PromiseSettledResult<HoldResult>,
  ): Promise<void> {
    const { keys, wallets, log } = this.#dependencies;
    const work: Promise<unknown>[] = [];
    const end = { taken: charge, used: { tokens: 0, amount: 0n } };
    if (charged.status === 'rejected') {
      const unsure = { newest: charge.call ?? '' };
      work.push(keys.settle(hold.keyId, { ...end, windows: charge.windows, unsure }));
    } else if (charged.value.granted) {
      work.push(keys.settle(hold.keyId, { ...end, windows: charged.value.state.windows }));
    }
    if (held.status === 'rejected' || held.value.granted) {
      const end = { ...taken(held, hold), cost: 0n, recorded: hold.created };
      work.push(wallets.endHold(charge.key.accountId, end));
    }
    for (const result of await Promise.allSettled(work)) {
      // What could not be undone expires and is recovered.
      if (result.status === 'rejected')
        log.error('undo failed', { requestId: hold.id, failure: String(result.reason) });
    }
  }

  #reason(charge: KeyCharge, { charged, held, hold }: Refused, nowMs: number): unknown {
    const { gate, refusals } = this.#dependencies;
    if (charged.status === 'rejected') return charged.reason;
    if (charged.value.granted && held.status === 'rejected') return held.reason;
    refusals.remember(charge.key.keyId, nowMs);
    if (!charged.value.granted) return gate.explain(charged.value, charge, nowMs);
    const headers = rateLimitHeaders(charged.value.state, nowMs);
    const exposure = held.status === 'fulfilled' ? (held.value.wallet?.exposure ?? 0n) : 0n;
    return insufficientCredit(coverOf(hold, exposure)).withHeaders(headers);
  }
}

/** The same call, held for all that it can cost. */
const atCeiling = (request: CallRequest): CallRequest => ({ ...request, amount: request.ceiling });

function isGranted<T extends ChargeResult | HoldResult>(
  result: PromiseSettledResult<T>,
): result is PromiseFulfilledResult<T & { granted: true }> {
  return result.status === 'fulfilled' && result.value.granted;
}

/** The hold as the wallet has it, with the item it is in. */
function taken(held: PromiseSettledResult<HoldResult>, hold: Hold): Hold {
  const holds = held.status === 'fulfilled' ? held.value.wallet?.holds : undefined;
  return holds?.find(({ id }) => id === hold.id) ?? hold;
}
