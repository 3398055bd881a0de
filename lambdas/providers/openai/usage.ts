/** Usage as an OpenAI-compatible server reports it (OpenAI API reference, The chat completion object, usage). */
import { isTokenCount, type TokenUsage } from '../../core/inference/pricing/token-usage.ts';
import { keptUsage } from '../completion-fields.ts';

/**
 * Returns undefined for anything that does not count both sides. `prompt_tokens` includes the cached ones. A caller
 * of this protocol, `native`, gets what else the server counted.
 */
export function toUsage(reported: unknown, native: boolean): TokenUsage | undefined {
  if (typeof reported !== 'object' || reported === null) return undefined;
  const usage = reported as {
    prompt_tokens?: unknown;
    completion_tokens?: unknown;
    prompt_tokens_details?: { cached_tokens?: unknown } | null;
  };
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return undefined;
  const cached = usage.prompt_tokens_details?.cached_tokens;
  return {
    promptTokens: prompt,
    cachedTokens: isTokenCount(cached) ? Math.min(cached, prompt) : 0,
    completionTokens: completion,
    ...(native ? { reported: keptUsage(usage) ?? {} } : {}),
  };
}
