/** The catalog document that operators write: every model, its price and its routes; validated as a whole. */
import * as z from 'zod';
import { describeFault, type FieldFault, without } from '../../../platform/core/json/field-faults.ts';
import { KINDS, type Kind } from '../../../platform/core/kinds.ts';
import { canBill } from '../pricing/counts.ts';
import { type Prices, type PriceUnit, prices } from '../pricing/prices.ts';
import { isLongPrompts } from './betas.ts';
import {
  CHAT_PROTOCOLS,
  catalogId as id,
  type PROTOCOLS,
  route,
  voiceName as voice,
} from './route-document.ts';

/** The protocols that the service supports for each type. */
const PROTOCOLS_OF_TYPE: Readonly<Record<Kind, readonly (typeof PROTOCOLS)[number][]>> = {
  chat: CHAT_PROTOCOLS,
  embeddings: ['openai', 'bedrock'],
  image: ['openai', 'bedrock'],
  tts: ['openai', 'polly'],
  audio: ['openai', 'transcribe'],
};

/**
 * The supported models of Bedrock other than those of Converse. Includes models that were supported until they ended,
 * so that a catalog stored earlier can still be read.
 */
export const BEDROCK_MODELS: Partial<Record<Kind, RegExp>> = {
  embeddings: /titan-embed-text-v2|cohere\.embed-/,
  image: /stability\.(stable-image-(core|ultra)|sd3-5-large)-|nova-canvas|titan-image-generator/,
};

const modelFields = z.strictObject({
  id,
  type: z.enum(KINDS),
  owned_by: z.string().min(1).max(128),
  /** Seconds since the epoch. */
  created: z.int().min(0),
  display_name: z.string().min(1).max(128).optional(),
  aliases: z.array(id).max(20).default([]),
  context_window: z.int().min(1).optional(),
  /** Raises the bound of a text for a tokenizer that counts more than those that the bound was measured with. */
  token_factor: z.number().min(1).max(16).optional(),
  /** Tokens that the provider adds before each prompt. */
  hidden_tokens: z.int().min(0).max(100_000).optional(),
  /** Speech counts one token for this many characters of the text, and nothing else, whatever its script. */
  characters_per_token: z.number().min(1).max(16).optional(),
  max_output_tokens: z.int().min(1).optional(),
  /** The output limit for a chat or Messages caller that specifies none. Default: 256. */
  default_max_tokens: z.int().min(1).optional(),
  /** Lowers a limit above `max_output_tokens` to that value. Without this setting, such a request is rejected. */
  clamp_max_tokens: z.boolean().default(false),
  /** The most tokens that one image counts, where that is more than the large providers' usual most. */
  max_image_tokens: z.int().min(1).optional(),
  default_voice: voice.optional(),
  /** The known voices. A call with another voice is rejected without a request to a route. */
  voices: z.array(voice).min(1).max(500).optional(),
  price: prices,
  /** The source of the price and the day of its last comparison. For operators; never shown to callers. */
  price_source: z.strictObject({ url: z.url({ protocol: /^https?$/ }), as_of: z.iso.date() }).optional(),
  routes: z.array(route).min(1).max(20),
});

type ModelFields = z.infer<typeof modelFields>;

/** The units that calls of a type are billed by. */
const UNITS_OF_TYPE: Readonly<Record<Kind, readonly PriceUnit[]>> = {
  chat: ['per_million_tokens'],
  embeddings: ['per_million_tokens', 'per_request'],
  tts: ['per_million_tokens', 'per_million_characters', 'per_request'],
  image: ['per_image', 'per_request'],
  audio: ['per_minute', 'per_second', 'per_hour', 'per_request'],
};

function* modelFaults(entry: ModelFields): Generator<FieldFault> {
  yield* pricesFaults(entry.type, entry.price, ['price']);
  const { max_output_tokens: maxOutputTokens, default_max_tokens: usual } = entry;
  if (maxOutputTokens !== undefined && usual !== undefined && usual > maxOutputTokens)
    yield { path: 'default_max_tokens', message: `must be at most ${maxOutputTokens}` };
  if (maxOutputTokens === undefined && entry.clamp_max_tokens)
    yield { path: 'clamp_max_tokens', message: 'needs max_output_tokens' };
  const { voices, default_voice: defaultVoice } = entry;
  if (defaultVoice !== undefined && voices?.includes(defaultVoice) === false)
    yield { path: 'default_voice', message: 'must be one of voices' };
  if (entry.characters_per_token !== undefined && entry.type !== 'tts')
    yield { path: 'characters_per_token', message: 'is for type "tts" only' };
  const isGuarded = entry.routes.some(({ guardrail }) => guardrail !== undefined);
  if (isGuarded && !('request' in entry.price && entry.price.request !== undefined))
    yield {
      path: ['price', 'request'],
      message: 'is required with a guardrail, which is billed without tokens too',
    };
  for (const [at, each] of entry.routes.entries()) {
    if (isGuarded && each.guardrail === undefined)
      yield {
        path: ['routes', at, 'guardrail'],
        message: 'is required: failover would avoid that of another route',
      };
    for (const { path, message } of routeFaults(entry, each))
      yield { path: ['routes', at, path].flat(), message };
  }
}

