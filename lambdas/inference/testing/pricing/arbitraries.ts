/** Random prices, requests and reports. */
import fc from 'fast-check';
import type { PricedFeature } from '../../core/fields/need.ts';
import { type BillableItems, billableItemsOf } from '../../core/pricing/billable-items.ts';
import { LIFETIMES, type Prices, prices, type TokenPrices } from '../../core/pricing/prices.ts';
import type { TokenUsage } from '../../core/pricing/token-usage.ts';

/** Prices as a catalog writes them. */
export const pricesOf = (document: object): Prices => prices.parse(document);

/** Token prices as a catalog writes them: USD of a million tokens. */
export function tokenPricesOf(document: object): TokenPrices {
  const parsed = pricesOf({ unit: 'per_million_tokens', ...document });
  if (parsed.unit !== 'per_million_tokens') throw new Error('not a price of tokens');
  return parsed;
}

/** The terms of a request whose pricedFeatures all have a price. */
export function billableItemsFor(of: Prices, pricedFeatures: readonly PricedFeature[] = []): BillableItems {
  const billableItems = billableItemsOf(of, pricedFeatures);
  if ('unpriced' in billableItems) throw new Error(`${billableItems.unpriced.param} has no price`);
  return billableItems;
}

/** Up to 9 decimal places, as text. */
const amount = fc
  .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([integer, nano]) => `${integer}.${String(nano).padStart(9, '0')}`);

const OPTIONAL = [
  'cached_input',
  'output',
  'reasoning_output',
  'audio_input',
  'cached_audio_input',
  'audio_output',
  'image_input',
  'cached_image_input',
  'image_output',
  'video_input',
  'video_output',
];

/** Rates of these names, with cache writes of these lifetimes. */
const rates = (names: readonly string[], lifetimes: readonly string[]) =>
  fc
    .array(amount, {
      minLength: names.length + lifetimes.length + 1,
      maxLength: names.length + lifetimes.length + 1,
    })
    .map(([input, ...rest]) => ({
      input,
      ...Object.fromEntries(names.map((name, at) => [name, rest[at]])),
      ...(lifetimes.length === 0
        ? {}
        : { cache_writes: Object.fromEntries(lifetimes.map((each, at) => [each, rest[names.length + at]])) }),
    }));

const TIERS = ['priority', 'flex', 'fast'];
const FEATURES = ['web_search', 'code_execution'];

/** Token prices of any shape, with tiers that may be cheaper than the base, and service tiers that may be dearer. */
export const tokenPrices: fc.Arbitrary<TokenPrices> = fc
  .tuple(
    fc.subarray(OPTIONAL),
    fc.subarray([...LIFETIMES]),
    fc.uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 3 }),
  )
  .chain(([names, lifetimes, starts]) => {
    const baseRates = rates(names, lifetimes);
    const thresholds = starts.sort((a, b) => a - b);
    const tiers = fc
      .tuple(...thresholds.map((above) => baseRates.map((each) => ({ above, ...each }))))
      .map((list) => (list.length === 0 ? {} : { tiers: list }));
    const tiered = fc.tuple(baseRates, tiers).map(([base, tierPrices]) => ({ ...base, ...tierPrices }));
    const factor = amount.filter((text) => Number(text) > 0).map((value) => ({ factor: value }));
    return fc.record({
      base: tiered,
      serviceTiers: fc.dictionary(fc.constantFrom(...TIERS), fc.oneof(factor, tiered)),
      regions: fc.dictionary(fc.constantFrom('us', 'eu'), factor),
      features: fc.dictionary(
        fc.constantFrom(...FEATURES),
        fc.record({
          price: amount,
          max_uses: fc.integer({ min: 1, max: 4 }),
          tokens: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
        }),
      ),
      request: fc.option(amount, { nil: undefined }),
    });
  })
  .map(({ base, serviceTiers, regions, features, request }) =>
    tokenPricesOf({
      ...base,
      service_tiers: serviceTiers,
      regions,
      features,
      ...(request === undefined ? {} : { request }),
    }),
  );

/** Whatever a request can ask for, priced or not. */
export const pricedFeature: fc.Arbitrary<PricedFeature> = fc.oneof(
  fc
    .constantFrom(...TIERS)
    .map((name): PricedFeature => ({ kind: 'service-tier', name, param: 'service_tier' })),
  fc
    .constantFrom('us', 'eu')
    .map((name): PricedFeature => ({ kind: 'region', name, param: 'inference_geo' })),
  fc
    .constantFrom(...LIFETIMES)
    .map((lifetime): PricedFeature => ({ kind: 'cache-write', lifetime, param: 'system' })),
  fc
    .constantFrom(
      'audio_input' as const,
      'audio_output' as const,
      'image_output' as const,
      'video_input' as const,
    )
    .map((rate): PricedFeature => ({ kind: 'tokens', rate, param: 'audio' })),
  fc
    .tuple(fc.constantFrom(...FEATURES), fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }))
    .map(([name, maxUses]): PricedFeature => ({ kind: 'server-tool', name, maxUses, param: 'tools[0]' })),
);

const count = fc.integer({ min: 0, max: 5_000 });
const maybe = fc.option(count, { nil: undefined });

/** Any report: its parts overlap, and add up to more than their whole. */
export const report: fc.Arbitrary<TokenUsage> = fc.record({
  promptTokens: count,
  cachedTokens: count,
  completionTokens: count,
  cacheWrites: fc.dictionary(fc.constantFrom(...LIFETIMES), count),
  reasoningTokens: maybe,
  audioInputTokens: maybe,
  cachedAudioTokens: maybe,
  audioOutputTokens: maybe,
  imageInputTokens: maybe,
  cachedImageTokens: maybe,
  imageOutputTokens: maybe,
  videoInputTokens: maybe,
  videoOutputTokens: maybe,
  uses: fc.dictionary(fc.constantFrom(...FEATURES, '__proto__'), fc.integer({ min: 0, max: 20 })),
  serviceTier: fc.option(fc.constantFrom('standard', ...TIERS), { nil: undefined }),
  region: fc.option(fc.constantFrom('standard', 'us', 'eu'), { nil: undefined }),
});
