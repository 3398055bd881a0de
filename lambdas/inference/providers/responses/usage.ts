/** Usage as a server of the Responses protocol reports it (OpenAI API reference, The response object, `usage`). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { account, fields, usageCount, usageCounts } from '../allowed-fields.ts';
import { anyWrites, countIn, detailsOf, lifetimesOf, partOf, reportedName, usesOf } from '../usage-counts.ts';

/** Returns the numeric values of the usage, and drops everything that is not a token count. */
const allowedUsageOf = account(
  fields({
    input_tokens: usageCount,
    output_tokens: usageCount,
    total_tokens: usageCount,
    input_tokens_details: usageCounts(
      'cached_tokens',
      'cache_write_tokens',
      'text_tokens',
      'image_tokens',
      'audio_tokens',
    ),
    output_tokens_details: usageCounts('reasoning_tokens', 'text_tokens', 'image_tokens', 'audio_tokens'),
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
    ...(native ? { reported: allowedUsageOf(reported) ?? {} } : {}),
  };
}

/** Returns the tier that the route used. `auto` is a requested value and identifies no tier. */
const tierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  tier === 'auto' ? undefined : reportedName(tier, 'default', 'standard');

/** Features by the items that their calls are (as the package `openai` 7.55.0 types them). */
const FEATURES: ReadonlyMap<unknown, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['mcp_call', 'mcp'],
]);

/**
 * Returns the calls of server tools. Only calls that search are charged for a search tool, not calls that open a result
 * page (OpenAI docs, Web search, Output and citations). If the server counts the calls itself, its count is used.
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
  const { web_search: searchCalls = 0, ...otherUses } = uses;
  const searches = isTokenCount(requests) ? requests : searchCalls;
  return { ...otherUses, [isPreview(tools) ? 'web_search_preview' : 'web_search']: searches };
}

const isPreview = (tools: unknown): boolean =>
  Array.isArray(tools) && tools.some((tool) => String(detailsOf(tool).type).startsWith('web_search_preview'));
