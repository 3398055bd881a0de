/**
 * Updates the stored search index by the changes of listings. Each version is made from the one before it, and replaces
 * only that one, so concurrent updates lose no change. A change that the index has is not applied again. Once a day, an
 * update builds the index from the listings, so that no lost change stays lost.
 */
import { MAX_LIMIT } from '../../../platform/core/api/paging.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import type { ListingRecord } from '../listings/follow.ts';
import { LISTING_KINDS } from '../listings/listing.ts';
import type { ListingStore } from '../listings/ports.ts';
import { type IndexChange, SearchIndex, searchDocument } from './search-index.ts';
import type { SearchStore, StoredIndex } from './search-source.ts';

const REBUILD_MS = 24 * 3600 * 1000;

/** Each further one means that an update of another part of the stream came in between. */
const MAX_ATTEMPTS = 8;

export interface IndexStore extends SearchStore {
  /** Stores a version. Returns its size in bytes, or undefined if one of its number is stored. */
  write(index: StoredIndex): Promise<number | undefined>;
}

export interface IndexUpdate {
  readonly listings: number;
  /** 0: the stored index had all changes. */
  readonly bytes: number;
}

export interface IndexUpdateDependencies {
  readonly listings: Pick<ListingStore, 'list'>;
  readonly store: IndexStore;
  readonly clock: Clock;
}

/** Returns the changes of the index, in their order. Installs and reviews change a listing without its revision. */
export const indexChanges = (records: readonly ListingRecord[]): readonly IndexChange[] =>
  records.flatMap((record): readonly IndexChange[] => {
    if (record.type !== 'listing') return [];
    const { id, before, after } = record;
    if (after === undefined) return [{ removed: id }];
    return after.revision === before?.revision ? [] : [{ document: searchDocument(after) }];
  });

/** Applies changes to the stored index, or to a new one. Returns undefined without changes. */
export async function updateIndex(
  { listings, store, clock }: IndexUpdateDependencies,
  changes: readonly IndexChange[],
): Promise<IndexUpdate | undefined> {
  if (changes.length === 0) return undefined;
  return retryOptimistically(MAX_ATTEMPTS, 'the search index', async () => {
    const stored = await store.read();
    const { version, builtMs } = stored ?? { version: 0, builtMs: 0 };
    const startedMs = clock();
    const isCurrent = startedMs - builtMs < REBUILD_MS;
    const index =
      stored !== undefined && isCurrent ? SearchIndex.parse(stored.json) : await buildIndex(listings);
    const applied = changes.filter((change) => index.apply(change));
    if (isCurrent && applied.length === 0) return { listings: index.size, bytes: 0 };
    const json = await index.serialize();
    const bytes = await store.write({
      version: version + 1,
      builtMs: isCurrent ? builtMs : startedMs,
      json,
    });
    return bytes === undefined ? undefined : { listings: index.size, bytes };
  });
}

async function buildIndex(listings: Pick<ListingStore, 'list'>): Promise<SearchIndex> {
  const index = SearchIndex.empty();
  for (const kind of LISTING_KINDS) {
    let after: string | undefined;
    do {
      const page = await listings.list({ kind, limit: MAX_LIMIT, after });
      for (const listing of page.entries) index.apply({ document: searchDocument(listing) });
      after = page.next;
    } while (after !== undefined);
  }
  return index;
}
