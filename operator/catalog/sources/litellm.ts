/**
 * Prices of LiteLLM (MIT), from a copy of its `model_prices_and_context_window.json`: models by name, rates in USD a
 * token, with the tier by prompt length and the service tier at the end of a rate's name
 * (`input_cost_per_token_above_200k_tokens`, `output_cost_per_token_priority`).
 */
import * as z from 'zod';
import type { Capability } from '../../../lambdas/inference/core/catalog/route-document.ts';
import { isJsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { parseNumbersAsText } from './decimal.ts';
import type { KnownProvider } from './known-providers.ts';
import {
  type About,
  type CatalogSourceList,
  limitsOf,
  PriceValueReader,
  type SourceModel,
  writeLifetime,
} from './source.ts';

const model = z.looseObject({
  litellm_provider: z.string().optional(),
  mode: z.string().optional(),
  /** The day on which the provider ends the model, as `YYYY-MM-DD`. */
  deprecation_date: z.string().optional(),
  max_input_tokens: z.string().optional(),
  max_output_tokens: z.string().optional(),
  supports_function_calling: z.boolean().optional(),
  supports_response_schema: z.boolean().optional(),
  supports_vision: z.boolean().optional(),
});
type Model = z.infer<typeof model>;

/** `sample_spec` explains the fields; its values are not those of a model. */
const SAMPLE = 'sample_spec';

const RATES: Readonly<Record<string, string>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cached_input',
  cache_creation_input_token_cost_above_1hr: 'cache_writes.1h',
  output_cost_per_reasoning_token: 'reasoning_output',
  input_cost_per_audio_token: 'audio_input',
  cache_read_input_audio_token_cost: 'cached_audio_input',
  output_cost_per_audio_token: 'audio_output',
  input_cost_per_image_token: 'image_input',
  cache_read_input_image_token_cost: 'cached_image_input',
  output_cost_per_image_token: 'image_output',
  input_cost_per_video_token: 'video_input',
};

const WRITE = 'cache_creation_input_token_cost';

/** Priced fields that a catalog without a price for them rejects: batches, tools, the storage of caches. */
const UNSUPPORTED_FIELDS =
  /_batches$|_batch_requests$|^(computer_use|file_search|code_interpreter|vector_store|annotation|ocr|google_maps)|search_context|_per_session$|_cost_per_(query|page|search)/;

const STATED: ReadonlySet<string> = new Set([
  ...Object.values(RATES),
  'cache_writes.5m',
  'cache_writes.auto',
  'features.web_search.price',
]);

const DATE = /^\d{4}-\d\d-\d\d$/;

const NAME = /^(.*?)(?:_above_(\d+)k_tokens)?(?:_(priority|flex|fast))?$/;

/** Reads the file's text. Throws an error that names what is not as the format has it. */
export function litellm(json: string, today = new Date().toISOString().slice(0, 10)): CatalogSourceList {
  const read = parseNumbersAsText(json);
  if (!isJsonObject(read))
    throw new Error("not LiteLLM's model_prices_and_context_window.json: not an object");
  const byProvider = new Map<string, Map<string, Model>>();
  for (const [name, value] of Object.entries(read)) {
    if (name === SAMPLE) continue;
    const result = model.safeParse(value);
    if (!result.success) throw new Error(`not LiteLLM's prices: ${name}:\n${z.prettifyError(result.error)}`);
    const provider = result.data.litellm_provider ?? '';
    const models = byProvider.get(provider) ?? new Map<string, Model>();
    byProvider.set(provider, models.set(idOf(name, provider), result.data));
  }
  const modelsOf = (provider: KnownProvider): ReadonlyMap<string, Model> =>
    new Map(provider.litellm.flatMap((name) => [...(byProvider.get(name) ?? [])]));
  return {
    name: 'litellm',
    states: (name) => STATED.has(name) || /^service_tiers\./.test(name),
    models: (provider) =>
      [...modelsOf(provider)].map(([id, each]) => readModel(provider, { id, read: each, today })),
  };
}

/** Returns the provider's name of the model, without LiteLLM's prefix. */
const idOf = (name: string, provider: string): string =>
  name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;

function readModel(
  provider: KnownProvider,
  { id, read, today }: { readonly id: string; readonly read: Model; readonly today: string },
): SourceModel {
  const reader = new PriceValueReader();
  const { deprecation_date: endsOn } = read;
  if (endsOn !== undefined && DATE.test(endsOn) && endsOn <= today)
    reader.problems.push(`it has ended on ${endsOn}`);
  for (const [field, value] of Object.entries(read)) {
    if (!/_cost(_|$)/.test(field) || UNSUPPORTED_FIELDS.test(field)) continue;
    const name = nameOf(field, writeLifetime(provider, id));
    if (name === undefined) reader.problems.push(`${field} is not a price that a catalog can say`);
    else if (typeof value === 'string') reader.read(name, value, { power: 6, field });
  }
  readSearches(reader, read.search_context_cost_per_query);
  reader.fillTiers();
  const { values, problems } = reader;
  return { id, priceValues: values, problems, about: aboutOf(read) };
}

/** Returns the name of a field's value: rate, tier by prompt length, service tier. */
function nameOf(field: string, lifetime: string): string | undefined {
  const [, stem = '', thousands, service] = NAME.exec(field) ?? [];
  const rate = stem === WRITE ? `cache_writes.${lifetime}` : RATES[stem];
  if (rate === undefined) return undefined;
  const tier = thousands === undefined ? '' : `tiers.${thousands}000.`;
  return `${service === undefined ? '' : `service_tiers.${service}.`}${tier}${rate}`;
}

/** USD of a search by the size of its context; a catalog has one price of a search, so all sizes must have the same. */
function readSearches(reader: PriceValueReader, sizes: unknown): void {
  if (!isJsonObject(sizes)) return;
  const prices = new Set(Object.values(sizes));
  const [price] = prices;
  if (prices.size === 1 && typeof price === 'string') reader.read('features.web_search.price', price);
}

function aboutOf(read: Model): About {
  const capabilities: Capability[] = ['stream'];
  if (read.supports_function_calling) capabilities.push('tools');
  if (read.supports_response_schema) capabilities.push('json');
  if (read.supports_vision) capabilities.push('vision');
  return {
    type: read.mode === 'embedding' ? 'embeddings' : read.mode === 'chat' ? 'chat' : 'other',
    ...limitsOf(read.max_input_tokens, read.max_output_tokens),
    capabilities,
  };
}
