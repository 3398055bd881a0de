/** Usage as Converse reports it (Amazon Bedrock API reference, TokenUsage). */
import { isTokenCount, type TokenUsage } from '../../core/inference/pricing/token-usage.ts';

/**
 * Returns undefined for anything that does not count both sides. `inputTokens` leaves out what was read from and
 * written to the prompt cache (Amazon Bedrock user guide, Prompt caching). A few models count it in all the same, and
 * then `totalTokens` shows it: it is the input, the output and whatever the input leaves out.
 */
export function toUsage(reported: unknown): TokenUsage | undefined {
  if (typeof reported !== 'object' || reported === null) return undefined;
  const { inputTokens, outputTokens, totalTokens, ...cache } = reported as Readonly<Record<string, unknown>>;
  if (!isTokenCount(inputTokens) || !isTokenCount(outputTokens)) return undefined;
  const read = isTokenCount(cache.cacheReadInputTokens) ? cache.cacheReadInputTokens : 0;
  const written = isTokenCount(cache.cacheWriteInputTokens) ? cache.cacheWriteInputTokens : 0;
  const inclusive = totalTokens === inputTokens + outputTokens && inputTokens >= read + written;
  const promptTokens = inclusive ? inputTokens : inputTokens + read + written;
  return { promptTokens, cachedTokens: read, completionTokens: outputTokens };
}
