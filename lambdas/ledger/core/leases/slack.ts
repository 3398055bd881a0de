/** The slack of a lease: what it takes beyond its open calls, for those that its key makes until the next tick. */
import { least, type NanoUsd } from '../../../platform/core/money.ts';

/** An amount of each limited resource. */
export interface Quantity {
  readonly amount: NanoUsd;
  readonly requests: number;
  readonly tokens: number;
}

export const NOTHING: Quantity = { amount: 0n, requests: 0, tokens: 0 };

export const plus = (a: Quantity, b: Quantity): Quantity => ({
  amount: a.amount + b.amount,
  requests: a.requests + b.requests,
  tokens: a.tokens + b.tokens,
});

/** The amounts that the wallet and the key have left, as of their last responses. */
export interface Remainder {
  readonly balance: NanoUsd;
  /** The least that is left of a cap. */
  readonly cap: NanoUsd;
  readonly requests: number;
  readonly tokens: number;
}

/** Shares of what is left that slack may take at most, so that it rejects no other process's call. */
const BALANCE_SHARE = 64n;
const CAP_SHARE = 16n;
const MINUTE_SHARE = 8;

const SECOND_MS = 1_000;

/** The calls of the last second. */
export class RecentDraws {
  #draws: (Quantity & { readonly atMs: number })[] = [];

  add(draw: Omit<Quantity, 'requests'>, atMs: number): void {
    this.#draws.push({ ...draw, requests: 1, atMs });
  }

  /** One and a half times the calls of the last second, and one call more; nothing if less than one call is left for it. */
  slack(left: Remainder, nowMs: number): Quantity {
    this.#draws = this.#draws.filter(({ atMs }) => atMs > nowMs - SECOND_MS);
    const count = this.#draws.length;
    if (count === 0) return NOTHING;
    let [amount, largest, tokens, mostTokens] = [0n, 0n, 0, 0];
    for (const draw of this.#draws) {
      amount += draw.amount;
      tokens += draw.tokens;
      if (draw.amount > largest) largest = draw.amount;
      mostTokens = Math.max(mostTokens, draw.tokens);
    }
    const slack = {
      amount: [left.balance / BALANCE_SHARE, left.cap / CAP_SHARE].reduce(
        least,
        (amount * 3n) / 2n + largest,
      ),
      requests: Math.floor(Math.min(count * 1.5 + 1, left.requests / MINUTE_SHARE)),
      tokens: Math.floor(Math.min(tokens * 1.5 + mostTokens, left.tokens / MINUTE_SHARE)),
    };
    const fitsOne = slack.amount >= largest && slack.requests >= 1 && slack.tokens >= mostTokens;
    return fitsOne ? slack : NOTHING;
  }
}
