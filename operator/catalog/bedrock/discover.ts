/**
 * A catalog of all models that Bedrock offers to the account. A model has routes of one price class, over the regions
 * that were read:
 *
 * | Residency | First choice | If there is none, or none with a price |
 * |---|---|---|
 * | `global` | the `global.` profile | the profile of the geography, then the model's own id |
 * | `geography` | the profile of the geography | the model's own id |
 * | `region` | the model's own id, in the own region only | |
 */
import {
  BEDROCK_MODELS,
  type CatalogDocument,
  type Model,
  parseCatalog,
} from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import {
  type PriceValues,
  priceDocument,
  priceValuesOf,
  times,
} from '../../../lambdas/inference/core/catalog/price-values.ts';
import { prices } from '../../../lambdas/inference/core/pricing/prices.ts';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import type { Kind } from '../../../lambdas/platform/core/kinds.ts';
import type { Markup } from '../import/imported-model.ts';
import type { FoundationModel, RegionOffer } from './control-plane.ts';
import { announcedEndOf } from './ended-models.ts';
import { geographiesOf } from './ids.ts';
import { type CallTarget, modelOf } from './model.ts';
import type { BedrockPrices, ShippedModel } from './prices.ts';

export const RESIDENCIES = ['global', 'geography', 'region'] as const;
export type Residency = (typeof RESIDENCIES)[number];

/** Returns the residency unless the operator names one: outside the US no prompt leaves the geography of its stage. */
export const defaultResidency = (region: string): Residency =>
  geographiesOf(region)[0] === 'us' ? 'global' : 'geography';

export interface DiscoveryOptions {
  /** The offers of the regions, that of the deployment first. */
  readonly offers: readonly [RegionOffer, ...RegionOffer[]];
  readonly residency: Residency;
  readonly markup: Markup;
  readonly prices: BedrockPrices;
  /** Models of other services, at prices without the markup. */
  readonly others: readonly ShippedModel[];
  readonly now: Date;
}

export interface Discovery {
  readonly document: { readonly models: readonly JsonObject[]; readonly defaults: Record<string, string> };
  readonly leftOut: readonly { readonly model: string; readonly reason: string }[];
}

/** Returns a valid catalog, and every model that is not in it with the reason. Both are in the order of ids. */
export function discoverCatalog(options: DiscoveryOptions): Discovery {
  const known = new Map<string, FoundationModel>();
  for (const { models } of options.offers.toReversed())
    for (const model of models) known.set(model.modelId, model);
  const leftOut: { model: string; reason: string }[] = [];
  const found: (JsonObject & { id: string; aliases: readonly string[] })[] = [];
  const names = new Set(options.prices.ids);
  for (const model of [...known.values()].sort((a, b) => (a.modelId < b.modelId ? -1 : 1))) {
    const target = targetOf(model, options);
    if ('reason' in target) leftOut.push({ model: model.modelId, ...target });
    else found.push(modelOf(model, target, { ...options, names }));
  }
  if (found.length === 0) return { document: { models: [], defaults: {} }, leftOut };
  for (const model of options.others)
    found.push({ aliases: [], ...model, price: pricesOf(model.price, options.markup).price });
  const taken = new Set(found.map(({ id }) => id));
  const models = found.map(({ aliases, ...model }) => {
    const free = [...new Set(aliases)].filter((name) => !taken.has(name)).slice(0, MAX_ALIASES);
    for (const name of free) taken.add(name);
    return { ...model, aliases: free };
  });
  const parsed = parseCatalog(JSON.parse(JSON.stringify({ models })));
  return { document: { models, defaults: defaultsOf(parsed, options.prices.defaults) }, leftOut };
}

const MAX_ALIASES = 20;

const DAY_MS = 86_400_000;

/** A model that ends sooner is not offered to new customers. */
const MIN_REMAINING_DAYS = 90;

/** Returns the type of calls that a model serves. */
function kindOf({ modelId, outputModalities: outputs }: FoundationModel): Kind | undefined {
  if (/rerank/.test(modelId)) return undefined;
  if (outputs.includes('EMBEDDING')) return 'embeddings';
  if (outputs.includes('TEXT')) return outputs.includes('SPEECH') ? undefined : 'chat';
  return outputs.includes('IMAGE') ? 'image' : undefined;
}

