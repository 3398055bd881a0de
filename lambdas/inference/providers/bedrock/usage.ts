/** Usage as Converse reports it (Amazon Bedrock API reference, TokenUsage, ServiceTier, PerformanceConfiguration). */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import {
  anyWrites,
  countIn,
  countOf,
  detailsOf,
  reportedName,
  splitWrites,
  sumOf,
  totalIn,
  totalOf,
} from '../usage-counts.ts';

/** The fields of a response, or of the last event of a stream, next to its message. All of them are uncertain. */
export interface UsageFields {
  readonly usage?: unknown;
  readonly serviceTier?: unknown;
  readonly performanceConfig?: unknown;
  /** The stop reason; a stream has it before the usage. */
  readonly stopReason?: unknown;
}

/**
 * Returns undefined for anything that does not count both sides. `inputTokens` leaves out what was read from and
 * written to the prompt cache (Amazon Bedrock user guide, Prompt caching). A few models count it in all the same, and
 * then `totalTokens` shows it: it is the input, the output and whatever the input leaves out.
 */
export function toUsage({ usage: reported, stopReason, ...served }: UsageFields): TokenUsage | undefined {
  if (!isJsonObject(reported)) return undefined;
  const { inputTokens, outputTokens, totalTokens } = reported;
  if (!isTokenCount(inputTokens) || !isTokenCount(outputTokens)) return undefined;
  const read = countIn(reported, 'cacheReadInputTokens');
  const writes = splitWrites(totalIn(reported, 'cacheWriteInputTokens'), {
    fiveMinutes: writtenFor('5m', reported.cacheDetails),
    hour: writtenFor('1h', reported.cacheDetails),
  });
  const besides = sumOf(read, totalOf(writes));
  const inclusive = totalTokens === inputTokens + outputTokens && inputTokens >= besides;
  return {
    promptTokens: inclusive ? inputTokens : sumOf(inputTokens, besides),
    cachedTokens: read,
    completionTokens: outputTokens,
    cacheWrites: anyWrites(writes),
    serviceTier: tierOf(served),
    ...(stopReason === 'guardrail_intervened' ? { isBlocked: true } : {}),
  };
}

/** Amazon Bedrock API reference, CacheDetail. */
const writtenFor = (lifetime: string, details: unknown): number =>
  sumOf(
    ...(Array.isArray(details) ? details : [])
      .map(detailsOf)
      .filter(({ ttl }) => ttl === lifetime)
      .map(({ inputTokens }) => countOf(inputTokens)),
  );

/** Returns the tier. Optimized latency has separate prices (Amazon Bedrock user guide, Latency-optimized inference). */
function tierOf({
  serviceTier,
  performanceConfig,
}: Pick<UsageFields, 'serviceTier' | 'performanceConfig'>): string | undefined {
  const { latency } = detailsOf(performanceConfig);
  return latency === 'optimized'
    ? latency
    : reportedName(detailsOf(serviceTier).type ?? latency, 'default', 'standard');
}
