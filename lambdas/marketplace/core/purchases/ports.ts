/** The store of purchases: each write is atomic, together with the event to be published. */

import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Sale } from '../earnings/sale.ts';
import type { Purchase } from '../listings/activity.ts';
import type { Listing } from '../listings/listing.ts';

/** The wallet of the buyer decides whether a sale is payable. */
export interface NewSale extends Omit<Sale, 'payable'> {
  /** The line of the seller's account, `txn_<ulid>`. */
  readonly transactionId: string;
}

export interface Payment {
  /** The listing in the state that the buyer has seen. */
  readonly listing: Listing;
  /** The sale that moves the price; undefined if the listing is free, or the buyer's own. */
  readonly sale?: NewSale | undefined;
  /** True if the revision must also match that of `listing`, and not the price alone. */
  readonly unchanged: boolean;
}

export interface PurchaseStore {
  /**
   * Records the purchase and moves the price from the buyer's wallet to the owner's pending balance, all or nothing, once
   * per buyer until it is completely refunded. It is rejected if
   *
   * - the listing has changed since the buyer read it;
   * - the balance does not cover it;
   * - the buyer has made `max` purchases that day.
   */
  purchase(
    purchase: Purchase,
    payment: Payment,
    event: PublishedEvent,
    max: number,
  ): Promise<'done' | 'repeated' | 'changed' | 'insufficient' | 'full'>;
  /** Returns whether the account has a live subscription to the listing. */
  isSubscribed(listingId: string, accountId: string): Promise<boolean>;
  /** Returns the purchase unless it was completely refunded. */
  findPurchase(listingId: string, buyerId: string): Promise<Purchase | undefined>;
}
