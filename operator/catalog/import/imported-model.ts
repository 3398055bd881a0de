/** One model of a source as a model of a catalog: its cost, its price, and its route. */

import {
  type PriceValues,
  priceDocument,
  pricesFrom,
  times,
} from '../../../lambdas/inference/core/catalog/price-values.ts';
import type { Capability } from '../../../lambdas/inference/core/catalog/route-document.ts';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { MIN_STRICT_TOKENS } from '../client-limits.ts';
import type { KnownProvider } from '../sources/known-providers.ts';
import { type About, writeLifetime } from '../sources/source.ts';

/** The markup on the provider's price, as a fraction: 5 % is 105 of 100. */
export interface Markup {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A percentage such as `5%` or `7.5%`. Throws for what is not one, or is negative. */
export function markupOf(text: string): Markup {
  const [, whole, fraction = ''] = /^(\d{1,4})(?:\.(\d{1,6}))?%$/.exec(text) ?? [];
  if (whole === undefined) throw new Error('--markup must be a percentage of 0% or more, such as 5%');
  const denominator = 100n * 10n ** BigInt(fraction.length);
  return { numerator: denominator + BigInt(whole + fraction), denominator };
}

export interface Importable {
  readonly provider: KnownProvider;
  /** The provider's name of the model. */
  readonly id: string;
  readonly about: About;
  readonly priceValues: PriceValues;
}

export interface ImportParams {
  readonly markup: Markup;
  /** Keys are in Secrets Manager, under that stage; else in the environment. */
  readonly secretStage?: string | undefined;
  /** The source of the prices, and the day on which they were read. */
  readonly priceSource?: { readonly url: string; readonly as_of: string } | undefined;
}

/** Returns the reason why these values are not a price to sell by; undefined if they are one. */
export function exclusionReasonOf({ provider, id, about, priceValues }: Importable): string | undefined {
  const zero = [...priceValues].find(([, amount]) => amount === 0n);
  if (about.type === 'other') return 'it is not a model for chat or embeddings';
  if (priceValues.size === 0) return 'it has no price';
  if (zero !== undefined) return `its price ${zero[0]} is zero`;
  if (!priceValues.has('input')) return 'it has no price of input';
  if (about.type !== 'embeddings' && !priceValues.has('output')) return 'it has no price of output';
  if (
    priceValues.has('cached_input') &&
    writeLifetime(provider, id) === '5m' &&
    !priceValues.has('cache_writes.5m')
  )
    return 'it has a price of cached input and none of cache writes';
  const read = pricesFrom('per_million_tokens', priceValues);
  return 'problem' in read ? read.problem : undefined;
}

/** Returns the values without the service tiers that lack rates or tiers of the model, and the names of those. */
export function withoutPartialTiers(values: PriceValues): {
  readonly values: PriceValues;
  readonly droppedTiers: readonly string[];
} {
  const standard = namesUnder(values, '');
  const services = new Set(
    [...values.keys()].flatMap((name) => /^service_tiers\.([^.]+)\./.exec(name)?.[1] ?? []),
  );
  const droppedTiers = [...services].filter(
    (service) => namesUnder(values, `service_tiers.${service}.`) !== standard,
  );
  const remainingValues = [...values].filter(
    ([name]) => !droppedTiers.some((service) => name.startsWith(`service_tiers.${service}.`)),
  );
  return { values: new Map(remainingValues), droppedTiers };
}

const namesUnder = (values: PriceValues, prefix: string): string =>
  [...values.keys()]
    .flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
    .filter((name) => !/^(service_tiers|features|regions)\.|^request$/.test(name))
    .sort()
    .join(' ');

export const catalogIdOf = ({ provider, id }: Pick<Importable, 'provider' | 'id'>): string =>
  `${provider.name}/${id}`;

/** A model as a catalog file has it. */
export function catalogModel(
  model: Importable,
  { markup, secretStage, priceSource }: ImportParams,
): JsonObject {
  const { provider, id, about, priceValues } = model;
  const { name, contextWindow, created = 0 } = about;
  const { type = 'chat' } = about;
  const isChat = type === 'chat';
  // The lists state an output of embeddings too: the size of a vector.
  const maxOutputTokens = isChat ? about.maxOutputTokens : undefined;
  const isClamped = maxOutputTokens !== undefined && maxOutputTokens < MIN_STRICT_TOKENS;
  const secret = secretOf(provider, secretStage);
  return {
    id: catalogIdOf(model),
    type,
    owned_by: provider.ownedBy,
    created,
    ...(name === undefined ? {} : { display_name: name.slice(0, 128) }),
    ...(contextWindow === undefined ? {} : { context_window: contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(isClamped ? { clamp_max_tokens: true } : {}),
    ...largestImageOf(model),
    price: priceDocument('per_million_tokens', times(priceValues, markup.numerator, markup.denominator)),
    ...(priceSource === undefined ? {} : { price_source: priceSource }),
    routes: [
      {
        id: catalogIdOf(model),
        protocol: provider.protocol,
        ...(provider.baseUrl === undefined ? {} : { base_url: provider.baseUrl }),
        upstream_model: id,
        cost: priceDocument('per_million_tokens', priceValues),
        ...(secret === undefined ? {} : { secret }),
        ...(provider.preset === undefined ? {} : { dialect: { preset: provider.preset } }),
        ...(isChat && about.rejectsTemperature ? { reasoning: true } : {}),
        ...(isChat ? { capabilities: capabilitiesOf(model) } : {}),
      },
    ],
  };
}

/**
 * The most tokens of one image, by the names of models; the first that fits. OpenAI docs, Images and vision: a base and
 * eight squares, or 1,536 patches times a factor. Claude API docs, Vision. Gemini API docs, Image understanding.
 */
const LARGEST_IMAGES: readonly (readonly [RegExp, number])[] = [
  [/gpt-4o-mini/i, 48_169],
  [/gpt-4o|gpt-4\.1/i, 1_445],
  [/gpt-5[^/]*-mini/i, 2_489],
  [/gpt-5[^/]*-nano/i, 3_779],
  [/gpt-5$/i, 1_190],
  [/\bo4-mini/i, 2_642],
  [/\bo[13]\b/i, 1_275],
  [/gemini-2/i, 2_322],
  [/gemini-3/i, 1_120],
  [/claude-(3|haiku-[34]|(opus|sonnet)-4(-[0-6])?(-2\d{7}|$))/i, 1_568],
];

function largestImageOf({ id, about }: Importable): { readonly max_image_tokens?: number } {
  if (about.capabilities?.includes('vision') !== true) return {};
  const match = LARGEST_IMAGES.find(([name]) => name.test(id));
  return match === undefined ? {} : { max_image_tokens: match[1] };
}

/** The models that accept cache breakpoints, by the protocol of their routes. */
const CACHING_MODELS: Readonly<Partial<Record<KnownProvider['protocol'], RegExp>>> = {
  // Claude API docs, Prompt caching.
  anthropic: /claude/i,
  // Amazon Bedrock user guide, Prompt caching, Supported models.
  bedrock: /claude|amazon\.nova/i,
};

/**
 * Returns the capabilities. A model supports cache breakpoints if it has a price for them: Bedrock rejects the
 * breakpoints of any other.
 */
function capabilitiesOf({ provider, id, about, priceValues }: Importable): readonly Capability[] {
  const { capabilities = ['stream'] } = about;
  const isPriced = [...priceValues.keys()].some((name) => name.startsWith('cache_writes.'));
  return isPriced && CACHING_MODELS[provider.protocol]?.test(id) ? [...capabilities, 'cache'] : capabilities;
}

function secretOf({ name, keyVariable }: KnownProvider, stage: string | undefined): string | undefined {
  if (keyVariable === undefined) return undefined;
  return stage === undefined ? `env:${keyVariable}` : `secretsmanager:${stage}/providers/${name}#key`;
}