/** Returns the reason why a model is not sold, whatever its price. */
function exclusionOf(model: FoundationModel, now: Date): string | undefined {
  const { modelId: id, inferenceTypesSupported: types, modelLifecycle: lifecycle } = model;
  const kind = kindOf(model);
  if (kind === undefined) {
    const outputs = model.outputModalities.join(', ').toLowerCase() || 'nothing';
    return `the service has no calls for it: it returns ${/rerank/.test(id) ? 'a ranking' : outputs}`;
  }
  if (!types.includes('ON_DEMAND') && !types.includes('INFERENCE_PROFILE'))
    return 'it needs provisioned throughput';
  const endsOn = lifecycle.endOfLifeTime?.slice(0, 10) ?? announcedEndOf(id)?.endsOn;
  if (lifecycle.status !== 'ACTIVE')
    return `AWS says ${lifecycle.status}${endsOn === undefined ? '' : `, until ${endsOn}`}`;
  if (endsOn !== undefined && Date.parse(endsOn) < now.getTime() + MIN_REMAINING_DAYS * DAY_MS)
    return `it ends on ${endsOn}`;
  if (BEDROCK_MODELS[kind]?.test(id) === false) return 'the service does not know how to ask it';
  return undefined;
}

function targetOf(
  model: FoundationModel,
  options: DiscoveryOptions,
): CallTarget | { readonly reason: string } {
  const reason = exclusionOf(model, options.now);
  if (reason !== undefined) return { reason };
  const callable = callableOf(model, options);
  const [first] = callable;
  if (first === undefined)
    return { reason: `it is called only by profiles that leave the ${options.residency} of the stage` };
  for (const { id, regions } of callable) {
    const priced = regions.flatMap((region) => {
      const price = options.prices.of(id, region);
      return price === undefined ? [] : [{ region, price }];
    });
    const [nearest] = priced;
    if (nearest === undefined) continue;
    const isSame = ({ price }: typeof nearest) =>
      JSON.stringify(price.price) === JSON.stringify(nearest.price.price);
    return {
      id,
      kind: kindOf(model) ?? 'chat',
      regions: priced.filter(isSame).map(({ region }) => region),
      priced: nearest.price,
      ...pricesOf(nearest.price.price, options.markup),
    };
  }
  return { reason: options.prices.reasonOf(first.id, first.regions[0] ?? '') };
}

/** Returns the price with the markup, and the cost of a route. A cost that equals the price is left out: it costs two metrics. */
function pricesOf(cost: JsonObject, { numerator, denominator }: Markup) {
  const values = prices.parse(cost);
  const documentOf = (amounts: PriceValues) => priceDocument(values.unit, amounts);
  const amounts = priceValuesOf(values);
  return {
    price: documentOf(times(amounts, numerator, denominator)),
    ...(numerator === denominator ? {} : { cost: documentOf(amounts) }),
  };
}

/** Returns the ids by which a model can be called, the preferred one first, each with the regions to call it from. */
function callableOf(
  { modelId, inferenceTypesSupported: types }: FoundationModel,
  { offers, residency }: DiscoveryOptions,
): readonly { readonly id: string; readonly regions: readonly string[] }[] {
  const [{ region: ownRegion }] = offers;
  const geographies = residency === 'region' ? [] : geographiesOf(ownRegion);
  const ids = [...(residency === 'global' ? ['global'] : []), ...geographies].map(
    (name) => `${name}.${modelId}`,
  );
  if (types.includes('ON_DEMAND')) ids.push(modelId);
  return ids.flatMap((id) => {
    const regions = offers
      .filter(({ models, profiles }) =>
        id === modelId
          ? models.some(
              (model) => model.modelId === id && model.inferenceTypesSupported.includes('ON_DEMAND'),
            )
          : profiles.some((profile) => profile.id === id && profile.models.has(modelId)),
      )
      .map(({ region }) => region)
      .filter((region) => residency !== 'region' || region === ownRegion);
    return regions.length === 0 ? [] : [{ id, regions }];
  });
}

/** Returns the defaults of the shipped catalog whose models are there; else the model with the lowest price of input. */
function defaultsOf({ models }: CatalogDocument, shipped: BedrockPrices['defaults']): Record<string, string> {
  const inputOf = ({ price }: Model) => priceValuesOf(price).get('input') ?? 0n;
  return Object.fromEntries(
    Object.entries(shipped).flatMap(([type, wanted]) => {
      const offered = models.filter((model) => model.type === type);
      const [cheapest] = offered.toSorted((a, b) => (inputOf(a) < inputOf(b) ? -1 : 1));
      const id = offered.find((model) => model.id === wanted)?.id ?? cheapest?.id;
      return id === undefined ? [] : [[type, id]];
    }),
  );
}
