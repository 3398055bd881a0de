/**
 * The rates of a price list that are below those of another one. At each of them, some call costs less by the first
 * list than by the second. Without such a rate, no call costs less.
 */
import type { NanoUsd } from '../../../platform/core/money.ts';
import { billOf, imageItem, type LinePrice, type PricingContext, rateOf, ratesOf } from './bill.ts';
import { type BillableItem, countSame, type TokenItem } from './counts.ts';
import { type ImagePrices, LIFETIMES, type Prices, type Rates, type TokenPrices } from './prices.ts';

export interface LowRate {
  /** The item as the lines of a bill name it, and when it has this rate. */
  readonly rate: string;
  readonly own: LinePrice;
  readonly other: LinePrice;
}

/** The bounds on what calls on a model can be billed for: the prices and the longest prompt. */
export interface BillableRange {
  /**
   * The prices that callers pay. A tier, a tool or a type of tokens without a price here is rejected, and so never
   * billed.
   */
  readonly sold: Prices;
  /** The most tokens of a prompt; any number when absent. */
  readonly longestPrompt?: number | undefined;
}

/**
 * Returns the rates of `own` that are below those of `other`, among the items that a call can be billed by. `own` is the price
 * of the caller, for example, and `other` the price of the provider. Undefined if the lists, or the sold items, have different
 * units, such as images and requests.
 */
export function lowRates(own: Prices, other: Prices, range: BillableRange): readonly LowRate[] | undefined {
  const { sold } = range;
  if ([other, sold].some(({ unit }) => !countSame(own.unit, unit))) return undefined;
  if (isOfTokens(own) && isOfTokens(other) && isOfTokens(sold))
    return tokenRates(own, other, { ...range, sold });
  return unitItems(own, other).flatMap((item) => low(item, unitPrice(own, item), unitPrice(other, item)));
}

const isOfTokens = (prices: Prices): prices is TokenPrices => prices.unit === 'per_million_tokens';

const low = (rate: string, own: LinePrice, other: LinePrice): readonly LowRate[] =>
  own.price * BigInt(other.per) < other.price * BigInt(own.per) ? [{ rate, own, other }] : [];

const each = (price: NanoUsd): LinePrice => ({ price, per: 1 });

interface BillableTokenRange extends BillableRange {
  readonly sold: TokenPrices;
}

function tokenRates(own: TokenPrices, other: TokenPrices, range: BillableTokenRange): readonly LowRate[] {
  const { sold, longestPrompt } = range;
  // A tool that the provider runs makes it read the prompt several times, which may count more than a window.
  const lengths = lengthsOf([own, other], sold.features === undefined ? longestPrompt : undefined);
  const contexts: readonly PricingContext[] = [undefined, ...Object.keys(sold.service_tiers ?? {})].flatMap(
    (serviceTier) =>
      [undefined, ...Object.keys(sold.regions ?? {})].map((region) => ({ serviceTier, region })),
  );
  return [
    ...contexts.flatMap((context) => lowRatesIn([own, other], { sold, lengths }, context)),
    ...Object.keys(sold.features ?? {}).flatMap((name) =>
      low(`feature:${name}`, each(featurePrice(own, name)), each(featurePrice(other, name))),
    ),
    ...low('request', each(own.request ?? 0n), each(other.request ?? 0n)),
  ];
}

const featurePrice = ({ features = {} }: TokenPrices, name: string): NanoUsd =>
  (Object.hasOwn(features, name) ? features[name]?.price : undefined) ?? 0n;

