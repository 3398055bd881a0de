/** The bill of a call: a line for everything that was counted, at the price that it had; rounded up once, in the sum. */
import type { BillLine } from '../../../ledger/core/usage-record.ts';
import { divideUp, type NanoUsd, toFraction } from '../../../platform/core/money.ts';
import { type BillableItem, type Counts, type ImageItem, promptTokensIn, type TokenItem } from './counts.ts';
import {
  type CachePeriod,
  type ImagePrices,
  type ImageVariant,
  mainPrice,
  ONE,
  type Prices,
  type Rates,
  type TokenPrices,
  UNIT_PRICES,
} from './prices.ts';

export interface Bill {
  readonly lines: readonly BillLine[];
  readonly amount: NanoUsd;
}

/** The tier and region that the provider used. Undefined means the standard. */
export interface PricingContext {
  readonly serviceTier?: string | undefined;
  readonly region?: string | undefined;
}

const TOKENS = 1_000_000;

/** Returns the total of lines in nano-USD, rounded up once. */
export function amountOf(lines: readonly Pick<BillLine, 'quantity' | 'price' | 'per'>[]): NanoUsd {
  let [numerator, denominator] = [0n, 1n];
  for (const { quantity, price, per } of lines) {
    const fraction = toFraction(quantity);
    const [over, under] = [fraction.numerator * price, fraction.denominator * BigInt(per)];
    if (under === denominator) numerator += over;
    else [numerator, denominator] = [numerator * under + over * denominator, denominator * under];
  }
  return divideUp(numerator, denominator);
}

/**
 * Bills the counted items. An item without a separate price has that of its base item, if there is one. Otherwise it is
 * free.
 */
export function billOf(prices: Prices, counts: Counts, context: PricingContext = {}): Bill {
  const priceOf = pricesOf(prices, counts, context);
  const lines: BillLine[] = [];
  const request = requestPrice(prices);
  for (const [item, quantity] of counts)
    lines.push({ item, quantity, ...(item === 'request' ? { price: request, per: 1 } : priceOf(item)) });
  if (request > 0n && counts.size > 0 && !counts.has('request'))
    lines.push({ item: 'request', quantity: 1, price: request, per: 1 });
  return { lines, amount: amountOf(lines) };
}

const requestPrice = (prices: Prices): NanoUsd => ('request' in prices ? (prices.request ?? 0n) : 0n);

/** Nano-USD for `per` of an item. */
export type LinePrice = Pick<BillLine, 'price' | 'per'>;

const FREE: LinePrice = { price: 0n, per: 1 };

function pricesOf(
  prices: Prices,
  counts: Counts,
  context: PricingContext,
): (item: BillableItem) => LinePrice {
  if (prices.unit === 'per_million_tokens') {
    const rates = ratesOf(prices, promptTokensIn(counts), context);
    return (item) => ofTokens(prices, rates, item);
  }
  return (item) => ofUnit(prices, item);
}

function ofUnit(prices: Exclude<Prices, TokenPrices>, item: BillableItem): LinePrice {
  if (prices.unit === 'per_image')
    return item.startsWith('image:') ? { price: imagePrice(prices, item), per: 1 } : FREE;
  const { item: counted, per } = UNIT_PRICES[prices.unit];
  return item === counted ? { price: mainPrice(prices), per } : FREE;
}

function ofTokens({ features }: TokenPrices, rates: ScaledRates, item: BillableItem): LinePrice {
  if (item.startsWith('feature:'))
    return { price: features?.[item.slice('feature:'.length)]?.price ?? 0n, per: 1 };
  return { price: rateOf(rates, item as TokenItem), per: TOKENS };
}

/** The rates of one tier, with the factor that they are charged at. */
export interface ScaledRates {
  readonly rates: Rates;
  /** In billionths. */
  readonly factor: bigint;
}

/** The rates of a prompt of that many tokens: the whole call at those of its tier. A name without a price is standard. */
export function ratesOf(prices: TokenPrices, promptTokens: number, context: PricingContext): ScaledRates {
  const tier = ownEntry(prices.service_tiers, context.serviceTier);
  const region = ownEntry(prices.regions, context.region)?.factor ?? ONE;
  const scale = tier !== undefined && 'factor' in tier ? tier.factor : ONE;
  const base: Rates & Pick<TokenPrices, 'tiers'> = tier === undefined || 'factor' in tier ? prices : tier;
  const rates = (base.tiers ?? []).findLast(({ above }) => promptTokens > above) ?? base;
  return { rates, factor: divideUp(scale * region, ONE) };
}

/** An entry that a caller cannot make up: names of a prototype do not count. */
const ownEntry = <T>(
  entries: Readonly<Record<string, T>> | undefined,
  name: string | undefined,
): T | undefined =>
  entries !== undefined && name !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;

/** Nano-USD of a million tokens of an item; a factor makes it a whole number, rounded up. */
export function rateOf({ rates, factor }: ScaledRates, item: TokenItem): NanoUsd {
  const rate = unscaled(rates, item);
  return factor === ONE ? rate : divideUp(rate * factor, ONE);
}

function unscaled(rates: Rates, item: TokenItem): NanoUsd {
  const { input, output = 0n, cached_input: cached } = rates;
  switch (item) {
    case 'input':
    case 'output':
    case 'cached_input':
    case 'reasoning_output':
    case 'audio_output':
    case 'image_output':
    case 'video_output':
      return rates[item] ?? (item === 'cached_input' ? input : output);
    case 'audio_input':
    case 'image_input':
    case 'video_input':
      return rates[item] ?? input;
    case 'cached_audio_input':
      return rates.cached_audio_input ?? rates.audio_input ?? cached ?? input;
    case 'cached_image_input':
      return rates.cached_image_input ?? cached ?? rates.image_input ?? input;
    default:
      return rates.cache_writes?.[item.slice('cache_write_'.length) as CachePeriod] ?? input;
  }
}

/** The item that an image of a quality and a size is counted as; an empty quality is the provider's own choice. */
export const imageItem = (quality: string, size: string): ImageItem => `image:${quality}:${size}`;

/** The price of an image: of the first variant that fits, else that of every image. */
function imagePrice({ image, variants = [] }: ImagePrices, item: string): NanoUsd {
  const [, quality = '', size = ''] = item.split(':');
  const fits = (variant: ImageVariant) =>
    (variant.quality ?? quality) === quality && (variant.size ?? size) === size;
  return variants.find(fits)?.image ?? image;
}
