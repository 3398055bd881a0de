/**
 * The vocabulary of prices: how a catalog specifies the cost of a call. Amounts are decimals in USD, read as text into
 * nano-dollars. The same vocabulary specifies the price of a model for its callers and the cost of a route for the
 * operator.
 */
import * as z from 'zod';
import { type FieldFault, without } from '../../../platform/core/json/field-faults.ts';
import { type NanoUsd, parseUsd } from '../../../platform/core/money.ts';

/** A dollar per token is a hundred times the highest existing price. A higher value is a mistake in units. */
const MAX_PRICE_NANO_USD = 1_000_000n * 1_000_000_000n;

const price = z
  .union([z.number(), z.string()])
  .transform((value) => parseUsd(value))
  .refine(
    (amount): amount is NanoUsd => amount !== undefined && amount >= 0n && amount <= MAX_PRICE_NANO_USD,
    {
      error: 'must be an amount of USD from 0 to 1000000 with at most 9 decimal places',
    },
  );

/** The factor one. Factors are stored in billionths. */
export const ONE = 1_000_000_000n;

const MAX_FACTOR = 100n * ONE;

const factor = z
  .union([z.number(), z.string()])
  .transform((value) => parseUsd(value))
  .refine((value): value is bigint => value !== undefined && value > 0n && value <= MAX_FACTOR, {
    error: 'must be a factor above 0, at most 100, with at most 9 decimal places',
  });

/**
 * The times for which a provider retains a cached part of a prompt. Sources: Claude API docs, Prompt caching (5
 * minutes, 1 hour) and OpenAI docs, Prompt caching (30 minutes, 24 hours). `auto`: the provider writes without a
 * request.
 */
export const LIFETIMES = ['5m', '30m', '1h', '24h', 'auto'] as const;
export type CachePeriod = (typeof LIFETIMES)[number];

/** One schema for all: zod takes longer to create a schema than to read a price. */
const otherPrice = price.optional();

/** The prices of a million tokens. Only `input` has no fallback price. */
const rates = {
  input: price,
  cached_input: otherPrice,
  cache_writes: z.partialRecord(z.enum(LIFETIMES), price).optional(),
  output: otherPrice,
  reasoning_output: otherPrice,
  audio_input: otherPrice,
  cached_audio_input: otherPrice,
  audio_output: otherPrice,
  image_input: otherPrice,
  cached_image_input: otherPrice,
  image_output: otherPrice,
  video_input: otherPrice,
  video_output: otherPrice,
};

const ratesSchema = z.strictObject(rates);
export type Rates = z.infer<typeof ratesSchema>;

/** All tokens of a call whose prompt counts more than `above` are charged at these rates. */
const tiers = z
  .array(z.strictObject({ above: z.int().min(1), ...rates }))
  .min(1)
  .max(8);

/** Separate rates, or the standard ones times a factor. */
const serviceTier = z.union(
  [z.strictObject({ factor }), z.strictObject({ ...rates, tiers: tiers.optional() })],
  'must have a factor, or rates of its own',
);

const name = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be 1 to 32 of a-z 0-9 _');

/** More uses than any call has: a request that allows them names no bound. */
export const MAX_USES = 1_000;

/** The price of a tool that the provider runs. */
const feature = z.strictObject({
  /** The price of one use. */
  price,
  /** The most uses of a call, where the provider bounds them; else the request must. */
  max_uses: z.int().min(1).max(MAX_USES).optional(),
  /** The minimum number of uses of a call that requests it, if the provider does not count them. */
  min_uses: z.int().min(0).max(MAX_USES).default(0),
  /** The most tokens that one use adds to the prompt; without it, a prompt may fill the model's window. */
  tokens: z.int().min(0).max(10_000_000).optional(),
});

const tokenFields = z.strictObject({
  unit: z.literal('per_million_tokens'),
  ...rates,
  tiers: tiers.optional(),
  /** The tiers by name: `priority`, `flex`, `fast`. */
  service_tiers: z.record(name, serviceTier).optional(),
  /** A factor on all rates of tokens, by the place of inference: `us`. */
  regions: z.record(name, z.strictObject({ factor })).optional(),
  features: z.record(name, feature).optional(),
  /** The price of each call, in addition to its tokens. */
  request: otherPrice,
});

