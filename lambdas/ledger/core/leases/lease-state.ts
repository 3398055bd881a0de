/** The state of a lease: the two entries, the calls that draw from them, and the items as their last responses showed them. */

import { type CostByDay, type LeasedKey, totalOf } from '../../../access/core/key-leases.ts';
import type { Windows } from '../../../access/core/windows.ts';
import { least, type NanoUsd } from '../../../platform/core/money.ts';
import type { Call } from '../call.ts';
import type { AccountSnapshot } from '../preflight.ts';
import type { LeasedWallet } from './ports.ts';
import { LeaseSide, type MinuteLimit } from './side.ts';
import type { Quantity, Remainder } from './slack.ts';
import { FRESH_MS } from './times.ts';

const SECONDS_A_DAY = 86_400;

/** The bound of a call, and its tokens of the minute. */
export interface Bound {
  readonly amount: NanoUsd;
  readonly tokens: number;
}

/** A call that was recorded. */
export interface SettledCall {
  /** Seconds since the epoch. */
  readonly created: number;
  readonly cost: NanoUsd;
  /** Tokens that count against the key's tokens a minute. */
  readonly tokens: number;
}

/** An account without a wallet. It covers no call. */
const NO_WALLET: LeasedWallet = { balance: -1n, debt: 0n, spentAmount: 0n, leases: new Map() };

export class LeaseState {
  readonly windows: Windows;
  readonly wallet = new LeaseSide();
  readonly key = new LeaseSide();
  walletItem: LeasedWallet | undefined;
  keyItem: LeasedKey | undefined;
  /** The time of the request that returned the key's item, uptime. */
  keyReadMs = Number.NEGATIVE_INFINITY;
  /** Open calls, and the sum of their bounds. */
  #open = 0;
  #drawn: NanoUsd = 0n;
  /** The cost of all durable records. */
  readonly #cost: [NanoUsd, NanoUsd] = [0n, 0n];
  /** The requests and tokens of all calls; those of settled calls are what they used. */
  readonly #used = { requests: 0, tokens: 0 };

  constructor(windows: Windows) {
    this.windows = windows;
  }

  /** Returns whether the key was read so recently that the lease may admit calls without another request. */
  isFresh(uptimeMs: number): boolean {
    return uptimeMs - this.keyReadMs <= FRESH_MS;
  }

  get openCalls(): number {
    return this.#open;
  }

  get cost(): CostByDay {
    return [...this.#cost];
  }

  get isOpen(): boolean {
    return this.wallet.isOpen || this.key.isOpen;
  }

  /** The recorded cost that a side has not charged yet. */
  get uncharged(): NanoUsd {
    return totalOf(this.#cost) - least(totalOf(this.wallet.settled), totalOf(this.key.settled));
  }

  draw({ amount, tokens }: Bound): void {
    this.#open += 1;
    this.#drawn += amount;
    this.#used.requests += 1;
    this.#used.tokens += tokens;
  }

  /** Counts a call that the wallet rejected, if a request was taken for it. */
  countRejected(): void {
    if (this.key.isOpen && this.#remaining('requests') >= 1) this.#used.requests += 1;
  }

  /** Ends a call whose record is durable: its bound is free, and its cost counts. */
  settle({ amount, tokens }: Bound, record: SettledCall): void {
    const isNextDay = Math.floor(record.created / SECONDS_A_DAY) > this.windows.day;
    this.#cost[isNextDay ? 1 : 0] += record.cost;
    this.#used.tokens += record.tokens - tokens;
    this.#open -= 1;
    this.#drawn -= amount;
  }

  /** Returns the totals of the lease with these calls and that slack. */
  totalsWith(calls: readonly { readonly call: Call; readonly output: number }[], slack: Quantity) {
    let [amount, tokens] = [this.#drawn + slack.amount, this.#used.tokens + slack.tokens];
    for (const { call, output } of calls) {
      amount += call.cost(output);
      tokens += call.tokens(output);
    }
    return {
      amount,
      tokens,
      requests: this.#used.requests + calls.length + slack.requests,
      settled: this.cost,
    };
  }

  /** Returns the credit that a side has for certain beyond open calls. */
  free(side: LeaseSide): NanoUsd {
    return side.free(this.#drawn, totalOf(this.#cost));
  }

  /** The sum of what both sides have. */
  get isUnused(): boolean {
    return this.free(this.wallet) + this.free(this.key) > 0n;
  }

  /**
   * Returns what the lease has taken of key and wallet; undefined before both sides are open. A limit that was lowered
   * below what is taken leaves the item with less than nothing: so much of what the lease has may not be drawn.
   */
  inHand(): AccountSnapshot | undefined {
    if (this.keyItem === undefined || !this.wallet.isOpen || !this.key.isOpen) return undefined;
    const { state } = this.keyItem;
    const capLeft = this.free(this.key);
    return {
      state: {
        ...state,
        requestsLeft: this.#remaining('requests') + Math.min(state.requestsLeft, 0),
        tokensLeft: BigInt(this.#remaining('tokens')) + least(state.tokensLeft, 0n),
        dayLeft: capLeft + least(state.dayLeft, 0n),
        monthLeft: capLeft + least(state.monthLeft, 0n),
      },
      wallet: { balance: this.free(this.wallet) },
    };
  }

  /** The same with what the items have left; undefined before the key was read. */
  inReach(): AccountSnapshot | undefined {
    if (this.keyItem === undefined) return undefined;
    const { state } = this.keyItem;
    const { balance, debt } = this.walletItem ?? NO_WALLET;
    const capLeft = this.free(this.key);
    return {
      state: {
        ...state,
        requestsLeft: state.requestsLeft + this.#remaining('requests'),
        tokensLeft: state.tokensLeft + BigInt(this.#remaining('tokens')),
        dayLeft: state.dayLeft + capLeft,
        monthLeft: state.monthLeft + capLeft,
      },
      wallet: { balance: (debt > 0n ? 0n : balance) + this.free(this.wallet) },
    };
  }

  /** The amounts that the items have left for slack; undefined if none may be taken. */
  get remainder(): Remainder | undefined {
    if (this.keyItem === undefined || this.walletItem === undefined || this.walletItem.debt > 0n)
      return undefined;
    const { dayLeft, monthLeft, requestsLeft, tokensLeft } = this.keyItem.state;
    return {
      balance: this.walletItem.balance,
      cap: least(dayLeft, monthLeft),
      requests: requestsLeft,
      tokens: Number(tokensLeft),
    };
  }

  /** Returns whether another lease holds credit or limits that it may return soon. */
  othersHaveSlack(leaseId: string, nowSeconds: number): boolean {
    return [this.walletItem, this.keyItem].some((item) =>
      [...(item?.leases ?? [])].some(
        ([id, { amount, expires }]) => id !== leaseId && amount > 0n && expires > nowSeconds,
      ),
    );
  }

  #remaining(what: MinuteLimit): number {
    return this.key.taken(what) - this.#used[what];
  }
}
