/** The most that a probe can cost, known before its first call and kept to by every one. */
import type { Prices, TokenPrices } from '../../lambdas/core/inference/pricing/prices.ts';
import { divideUp, greatest, type NanoUsd } from '../../lambdas/core/money.ts';

/** What calls may use, tokens. */
export interface Usage {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

/** Beside its text, a host may count a template, and instructions of its own for tools (Claude API docs, "Tool use", Pricing: 346 tokens). */
const HIDDEN_TOKENS = 500;

/** The most tokens that a request counts as its prompt: no token is less than a byte. */
export const promptBound = (body: string): number => Buffer.byteLength(body) + HIDDEN_TOKENS;

/** What is left of what a probe may use. */
export class Allowance {
  readonly #most: Usage;
  #used: Usage = { calls: 0, input: 0, output: 0 };

  constructor(most: Usage) {
    this.#most = most;
  }

  get used(): Usage {
    return this.#used;
  }

  /** Takes a call. Throws when that is more than there is: the bound that was shown would be wrong. */
  take(input: number, output: number): void {
    this.#used = {
      calls: this.#used.calls + 1,
      input: this.#used.input + input,
      output: this.#used.output + output,
    };
    const { calls, input: prompt, output: answer } = this.#most;
    if (this.#used.calls > calls || this.#used.input > prompt || this.#used.output > answer)
      throw new Error('the probe would cost more than it said: it is a mistake in the program');
  }
}

const MILLION = 1_000_000n;

const dearest = (amounts: readonly (NanoUsd | undefined)[]): NanoUsd =>
  amounts.reduce<NanoUsd>((most, amount) => greatest(most, amount ?? 0n), 0n);

/** The dearest rates that calls without any lever can have, of a million tokens. */
const ratesOf = ({ input, output, reasoning_output: reasoning, cache_writes: writes = {} }: TokenPrices) => ({
  input: dearest([input, ...Object.values(writes)]),
  output: dearest([output, reasoning]),
});

/**
 * What this usage costs at most, where the host keeps to the bound of the output and charges nothing for a call that it
 * fails; undefined without a price of tokens.
 */
export function costOf({ calls, input, output }: Usage, prices: Prices | undefined): NanoUsd | undefined {
  if (prices?.unit !== 'per_million_tokens') return undefined;
  const rates = ratesOf(prices);
  const tokens = divideUp(BigInt(input) * rates.input + BigInt(output) * rates.output, MILLION);
  return tokens + BigInt(calls) * (prices.request ?? 0n);
}