/** The faults of a route on its model. */
function* routeFaults({ type, price }: ModelFields, entry: ModelFields['routes'][number]) {
  const { protocol, auth, cost, betas } = entry;
  if (betas?.some(isLongPrompts) === true && !hasTiers(price))
    yield { path: 'betas', message: 'has a flag for long prompts, for which the price names no tiers' };
  if (cost !== undefined) yield* costFaults(type, price, cost);
  const protocols = PROTOCOLS_OF_TYPE[type];
  if (!protocols.includes(protocol))
    yield { path: 'protocol', message: `must be ${protocols.join(' or ')} for type "${type}"` };
  if (protocol === 'bedrock' && BEDROCK_MODELS[type]?.test(entry.upstream_model) === false)
    yield { path: 'upstream_model', message: 'must be a model of Bedrock that the service knows how to ask' };
  if (entry.passes_image_urls && type !== 'image')
    yield { path: 'passes_image_urls', message: 'is for type "image" only' };
  if (entry.guardrail !== undefined && type !== 'chat')
    yield { path: 'guardrail', message: 'is for type "chat" only' };
  if (auth === 'sigv4' && type !== 'chat') yield { path: 'auth', message: 'is "sigv4" for type "chat" only' };
}

function* pricesFaults(type: Kind, price: Prices, path: readonly string[]): Generator<FieldFault> {
  const units = UNITS_OF_TYPE[type];
  if (!units.includes(price.unit)) {
    const names = units.map((unit) => `"${unit}"`).join(' or ');
    yield { path: [...path, 'unit'], message: `must be ${names} for type "${type}"` };
  } else if (type === 'chat' && price.unit === 'per_million_tokens' && price.output === undefined)
    yield { path: [...path, 'output'], message: 'is required for type "chat"' };
}

/** The values that are counted for the price must determine what the provider charges. Speech counts those of every unit. */
function* costFaults(type: Kind, price: Prices, cost: Prices): Generator<FieldFault> {
  yield* pricesFaults(type, cost, ['cost']);
  if (type !== 'tts' && UNITS_OF_TYPE[type].includes(cost.unit) && !canBill(cost.unit, price.unit)) {
    const message = `must be "per_request", or count what "${price.unit}" of the price counts`;
    yield { path: ['cost', 'unit'], message };
  }
}

const hasTiers = (price: Prices): boolean =>
  price.unit === 'per_million_tokens' && price.tiers?.[0] !== undefined;

const model = modelFields.superRefine(without(modelFaults));

const defaultModels = z.partialRecord(z.enum(KINDS), id).default({});

const documentFields = z.strictObject({
  models: z.array(model).min(1).max(20_000),
  defaults: defaultModels,
});

/** Ids and aliases are one set of names; the ids of routes are another. */
function* documentFaults({ models, defaults }: z.infer<typeof documentFields>): Generator<FieldFault> {
  const ownerByName = new Map<string, string>();
  const routes = new Set<string>();
  for (const [index, entry] of models.entries()) {
    const names = [
      { name: entry.id, path: ['id'] },
      ...entry.aliases.map((name, at) => ({ name, path: ['aliases', at] })),
    ];
    for (const { name, path } of names) {
      const owner = ownerByName.get(name);
      if (owner !== undefined)
        yield { path: ['models', index, ...path], message: `"${name}" is already used by ${owner}` };
      ownerByName.set(name, `models[${index}]`);
    }
    for (const [at, each] of entry.routes.entries()) {
      if (routes.has(each.id))
        yield { path: ['models', index, 'routes', at, 'id'], message: `"${each.id}" is already a route` };
      routes.add(each.id);
    }
  }
  for (const [kind, name] of Object.entries(defaults)) {
    if (models.find((entry) => entry.id === name)?.type !== kind)
      yield { path: ['defaults', kind], message: `must name a model of type "${kind}"` };
  }
}

const documentSchema = documentFields.superRefine(without(documentFaults));

/** A validated document; prices are nano-USD a unit. */
export type CatalogDocument = z.infer<typeof documentSchema>;
export type Model = CatalogDocument['models'][number];
export type CatalogRoute = Model['routes'][number];

/** A route that may serve a call. */
export interface Candidate {
  readonly model: Model;
  readonly route: CatalogRoute;
}

/** Validates a document; throws an error that names every offending field. */
export const parseCatalog = (input: unknown): CatalogDocument => parse(documentSchema, input, 'the catalog');

const envelopeSchema = z.strictObject({
  models: z.custom<readonly unknown[]>(Array.isArray, 'must be a list'),
  defaults: defaultModels,
});

/** Reads a document that was validated when it was applied, but for its models. Throws for what is no document. */
export const parseEnvelope = (input: unknown): z.infer<typeof envelopeSchema> =>
  parse(envelopeSchema, input, 'the stored catalog');

/** Reads one model of such a document. Throws an error that names every offending field. */
export const parseModel = (input: unknown, name: string): Model =>
  parse(model, input, `model ${JSON.stringify(name)} of the stored catalog`);

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.infer<Schema> {
  const result = schema.safeParse(input, { error: describeFault });
  if (result.success) return result.data;
  throw new Error(`${what} is not valid:\n${z.prettifyError(result.error)}`);
}
