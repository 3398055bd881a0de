/** Reacts to each change of the listings: publishes events, refreshes rankings, cleans up. */

import type { PublishedEvent } from '../../../webhooks/core/event.ts';
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
  readonly refreshRankings: () => Promise<void>;
  /** Removes the items of a deleted listing, except its sales. */
  readonly purge: (listingId: string) => Promise<void>;
}

export async function follow(
  records: readonly ListingRecord[],
  { publish, refreshRankings, purge }: FollowDependencies,
): Promise<void> {
  for (const record of records) if (record.type === 'event') await publish(record.event);
  if (records.some(({ type }) => type === 'install')) await refreshRankings();
  for (const record of records)
    if (record.type === 'listing' && record.after === undefined) await purge(record.id);
}
