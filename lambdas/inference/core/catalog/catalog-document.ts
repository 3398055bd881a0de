/** The catalog document that operators write: every model, its price and its routes; validated as a whole. */
import * as z from 'zod';
import { describeFault } from '../../../platform/core/json/field-faults.ts';
import { KINDS, type Kind } from '../../../platform/core/kinds.ts';
import { canBill } from '../pricing/counts.ts';
import { type Prices, type PriceUnit, prices } from '../pricing/prices.ts';
import { isLongPrompts } from './betas.ts';
import { catalogId as id, PROTOCOLS, route } from './route-document.ts';

/** The protocols that the service supports for each type. */
const PROTOCOLS_OF_TYPE: Readonly<Record<Kind, readonly (typeof PROTOCOLS)[number][]>> = {
  chat: PROTOCOLS,
  embeddings: ['openai', 'bedrock'],
  image: ['openai', 'bedrock'],
  tts: ['openai'],
  audio: ['openai'],
};

/**
 * The supported models of Bedrock other than those of Converse. Includes models that were supported until they ended,
 * so that a catalog stored earlier can still be read.
 */
const BEDROCK_MODELS: Partial<Record<Kind, RegExp>> = {
  embeddings: /titan-embed-text-v2|cohere\.embed-/,
  image: /stability\.(stable-image-(core|ultra)|sd3-5-large)-|nova-canvas|titan-image-generator/,
};

const voice = z.string().min(1).max(128);

const model = z
  .strictObject({
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
  })
  .superRefine((entry, context) => {
    const fault = faultOf(entry.type, entry.price);
    if (fault !== undefined)
      context.addIssue({ code: 'custom', path: ['price', fault.path], message: fault.message });
    entry.routes.forEach(({ betas }, at) => {
      if (betas?.some(isLongPrompts) === true && !hasTiers(entry.price))
        context.addIssue({
          code: 'custom',
          path: ['routes', at, 'betas'],
          message: 'has a flag for long prompts, for which the price names no tiers',
        });
    });
    entry.routes.forEach(({ cost }, at) => {
      const wrong = cost === undefined ? undefined : costFault(entry, cost);
      if (wrong !== undefined)
        context.addIssue({
          code: 'custom',
          path: ['routes', at, 'cost', wrong.path],
          message: wrong.message,
        });
    });
    const {
      max_output_tokens: maxOutputTokens,
      default_max_tokens: usual,
      clamp_max_tokens: clamped,
    } = entry;
    if (maxOutputTokens !== undefined && usual !== undefined && usual > maxOutputTokens)
      context.addIssue({
        code: 'custom',
        path: ['default_max_tokens'],
        message: `must be at most ${maxOutputTokens}`,
      });
    if (maxOutputTokens === undefined && clamped)
      context.addIssue({ code: 'custom', path: ['clamp_max_tokens'], message: 'needs max_output_tokens' });
    const { voices, default_voice: defaultVoice } = entry;
    if (voices !== undefined && defaultVoice !== undefined && !voices.includes(defaultVoice))
      context.addIssue({ code: 'custom', path: ['default_voice'], message: 'must be one of voices' });
    const protocols = PROTOCOLS_OF_TYPE[entry.type];
    entry.routes.forEach(
      ({ protocol, auth, passes_image_urls: passes, upstream_model: upstreamModel }, at) => {
        const issue = (field: string, message: string) =>
          context.addIssue({ code: 'custom', path: ['routes', at, field], message });
        if (!protocols.includes(protocol))
          issue('protocol', `must be ${protocols.join(' or ')} for type "${entry.type}"`);
        if (protocol === 'bedrock' && BEDROCK_MODELS[entry.type]?.test(upstreamModel) === false)
          issue('upstream_model', 'must be a model of Bedrock that the service knows how to ask');
        if (passes && entry.type !== 'image') issue('passes_image_urls', 'is for type "image" only');
        if (auth === 'sigv4' && entry.type !== 'chat') issue('auth', 'is "sigv4" for type "chat" only');
      },
    );
  });

