/** The catalog as calls use it: models by id and alias, and the two public lists. */
import * as z from 'zod';
import { KINDS } from '../../access/policy.ts';
import { type Body, seconds, usd } from '../../api/response-schema.ts';
import { ServiceError } from '../../errors.ts';
import { usdJson } from '../../money.ts';
import type { CatalogDocument, Model } from './catalog-document.ts';

export interface Catalog {
  readonly version: string;
  readonly models: readonly Model[];
  readonly defaults: CatalogDocument['defaults'];
  /** By id or alias. */
  find(name: string): Model | undefined;
}

/** Gives the active catalog; answers from memory and refreshes in the background. */
export type CatalogSource = () => Promise<Catalog>;

export function compileCatalog(version: string, document: CatalogDocument): Catalog {
  const byName = new Map<string, Model>();
  for (const model of document.models) {
    for (const name of [model.id, ...model.aliases]) byName.set(name, model);
  }
  return { version, models: document.models, defaults: document.defaults, find: (name) => byName.get(name) };
}

/** The model of that name and type. Throws 400 `model_not_found`. */
export function requireModel(catalog: Catalog, name: string, type: Model['type'], param: string): Model {
  const model = catalog.find(name);
  if (model?.type === type) return model;
  throw new ServiceError('model_not_found', `There is no ${type} model named ${JSON.stringify(name)}.`, {
    param,
  });
}

export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: seconds,
  owned_by: z.string(),
  type: z.enum(KINDS),
  display_name: z.string(),
  created_at: z.iso.datetime(),
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

const PRICE_UNITS = ['per_million_tokens', 'per_image', 'per_minute'] as const;

export const priceSchema = z.object({
  model_id: z.string(),
  model: z.string(),
  type: z.enum(KINDS),
  price: usd,
  unit: z.enum(PRICE_UNITS),
  input_price: usd.optional(),
  output_price: usd.optional(),
  cached_input_price: usd.optional(),
});

/** An entry of `GET /api/v1/models`; `price` is the headline figure, the input price for token-billed models. */
export function priceEntry(model: Model): Body<typeof priceSchema> {
  const { id, type, price } = model;
  const entry = { model_id: id, model: id, type };
  if (price.unit === 'per_image') return { ...entry, price: usdJson(price.image), unit: price.unit };
  if (price.unit === 'per_minute') return { ...entry, price: usdJson(price.minute), unit: price.unit };
  return {
    ...entry,
    price: usdJson(price.input),
    unit: price.unit,
    input_price: usdJson(price.input),
    ...(price.output === undefined ? {} : { output_price: usdJson(price.output) }),
    ...(price.cached_input === undefined ? {} : { cached_input_price: usdJson(price.cached_input) }),
  };
}

export const modelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(modelSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/** The response of `GET /v1/models`: one page holds the whole catalog; the paging fields are those that the Messages SDK reads. */
export function modelListBody(models: readonly Model[]): Body<typeof modelListSchema> {
  const data = models.map(modelEntry);
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

export const priceListSchema = z.object({ count: z.int(), models: z.array(priceSchema) });

/** The response of `GET /api/v1/models`. */
export const priceListBody = (models: readonly Model[]): Body<typeof priceListSchema> => ({
  count: models.length,
  models: models.map(priceEntry),
});
