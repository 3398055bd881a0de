/**
 * Prices of models.dev (MIT), from a copy of its `api.json`: providers by name, their models with `cost` in USD per
 * million tokens (models.dev, packages/core/src/schema.ts). A tier contains the rates of the complete prompt from its
 * `size` on. A mode (`experimental.modes`) is a service tier if its request contains `service_tier` or `speed`.
 */
import * as z from 'zod';
import type { Capability } from '../../../lambdas/inference/core/catalog/route-document.ts';
import { parseNumbersAsText } from './decimal.ts';
import { KINDS_OF_CONTENT } from './field-names.ts';
import type { KnownProvider } from './known-providers.ts';
import {
  type About,
  type CatalogSourceList,
  limitsOf,
  type ModelType,
  PriceValueReader,
  type SourceModel,
  writeLifetime,
} from './source.ts';

/** A number, as its text. */
const text = z.string();

const cost = z.looseObject({
  input: text.optional(),
  output: text.optional(),
  reasoning: text.optional(),
  cache_read: text.optional(),
  cache_write: text.optional(),
  input_audio: text.optional(),
  output_audio: text.optional(),
});
type Cost = z.infer<typeof cost>;

const tiered = cost.extend({
  tiers: z.array(cost.extend({ tier: z.looseObject({ size: text }) })).optional(),
  /** The same as one tier, where a document is older than `tiers`. */
  context_over_200k: cost.optional(),
});

const mode = z.looseObject({
  cost: cost.optional(),
  provider: z.looseObject({ body: z.record(z.string(), z.unknown()).optional() }).optional(),
});

const model = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  family: z.string().optional(),
  release_date: z.string().optional(),
  attachment: z.boolean().optional(),
  temperature: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  [KINDS_OF_CONTENT]: z.looseObject({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
  limit: z.looseObject({ context: text.optional(), output: text.optional() }).optional(),
  cost: tiered.optional(),
  /** `deprecated`, `alpha` or `beta`. */
  status: z.string().optional(),
  experimental: z.looseObject({ modes: z.record(z.string(), mode).optional() }).optional(),
});
type Model = z.infer<typeof model>;

const document = z.record(z.string(), z.looseObject({ models: z.record(z.string(), model) }));

const RATES: Readonly<Record<string, string>> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning_output',
  cache_read: 'cached_input',
  input_audio: 'audio_input',
  output_audio: 'audio_output',
};

const STATED: ReadonlySet<string> = new Set([
  ...Object.values(RATES),
  'cache_writes.5m',
  'cache_writes.auto',
]);

/** Reads the file's text. Throws an error that names what is not as the format has it. */
export function modelsDev(json: string): CatalogSourceList {
  const result = document.safeParse(parseNumbersAsText(json));
  if (!result.success) throw new Error(`not models.dev's api.json:\n${z.prettifyError(result.error)}`);
  const modelsOf = ({ modelsDev: name }: KnownProvider) => Object.values(result.data[name]?.models ?? {});
  return {
    name: 'models.dev',
    states: (name) => STATED.has(name) || /^service_tiers\./.test(name),
    models: (provider) => modelsOf(provider).map((each) => readModel(provider, each)),
  };
}

function readModel(provider: KnownProvider, read: Model): SourceModel {
  const reader = new PriceValueReader();
  if (read.status === 'deprecated') reader.problems.push('it is deprecated');
  const lifetime = writeLifetime(provider, read.id);
  const { tiers, context_over_200k: over, ...standard } = read.cost ?? {};
  readCost(reader, standard, { prefix: '', lifetime });
  const all = tiers?.map(({ tier, ...rates }) => ({ above: tier.size, rates })) ?? [];
  if (tiers === undefined && over !== undefined) all.push({ above: '200000', rates: over });
  for (const { above, rates } of all) {
    readCost(reader, rates, { prefix: `tiers.${above}.`, lifetime });
    for (const name of Object.keys(RATES).concat('cache_write'))
      if (standard[name] !== undefined && rates[name] === undefined)
        reader.problems.push(`its tier above ${above} has no ${name}`);
  }
  for (const { cost: modeCost, provider: request } of Object.values(read.experimental?.modes ?? {})) {
    const tier = request?.body?.service_tier ?? request?.body?.speed;
    if (modeCost !== undefined && typeof tier === 'string')
      readCost(reader, modeCost, { prefix: `service_tiers.${tier}.`, lifetime });
  }
  const { values, problems } = reader;
  return { id: read.id, priceValues: values, problems, about: aboutOf(read) };
}

function readCost(
  reader: PriceValueReader,
  rates: Cost,
  { prefix, lifetime }: { readonly prefix: string; readonly lifetime: string },
): void {
  for (const [field, rate] of [
    ...Object.entries(RATES),
    ['cache_write', `cache_writes.${lifetime}`] as const,
  ]) {
    const value = rates[field];
    if (typeof value === 'string') reader.read(`${prefix}${rate}`, value, { field: `${prefix}${field}` });
  }
}

function aboutOf(read: Model): About {
  const { [KINDS_OF_CONTENT]: content, limit, release_date: released } = read;
  const created = released === undefined ? Number.NaN : Date.parse(released) / 1_000;
  const capabilities: Capability[] = ['stream'];
  if (read.tool_call) capabilities.push('tools');
  if (read.structured_output) capabilities.push('json');
  if (content?.input.includes('image')) capabilities.push('vision');
  return {
    ...(read.name === undefined ? {} : { name: read.name }),
    type: typeOf(read),
    ...(Number.isSafeInteger(created) && created >= 0 ? { created } : {}),
    ...limitsOf(limit?.context, limit?.output),
    capabilities,
    rejectsTemperature: read.temperature === false,
  };
}

function typeOf({ id, family = '', [KINDS_OF_CONTENT]: content }: Model): ModelType {
  if (/embed/i.test(family) || /embed/i.test(id)) return 'embeddings';
  return content === undefined || content.output.includes('text') ? 'chat' : 'other';
}