function* tokenFaults({ tiers: standard, ...prices }: z.infer<typeof tokenFields>): Generator<FieldFault> {
  const names = namesOf(prices);
  const samePrices = `must have the same prices as the model: ${names}`;
  function* tiersFaults(tiersOf: Tiers = [], path: readonly string[]): Generator<FieldFault> {
    for (const [at, tier] of tiersOf.entries()) {
      if (namesOf(tier) !== names) yield { path: [...path, at], message: samePrices };
      if (at > 0 && tier.above <= (tiersOf[at - 1]?.above ?? 0))
        yield { path: [...path, at, 'above'], message: 'must be more than that of the tier before' };
    }
  }
  yield* tiersFaults(standard, ['tiers']);
  for (const [tier, tierPrices] of Object.entries(prices.service_tiers ?? {})) {
    if ('factor' in tierPrices) continue;
    const path = ['service_tiers', tier];
    if (namesOf(tierPrices) !== names) yield { path, message: samePrices };
    yield* tiersFaults(tierPrices.tiers, [...path, 'tiers']);
    if (thresholds(tierPrices.tiers) !== thresholds(standard))
      yield { path: [...path, 'tiers'], message: 'must start where those of the model do' };
  }
}

const tokenPrices = tokenFields.superRefine(without(tokenFaults));

type Tiers = z.infer<typeof tiers>;

const thresholds = (list: Tiers | undefined): string => (list ?? []).map(({ above }) => above).join(' ');

/** The names of the rates that are set, in one order. */
const namesOf = (prices: Rates): string =>
  Object.keys(rates)
    .flatMap((rate) => {
      const value = prices[rate as keyof Rates];
      if (value === undefined) return [];
      return typeof value === 'bigint'
        ? [rate]
        : Object.keys(value)
            .map((lifetime) => `${rate}.${lifetime}`)
            .sort();
    })
    .join(', ');

/** The price of images of a size, a quality or both, if it differs from the price of every image. */
const imageVariant = z
  .strictObject({
    size: z.string().min(1).max(32).optional(),
    quality: z.string().min(1).max(32).optional(),
    image: price,
  })
  .refine(
    ({ size, quality }) => size !== undefined || quality !== undefined,
    'must have a size or a quality',
  );

const imagePrices = z.strictObject({
  unit: z.literal('per_image'),
  image: price,
  /** The first that fits is the price. */
  variants: z.array(imageVariant).min(1).max(64).optional(),
});

export const prices = z.discriminatedUnion('unit', [
  tokenPrices,
  imagePrices,
  z.strictObject({ unit: z.literal('per_million_characters'), character: price }),
  z.strictObject({ unit: z.literal('per_request'), request: price }),
  z.strictObject({ unit: z.literal('per_second'), second: price }),
  z.strictObject({ unit: z.literal('per_minute'), minute: price }),
  z.strictObject({ unit: z.literal('per_hour'), hour: price }),
]);

export type Prices = z.infer<typeof prices>;
export type PriceUnit = Prices['unit'];
export type TokenPrices = Extract<Prices, { unit: 'per_million_tokens' }>;
export type ImagePrices = Extract<Prices, { unit: 'per_image' }>;
export type ImageVariant = z.infer<typeof imageVariant>;
export type BillableFeature = z.infer<typeof feature>;

/** The item that each unit counts, the name of its price, and the quantity that the price is for. */
export const UNIT_PRICES = {
  per_million_tokens: { item: 'token', price: 'input', per: 1_000_000 },
  per_image: { item: 'image', price: 'image', per: 1 },
  per_million_characters: { item: 'character', price: 'character', per: 1_000_000 },
  per_request: { item: 'request', price: 'request', per: 1 },
  per_second: { item: 'second', price: 'second', per: 1 },
  per_minute: { item: 'second', price: 'minute', per: 60 },
  per_hour: { item: 'second', price: 'hour', per: 3_600 },
} as const satisfies Readonly<Record<PriceUnit, object>>;

/** The price of the unit: of the input, for one that is billed by tokens. */
export const mainPrice = (prices: Prices): NanoUsd =>
  (prices as Readonly<Record<string, unknown>>)[UNIT_PRICES[prices.unit].price] as NanoUsd;
