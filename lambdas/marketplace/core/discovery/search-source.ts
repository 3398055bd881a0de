/**
 * The index that a search function answers from: read once from its stored form, then kept up with the changes in the
 * background, so that a warm query waits for no database.
 */
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { type IndexChange, SearchIndex } from './search-index.ts';

/** A busy function looks for changes this often, in the background. */
const REFRESH_MS = 1_000;

/** A function that has slept this long looks before it answers. */
const STALE_MS = 5_000;

/**
 * Changes are kept under the time at which they were written down, by several writers at once: one may appear a little
 * before another that was read already, never as much as this.
 */
export const OVERLAP_MS = 30_000;

/** Changes are kept for three days; a function that has slept for one reads the stored index again. */
const RELOAD_MS = 24 * 3600 * 1000;

export interface StoredIndex {
  readonly json: string;
  /** It has every change that was written down before this time. */
  readonly sinceMs: number;
}

export interface NumberedChange {
  /** Sorts by the time at which the change was written down. */
  readonly id: string;
  readonly change: IndexChange;
}

export interface SearchStore {
  /** The stored index; undefined before the first was built. */
  read(): Promise<StoredIndex | undefined>;
  /** Changes written down since, in their order. */
  changes(sinceMs: number): AsyncIterable<NumberedChange>;
}

export type SearchSource = () => Promise<SearchIndex>;

export function createSearchSource(dependencies: {
  readonly store: SearchStore;
  readonly clock: Clock;
  readonly log: Log;
}): SearchSource {
  const { clock, log } = dependencies;
  let current: FollowedIndex | undefined;
  let refreshing: Promise<FollowedIndex> | undefined;

  async function follow(): Promise<FollowedIndex> {
    const known =
      current !== undefined && clock() - current.followedMs < RELOAD_MS
        ? current
        : await FollowedIndex.load(dependencies.store);
    await known.follow(clock());
    return known;
  }

  function refresh(): Promise<FollowedIndex> {
    refreshing ??= follow()
      .then((followed) => {
        current = followed;
        return followed;
      })
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  }

  return async () => {
    const known = current;
    if (known === undefined) return (await refresh()).index;
    const ageMs = clock() - known.followedMs;
    if (ageMs < REFRESH_MS) return known.index;
    const refreshed = refresh().catch((failure: unknown) => {
      log.error('search index refresh failed', { failure: String(failure) });
      return known;
    });
    return ageMs < STALE_MS ? known.index : (await refreshed).index;
  };
}

class FollowedIndex {
  readonly index: SearchIndex;
  readonly #store: SearchStore;
  /** Every change before this time is in the index. */
  #sinceMs: number;
  /** Changes at or after that time that are in the index too. */
  #seen: ReadonlySet<string> = new Set();
  followedMs = 0;

  private constructor(index: SearchIndex, store: SearchStore, sinceMs: number) {
    this.index = index;
    this.#store = store;
    this.#sinceMs = sinceMs;
  }

  static async load(store: SearchStore): Promise<FollowedIndex> {
    const stored = await store.read();
    return stored === undefined
      ? new FollowedIndex(SearchIndex.empty(), store, 0)
      : new FollowedIndex(SearchIndex.parse(stored.json), store, stored.sinceMs);
  }

  /** Takes in what was written down meanwhile. */
  async follow(nowMs: number): Promise<void> {
    const seen = new Set<string>();
    for await (const { id, change } of this.#store.changes(this.#sinceMs)) {
      if (!this.#seen.has(id)) this.index.apply(change);
      seen.add(id);
    }
    this.#seen = seen;
    this.#sinceMs = Math.max(this.#sinceMs, nowMs - OVERLAP_MS);
    this.followedMs = nowMs;
  }
}
