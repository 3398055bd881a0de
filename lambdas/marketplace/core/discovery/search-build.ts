/** Building the stored index anew from the listings themselves, so that no lost change stays lost. */

import { MAX_LIMIT } from '../../../platform/core/api/paging.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { LISTING_KINDS } from '../listing.ts';
import type { ListingStore } from '../ports.ts';
import { SearchIndex, searchDocument } from './search-index.ts';
import { OVERLAP_MS, type StoredIndex } from './search-source.ts';

/** The longest time between two builds: also without a change, so that an undetected error does not last. */
const REBUILD_MS = 24 * 3600 * 1000;

/**
 * The maximum delay between a change from before the build and its record. Only a lagging follower of the table exceeds
 * it; an alarm fires for a longer lag.
 */
const LAG_MS = 10 * 60 * 1000;

export interface IndexBuildStore {
  /** Returns the time at which the current index was built, or undefined. */
  builtMs(): Promise<number | undefined>;
  /** Returns the time at which the latest change was recorded, or undefined. */
  lastChangeMs(): Promise<number | undefined>;
  /** Makes an index the current one; returns its stored size in bytes. */
  write(index: StoredIndex, builtMs: number): Promise<number>;
}

export interface IndexBuild {
  readonly listings: number;
  readonly bytes: number;
}

export interface IndexBuildDependencies {
  readonly listings: Pick<ListingStore, 'list'>;
  readonly store: IndexBuildStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Builds the index if a listing has changed since it was last built; returns what was built. */
export async function buildIndex({
  listings,
  store,
  clock,
  log,
}: IndexBuildDependencies): Promise<IndexBuild | undefined> {
  const startedMs = clock();
  const [builtMs, changedMs] = await Promise.all([store.builtMs(), store.lastChangeMs()]);
  const fresh =
    builtMs !== undefined &&
    startedMs - builtMs < REBUILD_MS &&
    (changedMs === undefined || changedMs < builtMs - LAG_MS);
  if (fresh || (builtMs === undefined && changedMs === undefined)) return undefined;
  const index = SearchIndex.empty();
  for (const kind of LISTING_KINDS) {
    let after: string | undefined;
    do {
      const page = await listings.list({ kind, limit: MAX_LIMIT, after });
      for (const listing of page.entries) index.apply({ document: searchDocument(listing) });
      after = page.next;
    } while (after !== undefined);
  }
  const sinceMs = startedMs - LAG_MS - OVERLAP_MS;
  const bytes = await store.write({ json: index.toJSON(), sinceMs }, startedMs);
  log.info('search index built', { listings: index.size, bytes, ms: clock() - startedMs });
  return { listings: index.size, bytes };
}
