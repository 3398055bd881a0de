/** The events that listings make, for their owners' subscriptions. */
import type { UlidSource } from '../ports.ts';
import type { PublishedEvent } from '../webhooks/event.ts';
import type { Install, Purchase, Release, Review } from './activity.ts';
import type { Listing } from './listing.ts';

/** Makes the events of one service; each has an id of its own. */
export function createEvents(ulid: UlidSource) {
  const event = (
    type: string,
    { id: listingId, ownerId }: Listing,
    data: Readonly<Record<string, unknown>>,
  ): PublishedEvent => ({
    id: `evt_${ulid()}`,
    type,
    accountId: ownerId,
    data: { listing_id: listingId, ...data },
  });

  return {
    installed: (listing: Listing, { accountId }: Install) =>
      event('listing.installed', listing, { kind: listing.kind, account_id: accountId }),
    reviewed: (listing: Listing, { id, accountId, rating }: Review) =>
      event('review.created', listing, { review_id: id, reviewer_id: accountId, rating }),
    released: (listing: Listing, { id, version }: Release) =>
      event('release.created', listing, { release_id: id, version, previous_version: listing.version }),
    rolledBack: (listing: Listing, version: string) =>
      event('release.rolled_back', listing, { version, previous_version: listing.version }),
    purchased: (listing: Listing, { buyerId, amount, currency }: Purchase) =>
      event('purchase.completed', listing, { buyer_id: buyerId, amount, currency }),
  };
}

export type Events = ReturnType<typeof createEvents>;
