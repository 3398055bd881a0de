/**
 * Usage as an OpenAI-compatible server reports it (OpenAI API reference, The chat completion object, `usage` and
 * `service_tier`), and where other servers of the protocol put the same.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { allowedUsageOf } from '../openai-formats/completion-fields.ts';
import {
  anyWrites,
  type CacheWrites,
  countIn,
  countOf,
  detailsOf,
  lifetimesOf,
  partOf,
  reportedName,
  splitWrites,
  sumOf,
  totalIn,
  totalOf,
  usesOf,
} from '../usage-counts.ts';

/** Reads the usage of a response, either from the complete response or from its chunks as they arrive. */
export class UsageReader {
  readonly #native: boolean;
  #usage: TokenUsage | undefined;
  #serviceTier: string | undefined;

  /** `native`: the caller speaks this protocol and gets what else the server counted. */
  constructor(native: boolean) {
    this.#native = native;
  }

  /** Returns the usage up to now if this chunk or complete response adds to it. Never throws. */
  read(response: JsonObject): TokenUsage | undefined {
    const serviceTier = tierOf(response) ?? this.#serviceTier;
    const usage = this.#account(response) ?? this.#usage;
    const isNew = usage !== this.#usage || serviceTier !== this.#serviceTier;
    this.#usage = usage;
    this.#serviceTier = serviceTier;
    if (usage === undefined || !isNew) return undefined;
    return serviceTier === undefined ? usage : { ...usage, serviceTier };
  }

  #account(response: JsonObject): TokenUsage | undefined {
    for (const account of accountsOf(response)) {
      const usage = toUsage(account, this.#native);
      if (usage !== undefined) return usage;
    }
    return undefined;
  }
}

/**
 * Returns the objects that may be the usage:
 * - at the top;
 * - in Groq's `x_groq`, in streams (Groq API reference, Create chat completion);
 * - in the choice that it ends, in streams of Moonshot (Kimi API docs, Chat, streaming).
 */
function accountsOf({ usage, x_groq: groq, choices }: JsonObject): readonly unknown[] {
  const ofChoices = Array.isArray(choices) ? choices.map((choice) => detailsOf(choice).usage) : [];
  return [usage, detailsOf(groq).usage, ...ofChoices.reverse()];
}

/**
 * Returns the tier that the route used. `on_demand` is the standard one of Groq (Groq docs, Service tiers). `auto` is a
 * requested value and identifies no tier.
 */
function tierOf({ service_tier: tier }: JsonObject): string | undefined {
  return tier === 'auto' ? undefined : reportedName(tier, 'default', 'standard', 'on_demand');
}

/**
 * Returns undefined for anything that does not count both sides. `prompt_tokens` includes the cached ones and those
 * written to a cache. Parts that are more than their whole are the pricing's to bound.
 */
export function toUsage(reported: unknown, native: boolean): TokenUsage | undefined {
  if (!isJsonObject(reported)) return undefined;
  const { prompt_tokens: prompt, completion_tokens: completion } = reported;
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return undefined;
  const input = detailsOf(reported.prompt_tokens_details);
  const output = detailsOf(reported.completion_tokens_details);
  const ofCached = detailsOf(input.cached_tokens_details);
  const cached = cachedTokens(reported, input);
  const writes = cacheWrites(reported, input);
  // SGLang counts it at the top.
  const reasoning = Math.max(countIn(output, 'reasoning_tokens'), countIn(reported, 'reasoning_tokens'));
  const outside = countOf(reported.total_tokens) - prompt - completion;
  const hidden = outputOutside(outside, reasoning, [cached, totalOf(writes)]);
  return {
    promptTokens: prompt,
    cachedTokens: Math.min(cached, prompt),
    completionTokens: sumOf(completion, hidden),
    cacheWrites: anyWrites(writes),
    reasoningTokens: partOf(Math.max(reasoning, hidden)),
    audioInputTokens: partOf(countIn(input, 'audio_tokens')),
    cachedAudioTokens: partOf(countIn(ofCached, 'audio_tokens')),
    audioOutputTokens: partOf(countIn(output, 'audio_tokens')),
    imageInputTokens: partOf(countIn(input, 'image_tokens')),
    cachedImageTokens: partOf(countIn(ofCached, 'image_tokens')),
    imageOutputTokens: partOf(countIn(output, 'image_tokens')),
    videoInputTokens: partOf(countIn(input, 'video_tokens')),
    videoOutputTokens: partOf(countIn(output, 'video_tokens')),
    uses: toolUses(reported, input),
    ...(native ? { reported: allowedUsageOf(reported) ?? {} } : {}),
  };
}

