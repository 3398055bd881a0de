/** Usage as the Messages protocol reports it (Claude API reference, Create a Message, Usage). */
import { isTokenCount, type TokenUsage } from '../../core/inference/pricing/token-usage.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import { keptUsage } from '../message-fields.ts';

/**
 * Returns undefined for anything that does not count both sides. `input_tokens` leaves out what was read from and
 * written to the prompt cache. `native`: the account goes to the caller as it came.
 */
export function toUsage(reported: unknown, native: boolean): TokenUsage | undefined {
  if (typeof reported !== 'object' || reported === null) return undefined;
  const { input_tokens: input, output_tokens: output, ...cache } = reported as JsonObject;
  if (!isTokenCount(input) || !isTokenCount(output)) return undefined;
  const read = isTokenCount(cache.cache_read_input_tokens) ? cache.cache_read_input_tokens : 0;
  const written = isTokenCount(cache.cache_creation_input_tokens) ? cache.cache_creation_input_tokens : 0;
  return {
    promptTokens: input + read + written,
    cachedTokens: read,
    completionTokens: output,
    ...(native ? { reported: keptUsage(reported) ?? {} } : {}),
  };
}

/** One account of two: the figures of a stream are cumulative, so a later one stands, unless it is null. */
export function mergeUsage(earlier: JsonObject, later: unknown): JsonObject {
  if (typeof later !== 'object' || later === null) return earlier;
  const reported = Object.entries(later).filter(([, value]) => value !== null);
  return { ...earlier, ...Object.fromEntries(reported) };
}
