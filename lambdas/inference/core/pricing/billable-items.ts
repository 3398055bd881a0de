/**
 * The billable items of a call on a model: the priced features of its request. Unpriced features are detected here,
 * before a hold is placed.
 */
import type { NanoUsd } from '../../../platform/core/money.ts';
import { greatest } from '../../../platform/core/money.ts';
import type { PricedFeature } from '../fields/need.ts';
import { amountOf, type PricingContext, rateOf, ratesOf, type ScaledRates } from './bill.ts';
import type { TokenItem } from './counts.ts';
import { type BillableFeature, LIFETIMES, MAX_USES, type Prices, type TokenPrices } from './prices.ts';

export interface BillableItems {
  /** The requested tier and region. Any other one that a route reports is not believed. */
  readonly requestedContext: PricingContext;
  /** The items that may be counted in addition to text, its cached part, and reasoning. */
  readonly items: ReadonlySet<TokenItem>;
  /** The most uses of each tool that the provider runs. */
  readonly uses: ReadonlyMap<string, number>;
  /** Tokens, at most, that each of these uses adds to the prompt; undefined: as many as the model takes. */
  readonly tokensByUses: number | undefined;
  /** Texts that are charged as output, in addition to the output that `max_tokens` allows. */
  readonly outputStrings: readonly string[];
}

/**
 * Returns the billable items of a request with these features, or the first one without a price.
 */
export function billableItemsOf(
  prices: Prices,
  features: readonly PricedFeature[] = [],
): BillableItems | { readonly unpriced: PricedFeature } {
  const draft = new Draft(prices);
  for (const feature of features) if (!draft.covers(feature)) return { unpriced: feature };
  return draft;
}

class Draft implements BillableItems {
  readonly requestedContext: { serviceTier?: string; region?: string } = {};
  readonly items = new Set<TokenItem>(['image_input', 'cache_write_auto']);
  readonly uses = new Map<string, number>();
  tokensByUses: number | undefined = 0;
  readonly outputStrings: string[] = [];
  readonly #prices: TokenPrices | undefined;

  constructor(prices: Prices) {
    this.#prices = prices.unit === 'per_million_tokens' ? prices : undefined;
  }

  covers(feature: PricedFeature): boolean {
    const prices = this.#prices;
    if (prices === undefined) return false;
    switch (feature.kind) {
      case 'service-tier':
        return Object.hasOwn(prices.service_tiers ?? {}, feature.name) && this.#tier(feature.name);
      case 'region':
        if (!Object.hasOwn(prices.regions ?? {}, feature.name)) return false;
        this.requestedContext.region = feature.name;
        return true;
      case 'cache-write': {
        const lifetime = LIFETIMES.find((each) => each === feature.lifetime);
        if (lifetime === undefined || prices.cache_writes?.[lifetime] === undefined) return false;
        this.items.add(`cache_write_${lifetime}`);
        return true;
      }
      case 'tokens':
        if (prices[feature.rate] === undefined) return false;
        this.items.add(feature.rate);
        return true;
      case 'server-tool':
        return this.#feature(feature.name, feature.maxUses, prices);
      case 'output':
        this.outputStrings.push(...feature.strings);
        return true;
      case 'unpriced':
        return false;
    }
  }

  /** Two tiers at once have no price. */
  #tier(name: string): boolean {
    const { serviceTier = name } = this.requestedContext;
    this.requestedContext.serviceTier = serviceTier;
    return serviceTier === name;
  }

  /** Uses need a bound: of the request, or of the provider. */
  #feature(name: string, requestedUses: number | undefined, { features = {} }: TokenPrices): boolean {
    const feature: BillableFeature | undefined = Object.hasOwn(features, name) ? features[name] : undefined;
    const maxUses = Math.min(
      requestedUses ?? Number.POSITIVE_INFINITY,
      feature?.max_uses ?? Number.POSITIVE_INFINITY,
    );
    if (feature === undefined || maxUses > MAX_USES) return false;
    this.uses.set(name, (this.uses.get(name) ?? 0) + maxUses);
    this.tokensByUses =
      feature.tokens === undefined || this.tokensByUses === undefined
        ? undefined
        : this.tokensByUses + maxUses * feature.tokens;
    return true;
  }
}

/** The upper bounds of a call's tokens. */
export interface TokenBounds {
  readonly prompt: number;
  readonly completion: number;
}

/**
 * The prompt tokens of a call at most, where the provider runs tools: it reads the prompt, what the tools gave and its
 * own output again after each use.
 */
export function promptWithUses(
  { uses, tokensByUses }: BillableItems,
  bounds: TokenBounds,
  window: number,
): number {
  let passes = 1;
  for (const count of uses.values()) passes += count;
  if (passes === 1) return bounds.prompt;
  const one =
    tokensByUses === undefined ? window : Math.min(window, bounds.prompt + tokensByUses + bounds.completion);
  return passes * Math.max(one, bounds.prompt);
}

/**
 * Returns the maximum cost of a call, in nano-USD. All its tokens count at the highest rate that its billable items
 * allow. The tier is the most expensive one that a prompt of up to that length reaches. The call is served as requested
 * or by the standard.
 */
export function worstCost(prices: TokenPrices, billableItems: BillableItems, bounds: TokenBounds): NanoUsd {
  const { serviceTier, region } = billableItems.requestedContext;
  let worst = 0n;
  for (const tier of new Set([undefined, serviceTier])) {
    for (const servedRegion of new Set([undefined, region])) {
      for (const length of lengthsOf(prices, bounds.prompt)) {
        const rates = ratesOf(prices, length, { serviceTier: tier, region: servedRegion });
        worst = greatest(worst, tokensCost(rates, billableItems, bounds));
      }
    }
  }
  return worst + usesCost(prices, billableItems) + (prices.request ?? 0n);
}

/** A prompt length in each tier that a prompt of at most this many tokens can be in. */
const lengthsOf = ({ tiers = [] }: TokenPrices, promptTokens: number): readonly number[] => [
  0,
  ...tiers.flatMap(({ above }) => (promptTokens > above ? above + 1 : [])),
];

function tokensCost(
  rates: ScaledRates,
  { items }: BillableItems,
  { prompt, completion }: TokenBounds,
): NanoUsd {
  const highestRate = (candidates: readonly TokenItem[]) =>
    candidates.map((item) => rateOf(rates, item)).reduce(greatest, 0n);
  const additionalItems = [...items];
  const input = highestRate([
    'input',
    'cached_input',
    'cached_image_input',
    ...additionalItems.flatMap(asInput),
  ]);
  const output = highestRate([
    'output',
    'reasoning_output',
    ...additionalItems.filter((item) => item.endsWith('_output')),
  ]);
  return amountOf([
    { quantity: prompt, price: input, per: 1_000_000 },
    { quantity: completion, price: output, per: 1_000_000 },
  ]);
}

/** An item of the prompt, with its cached form. */
const asInput = (item: TokenItem): readonly TokenItem[] => {
  if (item.endsWith('_output')) return [];
  return item === 'audio_input' ? [item, 'cached_audio_input'] : [item];
};

function usesCost({ features = {} }: TokenPrices, { uses }: BillableItems): NanoUsd {
  let sum = 0n;
  for (const [name, maxUses] of uses) sum += BigInt(maxUses) * (features[name]?.price ?? 0n);
  return sum;
}
