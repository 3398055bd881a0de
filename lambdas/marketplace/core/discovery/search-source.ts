/**
 * The index that a search function uses: read once from its stored form, then again in the background when another
 * version is stored. A warm query therefore waits for no database.
 */
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { SearchIndex } from './search-index.ts';

/** The interval at which a function with traffic looks for another version, in the background. */
const REFRESH_MS = 1_000;

/** The idle time after which a function looks for another version before it responds. */
const STALE_MS = 5_000;

export interface StoredIndex {
  /** Counts the versions, from 1. */
  readonly version: number;
  /** The time at which it was built from the listings. */
  readonly builtMs: number;
  readonly json: string;
}

export interface SearchStore {
  /** The stored index; undefined before the first was stored, and if its version is the known one. */
  read(knownVersion?: number): Promise<StoredIndex | undefined>;
}

export type SearchSource = () => Promise<SearchIndex>;

interface CurrentIndex {
  readonly index: SearchIndex;
  readonly version: number | undefined;
  readonly checkedMs: number;
}

export function createSearchSource({
  store,
  clock,
  log,
}: {
  readonly store: SearchStore;
  readonly clock: Clock;
  readonly log: Log;
}): SearchSource {
  let current: CurrentIndex | undefined;
  let refreshing: Promise<CurrentIndex> | undefined;

  async function read(): Promise<CurrentIndex> {
    const checkedMs = clock();
    const stored = await store.read(current?.version);
    current =
      stored === undefined
        ? { index: SearchIndex.empty(), version: undefined, ...current, checkedMs }
        : { index: SearchIndex.parse(stored.json), version: stored.version, checkedMs };
    return current;
  }

  function refresh(): Promise<CurrentIndex> {
    refreshing ??= read().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  return async () => {
    const known = current;
    if (known === undefined) return (await refresh()).index;
    const ageMs = clock() - known.checkedMs;
    if (ageMs < REFRESH_MS) return known.index;
    const refreshed = refresh().catch((failure: unknown) => {
      log.error('search index refresh failed', { failure: String(failure) });
      return known;
    });
    return ageMs < STALE_MS ? known.index : (await refreshed).index;
  };
}
