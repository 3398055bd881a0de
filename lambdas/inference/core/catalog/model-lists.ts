/** The public lists of models, with and without prices. */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { KINDS } from '../../../platform/core/kinds.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { CAPABILITIES } from '../fields/need.ts';
import { mainPrice, type Prices, type PriceUnit, UNIT_PRICES } from '../pricing/prices.ts';
import type { Catalog } from './catalog.ts';
import type { Model } from './catalog-document.ts';

export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: seconds,
  owned_by: z.string(),
  type: z.enum(KINDS),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  /** The id of the model, on an alias only. */
  alias_of: z.string().optional(),
});

/** An entry of `GET /v1/models`: OpenAI's fields, the interface's `type`, and what the Messages SDK reads. */
export function modelEntry(model: Model): Body<typeof modelSchema> {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.owned_by,
    type: model.type,
    display_name: model.display_name ?? model.id,
    created_at: new Date(model.created * 1000).toISOString(),
  };
}

const modelEntries = (model: Model): Body<typeof modelSchema>[] => {
  const entry = modelEntry(model);
  return [entry, ...model.aliases.map((alias) => ({ ...entry, id: alias, alias_of: model.id }))];
};

export const priceSchema = z.object({
  model_id: z.string(),
  /** The name that callers use: the id or an alias. */
  model: z.string(),
  /** The id of the model, on an alias only. */
  alias_of: z.string().optional(),
  type: z.enum(KINDS),
  display_name: z.string().optional(),
  default: z
    .boolean()
    .optional()
    .describe('True: the default of its type, for requests that may leave `model` out.'),
  price: usd,
  unit: z.enum(Object.keys(UNIT_PRICES) as PriceUnit[]),
  input_price: usd.optional(),
  output_price: usd.optional(),
  cached_input_price: usd.optional(),
  /** Further prices of a call: cache writes, tiers by prompt length, service tiers, features, images by size. */
  prices: z.looseObject({}).optional(),
  context_window: z.int().optional().describe('Tokens of prompt and output together.'),
  max_output_tokens: z.int().optional(),
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .optional()
    .describe('What some route of the model takes; a request goes to a route that takes all it needs.'),
  voices: z.array(z.string()).optional().describe('All voices of a model of speech, if they are known.'),
});

/** An entry of `GET /api/v1/models`. `price` is the main value, the input price for token-billed models. */
export function priceEntry(model: Model): Body<typeof priceSchema> {
  const { id, type, price, context_window: context, max_output_tokens: maxOutputTokens } = model;
  const further = furtherPrices(price);
  const routeCapabilities = new Set(model.routes.flatMap(({ capabilities }) => capabilities));
  const entry = {
    model_id: id,
    model: id,
    type,
    ...(model.display_name === undefined ? {} : { display_name: model.display_name }),
    unit: price.unit,
    price: usdJson(mainPrice(price)),
    ...(Object.keys(further).length === 0 ? {} : { prices: further }),
    ...(context === undefined ? {} : { context_window: context }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(routeCapabilities.size === 0
      ? {}
      : { capabilities: CAPABILITIES.filter((each) => routeCapabilities.has(each)) }),
    ...(model.voices === undefined ? {} : { voices: model.voices }),
  };
  if (price.unit !== 'per_million_tokens') return entry;
  return {
    ...entry,
    input_price: usdJson(price.input),
    ...(price.output === undefined ? {} : { output_price: usdJson(price.output) }),
    ...(price.cached_input === undefined ? {} : { cached_input_price: usdJson(price.cached_input) }),
  };
}

/** Returns the prices that have no dedicated field. */
function furtherPrices(price: Prices): JsonObject {
  const named: ReadonlySet<string> = new Set([
    'unit',
    UNIT_PRICES[price.unit].price,
    'output',
    'cached_input',
  ]);
  const further = Object.entries(price).filter(([name, value]) => !named.has(name) && value !== undefined);
  return asJson(Object.fromEntries(further)) as JsonObject;
}

/** Returns amounts and factors as exact JSON numbers, at any depth. */
function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return usdJson(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, asJson(each)]));
}

export const modelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(modelSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/**
 * The paging parameters of the Messages SDK (Claude API reference, List Models). Without them, one page contains all
 * models.
 */
export const modelListQuery = z.object({
  limit: z.string().optional(),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
});

/**
 * Returns the response of `GET /v1/models`: each model, followed by each of its aliases as a separate entry. Clients
 * that choose from the list search for names that they support. The request never fails: an invalid `limit` returns the
 * complete list, an unknown id an empty page.
 */
export function modelListBody(
  models: readonly Model[],
  { limit, after_id: after, before_id: before }: z.infer<typeof modelListQuery> = {},
): Body<typeof modelListSchema> {
  const all = models.flatMap(modelEntries);
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1 || all.length;
  const to =
    before === undefined
      ? all.length
      : Math.max(
          0,
          all.findIndex(({ id }) => id === before),
        );
  const rest = all.slice(from, to);
  const pageSize = /^[1-9]\d{0,3}$/.test(limit ?? '') ? Number(limit) : rest.length;
  const data =
    before === undefined ? rest.slice(0, pageSize) : rest.slice(Math.max(0, rest.length - pageSize));
  return {
    object: 'list',
    data,
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

export const priceListSchema = z.object({ count: z.int(), models: z.array(priceSchema) });

/** Returns the response of `GET /api/v1/models`, with the same entries as `GET /v1/models`. */
export function priceListBody({
  models,
  defaults,
}: Pick<Catalog, 'models' | 'defaults'>): Body<typeof priceListSchema> {
  const entries = models.flatMap((model) => {
    const entry = priceEntry(model);
    const named = defaults[model.type] === model.id ? { ...entry, default: true } : entry;
    return [named, ...model.aliases.map((alias) => ({ ...entry, model: alias, alias_of: model.id }))];
  });
  return { count: entries.length, models: entries };
}
