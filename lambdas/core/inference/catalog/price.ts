/** Price rules: what counted units cost, in nano-USD, rounded up once. */
import { divideUp, greatest, type NanoUsd, toFraction } from '../../money.ts';
import type { TokenUsage } from '../pricing/token-usage.ts';
import type { Model } from './catalog-document.ts';

const TOKENS_PER_PRICE = 1_000_000n;

/** Cost of a token-billed call. Throws when the model is billed by another unit: the catalog rules that out. */
export function tokenCost(model: Model, usage: TokenUsage): NanoUsd {
  const { price } = model;
  if (price.unit !== 'per_million_tokens') throw new Error(`${model.id} is not billed by tokens`);
  const cached = BigInt(Math.min(usage.cachedTokens, usage.promptTokens));
  const fresh = BigInt(usage.promptTokens) - cached;
  const total =
    fresh * price.input +
    cached * (price.cached_input ?? price.input) +
    BigInt(usage.completionTokens) * (price.output ?? 0n);
  return divideUp(total, TOKENS_PER_PRICE);
}

/** Cost of tokens that a model reads without writing any. Throws as `tokenCost` does. */
export const promptCost = (model: Model, promptTokens: number): NanoUsd =>
  tokenCost(model, { promptTokens, cachedTokens: 0, completionTokens: 0 });

/** What a call may cost. */
export interface CostBound {
  /** To be held: what the call costs at most, by what is known of its content. */
  readonly amount: NanoUsd;
  /** What it cannot exceed, whatever its content; at least `amount`. */
  readonly ceiling: NanoUsd;
}

/** The bound of a call whose cost is known to the nano-dollar, or never charged beyond it. */
export const exactly = (amount: NanoUsd): CostBound => ({ amount, ceiling: amount });

/** The bound that covers both. */
export const coverBoth = (a: CostBound, b: CostBound): CostBound => ({
  amount: greatest(a.amount, b.amount),
  ceiling: greatest(a.ceiling, b.ceiling),
});

/** Cost of a number of images. Throws when the model is billed by another unit: the catalog rules that out. */
export function imageCost({ id, price }: Model, images: number): NanoUsd {
  if (price.unit !== 'per_image') throw new Error(`${id} is not billed by the image`);
  return BigInt(images) * price.image;
}

const SECONDS_PER_MINUTE = 60n;

/** Cost of a number of seconds at a price a minute. */
export function durationCost(pricePerMinute: NanoUsd, seconds: number): NanoUsd {
  const { numerator, denominator } = toFraction(seconds);
  return divideUp(numerator * pricePerMinute, denominator * SECONDS_PER_MINUTE);
}

/** Price of a minute. Throws when the model is billed by another unit: the catalog rules that out. */
export function minutePrice({ id, price }: Model): NanoUsd {
  if (price.unit !== 'per_minute') throw new Error(`${id} is not billed by the minute`);
  return price.minute;
}
