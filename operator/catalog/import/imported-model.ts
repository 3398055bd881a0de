/** One model of a source as a model of a catalog: its cost, its price, and the route by which the service asks it. */

import {
  type Figures,
  priceDocument,
  pricesFrom,
  times,
} from '../../../lambdas/inference/core/catalog/figures.ts';
import type { Capability } from '../../../lambdas/inference/core/catalog/route-document.ts';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
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
  /** As the provider names it. */
  readonly id: string;
  readonly about: About;
  readonly figures: Figures;
}

export interface ImportTerms {
  readonly markup: Markup;
  /** Keys are in Secrets Manager, under that stage; else in the environment. */
  readonly secretStage?: string | undefined;
  /** The source of the prices, and the day on which they were read. */
  readonly priceSource?: { readonly url: string; readonly as_of: string } | undefined;
}

/** Returns the reason why these values are not a price to sell by; undefined if they are one. */
export function refusalOf({ provider, id, about, figures }: Importable): string | undefined {
  const zero = [...figures].find(([, amount]) => amount === 0n);
  if (about.type === 'other') return 'it is not a model for chat or embeddings';
  if (figures.size === 0) return 'it has no price';
  if (zero !== undefined) return `its price ${zero[0]} is zero`;
  if (!figures.has('input')) return 'it has no price of input';
  if (about.type !== 'embeddings' && !figures.has('output')) return 'it has no price of output';
  if (figures.has('cached_input') && writeLifetime(provider, id) === '5m' && !figures.has('cache_writes.5m'))
    return 'it has a price of cached input and none of cache writes';
  const read = pricesFrom('per_million_tokens', figures);
  return 'problem' in read ? read.problem : undefined;
}

/** The figures without the service tiers that have not the rates and tiers of the model, and the names of those. */
export function withoutPartialTiers(figures: Figures): {
  readonly figures: Figures;
  readonly left: readonly string[];
} {
  const standard = namesUnder(figures, '');
  const services = new Set(
    [...figures.keys()].flatMap((name) => /^service_tiers\.([^.]+)\./.exec(name)?.[1] ?? []),
  );
  const left = [...services].filter(
    (service) => namesUnder(figures, `service_tiers.${service}.`) !== standard,
  );
  const kept = [...figures].filter(
    ([name]) => !left.some((service) => name.startsWith(`service_tiers.${service}.`)),
  );
  return { figures: new Map(kept), left };
}

const namesUnder = (figures: Figures, prefix: string): string =>
  [...figures.keys()]
    .flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
    .filter((name) => !/^(service_tiers|features|regions)\.|^request$/.test(name))
    .sort()
    .join(' ');

export const catalogIdOf = ({ provider, id }: Pick<Importable, 'provider' | 'id'>): string =>
  `${provider.name}/${id}`;

/** A model as a catalog file has it. */
export function catalogModel(
  model: Importable,
  { markup, secretStage, priceSource }: ImportTerms,
): JsonObject {
  const { provider, id, about, figures } = model;
  const { name, contextWindow, maxOutputTokens, created = 0 } = about;
  const secret = secretOf(provider, secretStage);
  return {
    id: catalogIdOf(model),
    type: about.type ?? 'chat',
    owned_by: provider.ownedBy,
    created,
    ...(name === undefined ? {} : { display_name: name.slice(0, 128) }),
    ...(contextWindow === undefined ? {} : { context_window: contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...largestImageOf(model),
    price: priceDocument('per_million_tokens', times(figures, markup.numerator, markup.denominator)),
    ...(priceSource === undefined ? {} : { price_source: priceSource }),
    routes: [
      {
        id: catalogIdOf(model),
        protocol: provider.protocol,
        ...(provider.baseUrl === undefined ? {} : { base_url: provider.baseUrl }),
        upstream_model: id,
        cost: priceDocument('per_million_tokens', figures),
        ...(secret === undefined ? {} : { secret }),
        ...(provider.preset === undefined ? {} : { dialect: { preset: provider.preset } }),
        ...(about.refusesTemperature ? { reasoning: true } : {}),
        capabilities: capabilitiesOf(model),
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
  const found = LARGEST_IMAGES.find(([name]) => name.test(id));
  return found === undefined ? {} : { max_image_tokens: found[1] };
}

/** The models that take marks for their cache, by the protocol of their routes. */
const MARKED: Readonly<Partial<Record<KnownProvider['protocol'], RegExp>>> = {
  // Claude API docs, Prompt caching.
  anthropic: /claude/i,
  // Amazon Bedrock user guide, Prompt caching, Supported models.
  bedrock: /claude|amazon\.nova/i,
};

/** A model caches what is marked where it has a price for that: Bedrock refuses the marks of any other. */
function capabilitiesOf({ provider, id, about, figures }: Importable): readonly Capability[] {
  const { capabilities = ['stream'] } = about;
  const isPriced = [...figures.keys()].some((name) => name.startsWith('cache_writes.'));
  return isPriced && MARKED[provider.protocol]?.test(id) ? [...capabilities, 'cache'] : capabilities;
}

function secretOf({ name, keyVariable }: KnownProvider, stage: string | undefined): string | undefined {
  if (keyVariable === undefined) return undefined;
  return stage === undefined ? `env:${keyVariable}` : `secretsmanager:${stage}/providers/${name}#key`;
}
