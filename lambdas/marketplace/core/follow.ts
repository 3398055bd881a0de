/** Reacts to each change of the listings: publishes events, records changes for search, refreshes rankings, cleans up. */

import type { PublishedEvent } from '../../webhooks/core/event.ts';
import { type IndexChange, searchDocument } from './discovery/search-index.ts';
import type { Listing } from './listing.ts';

/** One change of the table, reduced to the data that its followers need. */
export type ListingRecord =
  | { readonly type: 'event'; readonly event: PublishedEvent }
  | { readonly type: 'install' }
  | {
      readonly type: 'listing';
      readonly id: string;
      readonly before: Listing | undefined;
      readonly after: Listing | undefined;
    }
  | { readonly type: 'other' };

/** Every effect may be repeated: a batch that fails midway is received again as a whole. */
export interface FollowDependencies {
  /** Puts an event on the platform's bus; under the same id it changes nothing more. */
  readonly publish: (event: PublishedEvent) => Promise<void>;
  /** Records changes for the search functions, in this order. */
  readonly recordChanges: (changes: readonly IndexChange[]) => Promise<void>;
  readonly refreshRankings: () => Promise<void>;
  /** Removes the items of a deleted listing, except its sales. */
  readonly purge: (listingId: string) => Promise<void>;
}

export async function follow(
  records: readonly ListingRecord[],
  { publish, recordChanges, refreshRankings, purge }: FollowDependencies,
): Promise<void> {
  const changes = new Map<string, IndexChange>();
  for (const record of records) {
    if (record.type !== 'listing') continue;
    const change = changeOf(record);
    // The last change of a listing replaces earlier ones.
    if (change !== undefined) changes.set(record.id, change);
  }
  await recordChanges([...changes.values()]);
  for (const record of records) if (record.type === 'event') await publish(record.event);
  if (records.some(({ type }) => type === 'install')) await refreshRankings();
  for (const change of changes.values()) if ('removed' in change) await purge(change.removed);
}

/** Installs and reviews change a listing without its revision: nothing that search uses changes. */
function changeOf(record: Extract<ListingRecord, { readonly type: 'listing' }>): IndexChange | undefined {
  const { id, before, after } = record;
  if (after === undefined) return { removed: id };
  return after.revision === before?.revision ? undefined : { document: searchDocument(after) };
}
