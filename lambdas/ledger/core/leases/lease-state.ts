/** The account of a lease: what its two entries hold, what its open calls have drawn, and what its records cost. */

import { CAPS, capsLeft } from '../../../access/core/keys/caps.ts';
import { type CostByDay, totalOf } from '../../../access/core/keys/key-leases.ts';
import type { KeyState } from '../../../access/core/keys/key-state.ts';
import type { Windows } from '../../../access/core/keys/windows.ts';
import { least, type NanoUsd } from '../../../platform/core/money.ts';
import type { Call } from '../call.ts';
import type { Wallet } from '../ports.ts';
import { type AccountSnapshot, largestOutput } from '../preflight.ts';
import type { LeaseSide, MinuteLimit, SideState } from './side.ts';
import type { Quantity, Remainder } from './slack.ts';

const SECONDS_A_DAY = 86_400;

/** The bound of a call, and its tokens of the minute. */
export interface Bound {
  readonly amount: NanoUsd;
  readonly tokens: number;
}

/** Returns the bound of a call with its largest output. */
export const boundOf = ({ output: { max }, cost, tokens }: Call): Quantity => ({
  amount: cost(max),
  requests: 1,
  tokens: tokens(max),
});

/** A call that was recorded. */
export interface RecordedCost {
  /** Seconds since the epoch. */
  readonly created: number;
  readonly cost: NanoUsd;
  /** Tokens that count against the key's tokens a minute. */
  readonly tokens: number;
}

export class LeaseState {
  readonly wallet: LeaseSide<Wallet>;
  readonly key: LeaseSide<KeyState>;
  readonly #windows: Windows;
  /** Open calls, and the sum of their bounds. */
  #open = 0;
  #drawn: NanoUsd = 0n;
  /** The cost of all durable records. */
  readonly #cost: [NanoUsd, NanoUsd] = [0n, 0n];
  /** The requests and tokens of all calls; those of settled calls are what they used. */
  readonly #used = { requests: 0, tokens: 0 };

  constructor(windows: Windows, wallet: LeaseSide<Wallet>, key: LeaseSide<KeyState>) {
    this.#windows = windows;
    this.wallet = wallet;
    this.key = key;
  }

  get openCalls(): number {
    return this.#open;
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

  /** Ends a call whose record is durable: its bound is free, and its cost counts. */
  settle({ amount, tokens }: Bound, record: RecordedCost): void {
    const isNextDay = Math.floor(record.created / SECONDS_A_DAY) > this.#windows.day;
    this.#cost[isNextDay ? 1 : 0] += record.cost;
    this.#used.tokens += record.tokens - tokens;
    this.#open -= 1;
    this.#drawn -= amount;
  }

  /** Returns the totals that the lease needs for its calls and so much more. */
  totalsWith(more: Quantity): Omit<SideState, 'entry'> & { readonly amount: NanoUsd } {
    return {
      amount: this.#drawn + more.amount,
      requests: this.#used.requests + more.requests,
      tokens: this.#used.tokens + more.tokens,
      settled: [...this.#cost] as CostByDay,
    };
  }

  /** Returns the credit that a side has for certain beyond open calls. */
  free(side: LeaseSide<Wallet> | LeaseSide<KeyState>): NanoUsd {
    return side.free(this.#drawn, totalOf(this.#cost));
  }

  /** Returns the requests or tokens that the lease has for certain beyond its calls. */
  remaining(what: MinuteLimit): number {
    return this.key.taken(what) - this.#used[what];
  }

  /** True if a side has credit beyond open calls. */
  get hasFreeCredit(): boolean {
    return this.free(this.wallet) > 0n || this.free(this.key) > 0n;
  }

  /** Returns whether what the lease has taken covers the largest output of a call. */
  covers({ key, scope, output: { max }, tokens, cost }: Call, nowMs: number): boolean {
    const inHand = this.#inHand();
    if (inHand === undefined) return false;
    const charge = { key, windows: this.#windows, tokens: 0, amount: 0n, scope };
    return largestOutput({ tokens, cost }, { min: max, max }, inHand, { charge, nowMs }) !== undefined;
  }

  /**
   * Returns what the lease has taken of key and wallet; undefined before both sides are open. A limit that was lowered
   * below what is taken leaves the item with less than nothing: so much of what the lease has may not be drawn.
   */
  #inHand(): Required<AccountSnapshot> | undefined {
    const state = this.key.item;
    if (state === undefined || !this.wallet.isOpen || !this.key.isOpen) return undefined;
    const capLeft = this.free(this.key);
    return {
      state: {
        ...state,
        requestsLeft: this.remaining('requests') + Math.min(state.requestsLeft, 0),
        tokensLeft: BigInt(this.remaining('tokens')) + least(state.tokensLeft, 0n),
        ...capsLeft(({ left }) => capLeft + least(state[left], 0n)),
      },
      wallet: { balance: this.free(this.wallet) },
    };
  }

  /** The state of the key with what this lease has not used; undefined before the key was read. */
  get keyState(): KeyState | undefined {
    const state = this.key.item;
    return (
      state && {
        ...state,
        requestsLeft: state.requestsLeft + this.remaining('requests'),
        tokensLeft: state.tokensLeft + BigInt(this.remaining('tokens')),
      }
    );
  }

  /** The amounts that the items have left for slack; undefined if none may be taken. */
  get remainder(): Remainder | undefined {
    const [state, wallet] = [this.key.item, this.wallet.item];
    if (state === undefined || wallet === undefined || wallet.debt > 0n) return undefined;
    const { requestsLeft, tokensLeft } = state;
    return {
      balance: wallet.balance,
      cap: CAPS.map(({ left }) => state[left]).reduce(least),
      requests: requestsLeft,
      tokens: Number(tokensLeft),
    };
  }
}
