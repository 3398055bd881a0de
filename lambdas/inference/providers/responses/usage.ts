/** Usage as a server of the Responses protocol reports it (OpenAI API reference, The response object, `usage`). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { account, fields, figure, figures } from '../kept-fields.ts';
import { anyWrites, countIn, detailsOf, lifetimesOf, partOf, servedName, usesOf } from '../usage-counts.ts';

/** The figures of an account, and nothing that is no count of tokens. */
const keptUsage = account(
  fields({
    input_tokens: figure,
    output_tokens: figure,
    total_tokens: figure,
    input_tokens_details: figures(
      'cached_tokens',
      'cache_write_tokens',
      'text_tokens',
      'image_tokens',
      'audio_tokens',
    ),
    output_tokens_details: figures(...['reasoning_tokens', 'text_tokens', 'image_tokens', 'audio_tokens']),
  }),
);

/**
 * The account of a response; undefined for one that does not count both sides. `input_tokens` includes the cached ones
 * and those written to a cache. `native`: the caller speaks this protocol and gets what else the server counted.
 */
export function toUsage(
  response: JsonObject,
  { native, tools }: { readonly native: boolean; readonly tools: unknown },
): TokenUsage | undefined {
  const { usage: reported } = response;
  if (!isJsonObject(reported)) return undefined;
  const { input_tokens: prompt, output_tokens: completion } = reported;
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return undefined;
  const input = detailsOf(reported.input_tokens_details);
  const output = detailsOf(reported.output_tokens_details);
  const serviceTier = tierOf(response);
  return {
    promptTokens: prompt,
    cachedTokens: Math.min(countIn(input, 'cached_tokens'), prompt),
    completionTokens: completion,
    cacheWrites: anyWrites(lifetimesOf({ auto: countIn(input, 'cache_write_tokens') })),
    reasoningTokens: partOf(countIn(output, 'reasoning_tokens')),
    imageInputTokens: partOf(countIn(input, 'image_tokens')),
    audioInputTokens: partOf(countIn(input, 'audio_tokens')),
    imageOutputTokens: partOf(countIn(output, 'image_tokens')),
    audioOutputTokens: partOf(countIn(output, 'audio_tokens')),
    uses: usesOf(toolUses(response, tools)),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(native ? { reported: keptUsage(reported) ?? {} } : {}),
  };
}

/** The tier that served; `auto` is what is asked for, and names none. */
const tierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  tier === 'auto' ? undefined : servedName(tier, 'default', 'standard');

/** Features by the items that their calls are (as the package `openai` 7.55.0 types them). */
const FEATURES: ReadonlyMap<unknown, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['mcp_call', 'mcp'],
]);

/**
 * The calls of the provider's tools. Of a search tool's calls those that search are charged, not those that open a page
 * that it found (OpenAI docs, Web search, Output and citations); where the server counts them itself, its count holds.
 */
function toolUses(
  { output, tool_usage: counted }: JsonObject,
  tools: unknown,
): Readonly<Record<string, number>> {
  const uses: Record<string, number> = {};
  for (const item of Array.isArray(output) ? output : []) {
    const { type, action } = detailsOf(item);
    const feature = FEATURES.get(type);
    if (feature === undefined || (detailsOf(action).type ?? 'search') !== 'search') continue;
    uses[feature] = (uses[feature] ?? 0) + 1;
  }
  const requests = detailsOf(detailsOf(counted).web_search).num_requests;
  const { web_search: found = 0, ...others } = uses;
  const searches = isTokenCount(requests) ? requests : found;
  return { ...others, [isPreview(tools) ? 'web_search_preview' : 'web_search']: searches };
}

const isPreview = (tools: unknown): boolean =>
  Array.isArray(tools) && tools.some((tool) => String(detailsOf(tool).type).startsWith('web_search_preview'));
