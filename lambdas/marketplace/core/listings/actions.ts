/**
 * The actions of an account on a listing, which are to install and to review it, and the dependencies of every such
 * action.
 */
import type * as z from 'zod';
import { dailyQuotaReached, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Install, newReview, Review } from './activity.ts';
import { isFree, type Listing, listingNotFound } from './listing.ts';
import type { ListingRequest, Listings } from './listings.ts';
import type { InstallStore, ReviewStore } from './ports.ts';

export interface ActionDependencies<Store> {
  readonly store: Store;
  readonly listings: Listings;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** The entry, and whether it existed before. */
export interface ActionOutcome<T> {
  readonly entry: T;
  readonly repeated: boolean;
}

export const nowSeconds = (clock: Clock): number => Math.floor(clock() / 1000);

/** A new event about a listing, for its owner's subscriptions. */
export const ownerEvent = (
  ulid: UlidSource,
  type: string,
  { id: listingId, ownerId }: Listing,
  data: PublishedEvent['data'],
): PublishedEvent => ({
  id: `evt_${ulid()}`,
  type,
  accountId: ownerId,
  data: { listing_id: listingId, ...data },
});

/** Installs a listing for an account; another time changes nothing and returns the first. Throws 429 `install_quota`. */
export async function install(
  { store, listings, clock, ulid }: ActionDependencies<InstallStore>,
  { kind, id, accountId }: ListingRequest,
): Promise<ActionOutcome<Install>> {
  const listing = await listings.get(kind, id);
  const entry = { listingId: id, accountId, created: nowSeconds(clock) };
  const event = ownerEvent(ulid, 'listing.installed', listing, { kind, account_id: accountId });
  const max = QUOTAS.installs_per_account_per_day;
  const result = await store.install(entry, listing, event, max);
  if (result === 'gone') throw listingNotFound(kind);
  if (result === 'full')
    throw dailyQuotaReached('install_quota', { max, things: 'installs', nowSeconds: entry.created });
  if (result === 'done') return { entry, repeated: false };
  return { entry: (await store.findInstall(id, accountId)) ?? entry, repeated: true };
}

/**
 * Throws 403 `not_customer` for the owner of the listing, and for an account that has neither bought it nor subscribed to
 * it. An install of a free listing is enough. Throws 409 `conflict` when the account has reviewed the listing, and 429
 * `review_quota`.
 */
export async function review(
  { store, listings, clock, ulid }: ActionDependencies<ReviewStore>,
  { kind, id, accountId }: ListingRequest,
  body: z.output<typeof newReview>,
): Promise<Review> {
  const listing = await listings.get(kind, id);
  if (listing.ownerId === accountId)
    throw new ServiceError('not_customer', 'The owner of a listing cannot review it.');
  const { installed, purchased, subscribed } = await store.customerStatus(id, accountId);
  if (!purchased && !subscribed && !(installed && isFree(listing)))
    throw new ServiceError('not_customer', `Only accounts that have ${acquiring(listing)} can review it.`);
  const entry = { ...body, id: `rev_${ulid()}`, listingId: id, accountId, created: nowSeconds(clock) };
  const data = { review_id: entry.id, reviewer_id: accountId, rating: entry.rating };
  const max = QUOTAS.reviews_per_account_per_day;
  const result = await store.review(entry, ownerEvent(ulid, 'review.created', listing, data), max);
  if (result === 'gone') throw listingNotFound(kind);
  if (result === 'full')
    throw dailyQuotaReached('review_quota', { max, things: 'reviews', nowSeconds: entry.created });
  if (result === 'repeated')
    throw new ServiceError('conflict', 'Your account has reviewed this listing already.');
  return entry;
}

const acquiring = (listing: Listing): string =>
  isFree(listing) ? 'installed the listing' : 'bought the listing or subscribed to it';
