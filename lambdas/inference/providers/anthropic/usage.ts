/** Usage as the Messages protocol reports it (Claude API reference, Create a Message, Usage). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { allowedUsageOf } from '../message-fields.ts';
import {
  anyWrites,
  type CacheWrites,
  countIn,
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

/**
 * Returns undefined for anything that does not count both sides. `input_tokens` leaves out what was read from and
 * written to the prompt cache. `native`: the account goes to the caller as it came. Parts that are more than their
 * whole are the pricing's to bound.
 */
export function toUsage(reported: unknown, native: boolean): TokenUsage | undefined {
  if (!isJsonObject(reported)) return undefined;
  const topSampling = samplingOf(reported);
  if (topSampling === undefined) return undefined;
  const all = [topSampling, ...uncounted(reported.iterations)];
  const sum = (count: (sampling: Sampling) => number) => sumOf(...all.map(count));
  const writes = lifetimesOf({
    '5m': sum(({ writes }) => writes['5m'] ?? 0),
    '1h': sum(({ writes }) => writes['1h'] ?? 0),
    auto: sum(({ writes }) => writes.auto ?? 0),
  });
  const cachedTokens = sum(({ read }) => read);
  return {
    promptTokens: sumOf(
      sum(({ input }) => input),
      cachedTokens,
      totalOf(writes),
    ),
    cachedTokens,
    completionTokens: sum(({ output }) => output),
    cacheWrites: anyWrites(writes),
    reasoningTokens: partOf(countIn(detailsOf(reported.output_tokens_details), 'thinking_tokens')),
    uses: toolUses(reported),
    serviceTier: tierOf(reported),
    region: regionOf(reported),
    ...(native ? { reported: allowedUsageOf(reported) ?? {} } : {}),
  };
}

/** The counts of one sampling of a model. */
interface Sampling {
  readonly input: number;
  readonly read: number;
  readonly writes: CacheWrites;
  readonly output: number;
}

function samplingOf(account: JsonObject): Sampling | undefined {
  const { input_tokens: input, output_tokens: output } = account;
  if (!isTokenCount(input) || !isTokenCount(output)) return undefined;
  const split = detailsOf(account.cache_creation);
  const writes = splitWrites(totalIn(account, 'cache_creation_input_tokens'), {
    fiveMinutes: countIn(split, 'ephemeral_5m_input_tokens'),
    hour: countIn(split, 'ephemeral_1h_input_tokens'),
  });
  return { input, read: countIn(account, 'cache_read_input_tokens'), writes, output };
}

/**
 * Returns the samplings that the top-level values exclude: those that compact the context, and those of an advisor
 * (Claude docs, Compaction, Usage; Advisor tool, Usage and billing). All others are included.
 */
const uncounted = (iterations: unknown): Sampling[] =>
  (Array.isArray(iterations) ? iterations : [])
    .map(detailsOf)
    .filter(({ type }) => type === 'compaction' || type === 'advisor_message')
    .flatMap((iteration) => samplingOf(iteration) ?? []);

/** `web_search_requests` counts the uses of `web_search`. */
const toolUses = ({ server_tool_use: used }: JsonObject): TokenUsage['uses'] =>
  usesOf(
    Object.fromEntries(
      Object.keys(detailsOf(used)).flatMap((field) => {
        const [, tool] = /^([a-z][a-z_]{0,31})_requests$/.exec(field) ?? [];
        return tool === undefined ? [] : [[tool, countIn(detailsOf(used), field)]];
      }),
    ),
  );

/** Returns the tier. Fast mode has separate prices on every tier (Claude docs, Fast mode). */
const tierOf = ({ service_tier: tier, speed }: JsonObject): string | undefined =>
  speed === 'fast' ? 'fast' : reportedName(tier ?? speed, 'standard');

/** Returns the region of inference. Models without regions report `not_available` (Claude docs, Data residency). */
const regionOf = ({ inference_geo: region }: JsonObject): string | undefined =>
  region === 'not_available' ? undefined : reportedName(region, 'global');

/**
 * Merges two usage reports. The values of a stream are cumulative, so a later one replaces an earlier one unless it is
 * null.
 */
export function mergeUsage(earlier: JsonObject, later: unknown): JsonObject {
  if (typeof later !== 'object' || later === null) return earlier;
  const reported = Object.entries(later).filter(([, value]) => value !== null);
  return { ...earlier, ...Object.fromEntries(reported) };
}
