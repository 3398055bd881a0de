/** The ranking of listings by recent installs, weighted by age. */
import * as z from 'zod';
import { limit, type Page } from '../../../platform/core/api/paging.ts';
import { LISTING_KINDS, type ListingKind, listingKind } from '../listings/listing.ts';

export const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The windows that a caller may request. */
const WINDOWS = { '1d': DAY_SECONDS, '7d': 7 * DAY_SECONDS, '30d': 30 * DAY_SECONDS } as const;
export type TrendingWindow = keyof typeof WINDOWS;
const WINDOW_NAMES = Object.keys(WINDOWS) as [TrendingWindow, ...TrendingWindow[]];

export const LONGEST_WINDOW_SECONDS = Math.max(...Object.values(WINDOWS));

/** An install at the window's end weighs 1/16 of a new one, so leaving the window changes little. */
const HALF_LIVES_PER_WINDOW = 4;

/** The maximum number of ranked listings: one page. */
export const MAX_RANKED = 100;

/** The query of `GET /trending`. */
export const trendingQuery = z.object({
  kind: listingKind.optional(),
  window: z.enum(WINDOW_NAMES).default('7d'),
  limit,
});

/** Installs of a listing within one hour. */
export interface InstallBucket {
  readonly listingId: string;
  readonly kind: ListingKind;
  readonly startSeconds: number;
  readonly installs: number;
}

export interface TrendingRank {
  readonly listingId: string;
  readonly score: number;
}

/** Both kinds together, or one of them. */
const SCOPES = ['all', ...LISTING_KINDS] as const;
export type TrendingScope = (typeof SCOPES)[number];

export interface Ranking {
  readonly scope: TrendingScope;
  readonly window: TrendingWindow;
  /** Best first. */
  readonly ranked: readonly TrendingRank[];
}

export interface TrendingStore {
  /** Every count from that day (days since the epoch) to that one. */
  counts(fromDay: number, toDay: number): Promise<readonly InstallBucket[]>;
  /** Stores rankings, unless later ones are stored. */
  write(rankings: readonly Ranking[], rankedMs: number): Promise<void>;
  read(scope: TrendingScope, window: TrendingWindow): Promise<readonly TrendingRank[]>;
}

/** Ranks every scope in every window, as of now. Listings with equal scores are ordered by id, newest first. */
export function rank(buckets: readonly InstallBucket[], nowSeconds: number): readonly Ranking[] {
  return WINDOW_NAMES.flatMap((window) => {
    const scores = new Map<string, { readonly kind: ListingKind; score: number }>();
    for (const { listingId, kind, startSeconds, installs } of buckets) {
      const ageSeconds = Math.max(0, nowSeconds - startSeconds);
      if (ageSeconds >= WINDOWS[window]) continue;
      const entry = scores.get(listingId) ?? { kind, score: 0 };
      entry.score += installs * 2 ** (-(HALF_LIVES_PER_WINDOW * ageSeconds) / WINDOWS[window]);
      scores.set(listingId, entry);
    }
    const sorted = [...scores]
      .map(([listingId, { kind, score }]) => ({ listingId, kind, score }))
      .sort((a, b) => b.score - a.score || (a.listingId < b.listingId ? 1 : -1));
    return SCOPES.map((scope) => ({
      scope,
      window,
      ranked: sorted
        .filter(({ kind }) => scope === 'all' || kind === scope)
        .slice(0, MAX_RANKED)
        .map(({ listingId, score }) => ({ listingId, score })),
    }));
  });
}

/** Reads the counts and stores the rankings. */
export async function updateRankings(store: TrendingStore, nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / 1000 / DAY_SECONDS);
  const days = LONGEST_WINDOW_SECONDS / DAY_SECONDS;
  const buckets = await store.counts(today - days, today);
  await store.write(rank(buckets, Math.floor(nowMs / 1000)), nowMs);
}

/** One page holds all there is. */
export const rankedPage = <T>(entries: readonly T[]): Page<T> => ({ entries, next: undefined });