/**
 * DeepSeek (API docs, Context caching) has `prompt_cache_hit_tokens`; Kimi (API docs, Chat) and Claude behind this
 * protocol (Claude docs, OpenAI SDK compatibility) `cached_tokens` at the top; Mistral `num_cached_tokens`, there too.
 */
const cachedTokens = (usage: JsonObject, input: JsonObject): number =>
  Math.max(
    countIn(input, 'cached_tokens'),
    countIn(usage, 'cached_tokens', 'prompt_cache_hit_tokens', 'num_cached_tokens'),
  );

/**
 * Returns the tokens written to a cache. A server may use several of these names for the same tokens:
 * - OpenAI (docs, Prompt caching) and OpenRouter (docs, Usage accounting): `cache_write_tokens`, without a lifetime.
 * - DashScope (Alibaba Cloud Model Studio, Context cache): `cache_creation_input_tokens`, cached for 5 minutes.
 * - LiteLLM (docs, Prompt caching): `cache_creation_tokens`, and their split by lifetime.
 */
function cacheWrites(usage: JsonObject, input: JsonObject): CacheWrites {
  const split = { ...detailsOf(input.cache_creation), ...detailsOf(input.cache_creation_token_details) };
  const totals = [
    totalIn(input, 'cache_creation_tokens', 'cache_creation_input_tokens'),
    totalIn(usage, 'cache_creation_input_tokens'),
  ].filter((total) => total !== undefined);
  const writes = splitWrites(totals.length === 0 ? undefined : Math.max(...totals), {
    fiveMinutes: countIn(split, 'ephemeral_5m_input_tokens'),
    hour: countIn(split, 'ephemeral_1h_input_tokens'),
  });
  return totalOf(writes) > 0 ? writes : lifetimesOf({ auto: countIn(input, 'cache_write_tokens') });
}

/**
 * The output that a server left out of `completion_tokens`, as its own total shows: xAI leaves out the reasoning and
 * counts it (xAI docs, Consumption and rate limits); Gemini behind this protocol leaves out the thoughts and does not
 * (Gemini API docs, Thinking, `totalTokenCount`). What a cache gave or took may be left out of the prompt instead.
 */
function outputOutside(outside: number, reasoning: number, [cached, written]: readonly [number, number]) {
  if (outside <= 0 || (reasoning > 0 && outside !== reasoning)) return 0;
  const ofCache = reasoning === 0 && [cached, written, cached + written].includes(outside);
  return ofCache ? 0 : outside;
}

/**
 * Searches by OpenRouter (API reference, `server_tool_use`), by LiteLLM, and by Perplexity (API reference,
 * `num_search_queries`); the sources of xAI's Live Search, by which it is charged (xAI docs, Live Search).
 */
const toolUses = (usage: JsonObject, input: JsonObject): TokenUsage['uses'] =>
  usesOf({
    web_search: Math.max(
      countIn(detailsOf(usage.server_tool_use), 'web_search_requests'),
      countIn(detailsOf(usage.server_tool_use_details), 'web_search_requests'),
      countIn(input, 'web_search_requests'),
      countIn(usage, 'num_search_queries'),
    ),
    live_search: countIn(usage, 'num_sources_used'),
  });
