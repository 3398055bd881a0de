/** The stores of listings: each write is atomic, together with the event to be published. */

import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Install, Release, Review } from './activity.ts';
import type { Listing, ListingKind } from './listing.ts';

export interface CategoryCount {
  readonly name: string;
  readonly counts: Readonly<Record<ListingKind, number>>;
}

export interface ListingStore {
  read(id: string): Promise<Listing | undefined>;
  /** Newest first. */
  list(
    query: PageQuery & { readonly kind: ListingKind; readonly category?: string | undefined },
  ): Promise<Page<Listing>>;
  /** `full` when the owner has `max` listings already. */
  create(listing: Listing, releaseId: string, max: number): Promise<'done' | 'slug_taken' | 'full'>;
  /** Writes the owner's fields of `to` if the revision is still that of `from`. */
  replace(from: Listing, to: Listing): Promise<'done' | 'changed' | 'slug_taken'>;
  /** Removes the listing if its revision is still that one. */
  remove(listing: Listing): Promise<'done' | 'changed'>;
}

/** The result of what an account does to a listing at most once. */
export type ActionResult = 'done' | 'repeated' | 'gone' | 'full';

export interface InstallStore {
  /** Once per account; `full` when it has installed `max` that day. */
  install(install: Install, listing: Listing, event: PublishedEvent, max: number): Promise<ActionResult>;
  findInstall(listingId: string, accountId: string): Promise<Install | undefined>;
}

/** The relation of an account to a listing. A purchase that was completely refunded is none; a subscription may have ended. */
interface CustomerStatus {
  readonly installed: boolean;
  readonly purchased: boolean;
  readonly subscribed: boolean;
}

export interface ReviewStore {
  customerStatus(listingId: string, accountId: string): Promise<CustomerStatus>;
  /** Once per account; `full` when it has written `max` that day. */
  review(review: Review, event: PublishedEvent, max: number): Promise<ActionResult>;
}

export interface ReleaseStore {
  /** Once per version; makes it current if the listing's revision is still that one, and its build is clean. */
  release(
    release: Release,
    listing: Listing,
    event: PublishedEvent,
  ): Promise<'done' | 'repeated' | 'changed' | 'not clean'>;
  find(listingId: string, version: string): Promise<Release | undefined>;
  /** Makes an earlier release current again, under the same conditions. */
  rollback(
    release: Release,
    listing: Listing,
    event: PublishedEvent,
  ): Promise<'done' | 'changed' | 'not clean'>;
}