/** The units that calls of a type are billed by. */
const UNITS_OF_TYPE: Readonly<Record<Kind, readonly PriceUnit[]>> = {
  chat: ['per_million_tokens'],
  embeddings: ['per_million_tokens', 'per_request'],
  tts: ['per_million_tokens', 'per_million_characters', 'per_request'],
  image: ['per_image', 'per_request'],
  audio: ['per_minute', 'per_second', 'per_hour', 'per_request'],
};

/** Returns the fault of prices for a type and its path, or undefined if the prices are valid. */
function faultOf(type: Kind, price: Prices): { readonly path: string; readonly message: string } | undefined {
  const units = UNITS_OF_TYPE[type];
  if (!units.includes(price.unit))
    return {
      path: 'unit',
      message: `must be ${units.map((unit) => `"${unit}"`).join(' or ')} for type "${type}"`,
    };
  if (price.unit !== 'per_million_tokens' || type !== 'chat' || price.output !== undefined) return undefined;
  return { path: 'output', message: 'is required for type "chat"' };
}

/**
 * Returns the fault of a route's cost. The values that are counted for the price must determine what the provider
 * charges.
 */
function costFault({ type, price }: { readonly type: Kind; readonly price: Prices }, cost: Prices) {
  const fault = faultOf(type, cost);
  if (fault !== undefined || canBill(cost.unit, price.unit)) return fault;
  return {
    path: 'unit',
    message: `must be "per_request", or count what "${price.unit}" of the price counts`,
  };
}

const hasTiers = (price: Prices): boolean =>
  price.unit === 'per_million_tokens' && price.tiers?.[0] !== undefined;

const defaultModels = z.partialRecord(z.enum(KINDS), id).default({});

const documentSchema = z
  .strictObject({ models: z.array(model).min(1).max(20_000), defaults: defaultModels })
  .superRefine(({ models, defaults }, context) => {
    const ownerByName = new Map<string, string>();
    const claim = (name: string, path: (string | number)[]) => {
      const owner = ownerByName.get(name);
      if (owner !== undefined)
        context.addIssue({ code: 'custom', path, message: `"${name}" is already used by ${owner}` });
      ownerByName.set(name, `models[${path[1]}]`);
    };
    const routes = new Set<string>();
    models.forEach((entry, index) => {
      claim(entry.id, ['models', index, 'id']);
      entry.aliases.forEach((alias, at) => {
        claim(alias, ['models', index, 'aliases', at]);
      });
      entry.routes.forEach((candidate, at) => {
        const path = ['models', index, 'routes', at, 'id'];
        if (routes.has(candidate.id))
          context.addIssue({ code: 'custom', path, message: `"${candidate.id}" is already a route` });
        routes.add(candidate.id);
      });
    });
    for (const [kind, name] of Object.entries(defaults)) {
      const target = models.find((entry) => entry.id === name);
      if (target?.type !== kind) {
        context.addIssue({
          code: 'custom',
          path: ['defaults', kind],
          message: `must name a model of type "${kind}"`,
        });
      }
    }
  });

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

/** A document whose models are not parsed yet. */
export type CatalogEnvelope = z.infer<typeof envelopeSchema>;

/** Reads a document that was validated when it was applied, but for its models. Throws for what is no document. */
export const parseEnvelope = (input: unknown): CatalogEnvelope =>
  parse(envelopeSchema, input, 'the stored catalog');

/** Reads one model of such a document. Throws an error that names every offending field. */
export const parseModel = (input: unknown, name: string): Model =>
  parse(model, input, `model ${JSON.stringify(name)} of the stored catalog`);

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.infer<Schema> {
  const result = schema.safeParse(input, { error: describeFault });
  if (result.success) return result.data;
  throw new Error(`${what} is not valid:\n${z.prettifyError(result.error)}`);
}
