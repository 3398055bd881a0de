/**
 * The common functions of all usage readers, for counts that may be invalid and for the names of what the provider
 * used.
 */

import { isJsonObject, type JsonObject } from '../../platform/core/json/lossless-json.ts';
import type { CachePeriod } from '../core/pricing/prices.ts';
import { isTokenCount, STANDARD, type TokenUsage } from '../core/pricing/token-usage.ts';

/** Returns the count. A value that is not a count is 0. */
export const countOf = (value: unknown): number => (isTokenCount(value) ? value : 0);

/** Returns the maximum of several values for one count, for servers with more than one name for it. */
export const countIn = (account: JsonObject, ...names: readonly string[]): number =>
  Math.max(0, ...names.map((name) => countOf(account[name])));

/** Returns the same maximum; undefined if the account has none of these counts. */
export const totalIn = (account: JsonObject, ...names: readonly string[]): number | undefined =>
  names.some((name) => isTokenCount(account[name])) ? countIn(account, ...names) : undefined;

/** A part of a whole, left out where it is nothing. */
export const partOf = (count: number): number | undefined => (count > 0 ? count : undefined);

/** The sum of counts, which is a count: at most the greatest whole number that a double holds exactly. */
export const sumOf = (...counts: readonly number[]): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((sum, count) => sum + count, 0),
  );

/** A part of an account; an empty one where the account has none. */
export const detailsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Tokens written to a cache, by their lifetime. */
export type CacheWrites = NonNullable<TokenUsage['cacheWrites']>;

export const totalOf = (writes: CacheWrites): number => sumOf(...Object.values(writes));

/**
 * Returns the tokens written to a cache for 5 minutes and for an hour. A split never has more than its total, if there is
 * one. A total without a split, and the remainder of an incomplete split, have an unknown lifetime. For these, the
 * pricing uses the longest requested lifetime.
 */
export function splitWrites(
  total: number | undefined,
  split: { readonly fiveMinutes: number; readonly hour: number },
): CacheWrites {
  const all = total ?? sumOf(split.fiveMinutes, split.hour);
  const fiveMinutes = Math.min(split.fiveMinutes, all);
  const hour = Math.min(split.hour, all - fiveMinutes);
  return lifetimesOf({ '5m': fiveMinutes, '1h': hour, auto: all - fiveMinutes - hour });
}

/** The lifetimes of which there is anything. */
export const lifetimesOf = (writes: Readonly<Partial<Record<CachePeriod, number>>>): CacheWrites =>
  Object.fromEntries(Object.entries(writes).filter(([, count]) => count > 0));

/** Undefined where nothing was written. */
export const anyWrites = (writes: CacheWrites): CacheWrites | undefined =>
  Object.keys(writes).length === 0 ? undefined : writes;

/**
 * Returns the number of uses of each server tool, by the name of the feature; undefined if the provider used no tool.
 */
export function usesOf(counts: Readonly<Record<string, number>>): TokenUsage['uses'] {
  const used = Object.entries(counts).filter(([, count]) => count > 0);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}

/** The spelling of tiers and regions in a catalog. */
const NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** The name of a tier or a place as prices have it; undefined for what is no such name. */
export function reportedName(value: unknown, ...standard: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (standard.includes(value)) return STANDARD;
  return NAME.test(value) ? value : undefined;
}
