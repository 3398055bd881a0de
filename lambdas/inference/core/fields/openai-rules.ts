/** Rules of fields that chat completions and Responses share (OpenAI API reference; OpenAI docs, Priority and Flex processing, Prompt caching). */
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import {
  cacheBreakpoint,
  cacheLifetime,
  capability,
  serviceTier,
  unlessEmpty,
  unpriced,
  when,
  whenTrue,
} from './readers.ts';
import type { FieldRule, NeedReader } from './table.ts';

/** Fields that affect the output only, and identifiers chosen by the caller. */
const PLAIN = 'temperature,top_p,parallel_tool_calls,user,safety_identifier';

export const OPENAI_FIELDS: readonly FieldRule[] = [
  // `on_demand` is the standard tier of Groq.
  { at: 'service_tier', needs: serviceTier('auto', 'default', 'standard', 'on_demand') },
  { at: 'moderation', needs: unlessEmpty(unpriced) },
  { at: 'prompt_cache_retention', needs: cacheLifetime('in_memory', 'in-memory') },
  { at: 'prompt_cache_options.ttl', needs: cacheLifetime('30m') },
  { at: 'prompt_cache_options.mode' },
  { at: 'stream', needs: when((value) => value === true, capability('stream')), isConverted: true },
  { at: `{model,${PLAIN}}`, isConverted: true },
  { at: 'prompt_cache_key', isConverted: 'openai' },
  { at: '{metadata,top_logprobs}' },
];

export const storedByProvider: NeedReader = whenTrue(unpriced);

/** A breakpoint without a lifetime has the request's, which is 30 minutes if the request has none. */
export const openaiBreakpoint: NeedReader = cacheBreakpoint(({ body: { prompt_cache_options: options } }) =>
  isJsonObject(options) ? (options.ttl ?? '30m') : '30m',
);

/** The roles of messages that instruct the model; the second is the newer name. */
export const SYSTEM_ROLES = ['system', 'developer'] as const;

/** The error message for the id of an uploaded file. */
export const UNSUPPORTED_FILE_ID = 'names a file, and this service keeps none: send its URL or its bytes';

/** Choices of a tool that name none. */
export const PLAIN_TOOL_CHOICES = ['none', 'auto', 'required'] as const;
