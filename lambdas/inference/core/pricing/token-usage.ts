/** The tokens of a call, as a route reports them. */
import type { CachePeriod } from './prices.ts';

/**
 * The token usage of a call. All values except the first three are included in the prompt or the completion, and may
 * have a separate price in the catalog. Cached tokens and tokens written to a cache are prompt tokens. Reasoning tokens
 * are completion tokens.
 */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly cacheWrites?: Readonly<Partial<Record<CachePeriod, number>>> | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly audioInputTokens?: number | undefined;
  readonly cachedAudioTokens?: number | undefined;
  readonly audioOutputTokens?: number | undefined;
  readonly imageInputTokens?: number | undefined;
  readonly cachedImageTokens?: number | undefined;
  readonly imageOutputTokens?: number | undefined;
  readonly videoInputTokens?: number | undefined;
  readonly videoOutputTokens?: number | undefined;
  /** The number of uses of the provider's own tools, by the name of the feature: `web_search`. */
  readonly uses?: Readonly<Record<string, number>> | undefined;
  /** The tier that the route used, if it reports one: `standard`, or the name that the tier has in prices. */
  readonly serviceTier?: string | undefined;
  /** The region of inference, if the route reports it: `standard`, or the name that it has in prices. */
  readonly region?: string | undefined;
  /** The provider's guardrail replaced the output, or answered a prompt that no model received: a count may be 0. */
  readonly isBlocked?: boolean | undefined;
  /** The route's own account in the format of the caller's API, with whatever else it counts. */
  readonly reported?: Readonly<Record<string, unknown>>;
}

/** The tier and the region of inference that have no separate price. */
export const STANDARD = 'standard';

export const NO_TOKENS: TokenUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

/** Returns the tokens that were written to a cache, for any lifetime. Undefined if no writes are reported. */
export const writtenTokens = (writes: TokenUsage['cacheWrites']): number | undefined =>
  writes === undefined ? undefined : Object.values(writes).reduce((sum, tokens) => sum + tokens, 0);

/**
 * Returns the usage after two reports of one response. Its counts are cumulative, so none of them falls: a route that
 * reports less has left something out. Cache writes are those of the report with more of them, because a later one may
 * split them by lifetime.
 */
export function laterUsage(earlier: TokenUsage, later: TokenUsage): TokenUsage {
  const hasWrites = (writtenTokens(later.cacheWrites) ?? 0) >= (writtenTokens(earlier.cacheWrites) ?? 0);
  const { cacheWrites } = hasWrites ? later : earlier;
  return { ...(largest({ ...earlier }, { ...later }) as unknown as TokenUsage), cacheWrites };
}

type Report = Readonly<Record<string, unknown>>;

const isReport = (value: unknown): value is Report => typeof value === 'object' && value !== null;

const largest = (earlier: Report, later: Report): Report =>
  Object.fromEntries(
    Object.keys({ ...earlier, ...later }).map((name) => {
      const [before, after] = [earlier[name], later[name]];
      if (typeof before === 'number' && typeof after === 'number') return [name, Math.max(before, after)];
      return [name, isReport(before) && isReport(after) ? largest(before, after) : (after ?? before)];
    }),
  );

/** Returns whether a value that a route reports can be a number of tokens. */
export const isTokenCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
