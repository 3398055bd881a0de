/** The store of subscriptions. Each write is atomic, with the charge, the quotas and the event that belong to it. */
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Sale } from '../earnings/sale.ts';
import type { Listing, ListingPlan } from '../listings/listing.ts';
import type { NewSale } from '../purchases/ports.ts';
import type { PlanSubscription } from './subscription.ts';

/** A plan of a listing as the subscriber agreed to it. */
export interface OfferedPlan {
  readonly listing: Listing;
  readonly plan: ListingPlan;
  /** True if the revision must also match that of `listing`, and not the plan alone. */
  readonly unchanged: boolean;
}

/** The subscriber's latest subscription to a listing. */
export interface LatestSubscription {
  readonly subscription: PlanSubscription | undefined;
  readonly trialUsed: boolean;
}

/** A new state of a subscription, with what is written together with it. */
export interface SubscriptionWrite {
  readonly subscription: PlanSubscription;
  readonly charge: NewSale | undefined;
  readonly event: PublishedEvent | undefined;
  /** Undefined if the write is not the subscriber's agreement to a plan. */
  readonly offer: OfferedPlan | undefined;
  /** The most purchases of the subscriber on this day; undefined if the write does not count as one. */
  readonly maxPerDay: number | undefined;
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * `changed`: the subscription, the plan or the wallet is not as it was read. `insufficient`: the credit does not cover the
 * charge, or the subscriber is in debt.
 */
export type SubscriptionResult = 'done' | 'changed' | 'insufficient' | 'quota reached' | 'day full';

export interface PlanSubscriptionStore {
  find(subscriberId: string, id: string): Promise<PlanSubscription | undefined>;
  latest(subscriberId: string, listingId: string): Promise<LatestSubscription>;
  /** `quota reached` if the subscriber has `maxLive` live subscriptions. */
  create(write: SubscriptionWrite, latest: LatestSubscription, maxLive: number): Promise<SubscriptionResult>;
  replace(before: PlanSubscription, write: SubscriptionWrite): Promise<SubscriptionResult>;
  /** Newest first, of all listings or of one. */
  list(
    subscriberId: string,
    query: PageQuery & { readonly listingId: string | undefined },
  ): Promise<Page<PlanSubscription>>;
  /** Newest first. */
  listOf(listingId: string, query: PageQuery): Promise<Page<PlanSubscription>>;
  /** Its charges, newest first, up to `max`. */
  charges(subscription: PlanSubscription, max: number): Promise<readonly Sale[]>;
}
