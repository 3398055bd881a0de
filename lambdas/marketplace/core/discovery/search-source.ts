/**
 * The index that a search function uses: read once from its stored form, then updated with the changes in the
 * background. A warm query therefore waits for no database.
 */
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { type IndexChange, SearchIndex } from './search-index.ts';

/** The interval at which a function with traffic checks for changes, in the background. */
const REFRESH_MS = 1_000;

/** The idle time after which a function checks for changes before it responds. */
const STALE_MS = 5_000;

/**
 * Changes are stored under the time of their record, by several concurrent writers. A change may appear with a time
 * slightly before one that was already read, but never by this much.
 */
export const OVERLAP_MS = 30_000;

/** Changes are retained for three days; a function that was idle for one reads the stored index again. */
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
    const followedIndex =
      current !== undefined && clock() - current.followedMs < RELOAD_MS
        ? current
        : await FollowedIndex.load(dependencies.store);
    await followedIndex.follow(clock());
    return followedIndex;
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
    const followedIndex = current;
    if (followedIndex === undefined) return (await refresh()).index;
    const ageMs = clock() - followedIndex.followedMs;
    if (ageMs < REFRESH_MS) return followedIndex.index;
    const refreshed = refresh().catch((failure: unknown) => {
      log.error('search index refresh failed', { failure: String(failure) });
      return followedIndex;
    });
    return ageMs < STALE_MS ? followedIndex.index : (await refreshed).index;
  };
}

class FollowedIndex {
  readonly index: SearchIndex;
  readonly #store: SearchStore;
  /** Every change before this time is in the index. */
  #sinceMs: number;
  /** Changes at or after that time that are in the index too. */
  #appliedIds: ReadonlySet<string> = new Set();
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
    const appliedIds = new Set<string>();
    for await (const { id, change } of this.#store.changes(this.#sinceMs)) {
      if (!this.#appliedIds.has(id)) this.index.apply(change);
      appliedIds.add(id);
    }
    this.#appliedIds = appliedIds;
    this.#sinceMs = Math.max(this.#sinceMs, nowMs - OVERLAP_MS);
    this.followedMs = nowMs;
  }
}