/** The low rates in each tier by prompt length. What is as low in the tier before is not listed again. */
function lowRatesIn(
  [own, other]: readonly [TokenPrices, TokenPrices],
  { sold, lengths }: { readonly sold: TokenPrices; readonly lengths: readonly number[] },
  context: PricingContext,
): readonly LowRate[] {
  const before = new Map<TokenItem, string>();
  return lengths.flatMap((length) => {
    const [ownRates, otherRates] = [ratesOf(own, length, context), ratesOf(other, length, context)];
    const pricePairs = new Set<string>();
    return itemsOf(sold).flatMap((item) => {
      const [price, otherPrice] = [rateOf(ownRates, item), rateOf(otherRates, item)];
      const pricePair = `${price} ${otherPrice}`;
      const isNamed = hasRate(ownRates.rates, item) || hasRate(otherRates.rates, item);
      const isKnown = before.get(item) === pricePair || (!isNamed && pricePairs.has(pricePair));
      before.set(item, pricePair);
      pricePairs.add(pricePair);
      if (isKnown) return [];
      const tokens = (amount: NanoUsd): LinePrice => ({ price: amount, per: 1_000_000 });
      return low(`${item}${asText(length, context)}`, tokens(price), tokens(otherPrice));
    });
  });
}

/** A prompt length in each tier of either list, the shortest first. */
function lengthsOf(lists: readonly TokenPrices[], longest = Number.POSITIVE_INFINITY): readonly number[] {
  const starts = lists.flatMap(({ tiers = [], service_tiers: services = {} }) => [
    ...tiers,
    ...Object.values(services).flatMap((tier) => ('factor' in tier ? [] : (tier.tiers ?? []))),
  ]);
  const lengths = new Set([0, ...starts.map(({ above }) => above + 1).filter((length) => length <= longest)]);
  return [...lengths].sort((a, b) => a - b);
}

/** Returns the items that tokens can be counted as at these prices. All others are rejected, or counted as text. */
function itemsOf(sold: TokenPrices): readonly TokenItem[] {
  const written = LIFETIMES.filter(
    (lifetime) => lifetime === 'auto' || sold.cache_writes?.[lifetime] !== undefined,
  );
  const items: readonly TokenItem[] = [
    'input',
    'output',
    'cached_input',
    'reasoning_output',
    'image_input',
    'cached_image_input',
    ...written.map((lifetime) => `cache_write_${lifetime}` as const),
    ...(['audio_input', 'audio_output', 'image_output', 'video_input', 'video_output'] as const).filter(
      (item) => sold[item] !== undefined,
    ),
    ...(sold.audio_input === undefined ? [] : (['cached_audio_input'] as const)),
  ];
  return sold.output === undefined ? items.filter((item) => !item.endsWith('output')) : items;
}

/** Returns whether the item has a separate rate there. */
function hasRate(rates: Rates, item: TokenItem): boolean {
  const lifetime = LIFETIMES.find((each) => item === `cache_write_${each}`);
  if (lifetime !== undefined) return rates.cache_writes?.[lifetime] !== undefined;
  return rates[item as Exclude<TokenItem, `cache_write_${string}`>] !== undefined;
}

function asText(length: number, { serviceTier, region }: PricingContext): string {
  const conditions = [
    ...(serviceTier === undefined ? [] : [`service tier ${serviceTier}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
    ...(length === 0 ? [] : [`prompts above ${length - 1} tokens`]),
  ];
  return conditions.length === 0 ? '' : ` (${conditions.join(', ')})`;
}

/** Returns the items of calls that are not billed by tokens. */
function unitItems(own: Prices, other: Prices): readonly BillableItem[] {
  if (own.unit === 'per_image')
    return imageItems([own, other].flatMap((list) => (list.unit === 'per_image' ? [list] : [])));
  if (own.unit === 'per_million_characters') return ['character'];
  return own.unit === 'per_request' ? ['request'] : ['second'];
}

/** Every quality and size that a list names; an empty one stands for all that none names. */
function imageItems(lists: readonly ImagePrices[]): readonly BillableItem[] {
  const variants = lists.flatMap((list) => list.variants ?? []);
  const qualities = new Set(['', ...variants.flatMap(({ quality }) => quality ?? [])]);
  const sizes = new Set(['', ...variants.flatMap(({ size }) => size ?? [])]);
  return [...qualities].flatMap((quality) => [...sizes].map((size) => imageItem(quality, size)));
}

const unitPrice = (prices: Prices, item: BillableItem): LinePrice => {
  const [{ price, per } = each(0n)] = billOf(prices, new Map([[item, 1]])).lines;
  return { price, per };
};
