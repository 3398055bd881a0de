/** The ports of orders to the payment provider and to the database. */

import type { LedgerEntry } from '../../ledger/core/ledger-entry.ts';
import type { Page } from '../../platform/core/api/paging.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Order, PaymentFact } from './order.ts';

/** Sent to the provider with an order, and repeated in every event of its payment. */
export interface OrderReference {
  readonly orderId: string;
  readonly accountId: string;
}

/** Sent to the provider with a payout, and repeated in its events. */
export interface PayoutReference {
  readonly sellerId: string;
  readonly id: string;
}

interface Checkout {
  readonly url: string;
}

export interface PaymentEvent {
  readonly order: OrderReference;
  readonly fact: PaymentFact;
  /** The time at which the provider created the event, in seconds since the epoch. */
  readonly created: number;
}

/** An event about a payout of a seller. The current state is read from the provider. */
export interface PayoutNews {
  readonly payout: PayoutReference;
}

/** A payment as an event claims it whose signature is not valid. */
export interface ClaimedPayment {
  readonly order: OrderReference;
  /** The provider's id of the checkout. */
  readonly checkout: string;
}

/** A payment, a refund or a dispute in the provider's own lists. */
export interface ListedFact {
  /** The provider's id of the checkout, the refund or the dispute. */
  readonly id: string;
  readonly order: OrderReference;
  /** Undefined if the amount cannot be read: another currency, or no whole number of cents from 0. */
  readonly fact: PaymentFact | undefined;
  /** Seconds since the epoch. */
  readonly created: number;
}

/** The provider's lists. Payments come first: a reversal is compared with an order whose payment is known. */
export const LISTS = ['payments', 'refunds', 'disputes'] as const;
export type ListName = (typeof LISTS)[number];

export interface PaymentLists {
  /** Returns false until the operator has stored a key of the provider. */
  isConfigured(): Promise<boolean>;
  /**
   * Returns the pages of what was created since then and names an order of ours, newest first. Throws 503
   * `payment_provider_unavailable`, and `ListTooLongError` after a bound.
   */
  list(name: ListName, sinceSeconds: number): AsyncIterable<readonly ListedFact[]>;
}

/** A list goes on beyond the bound of what is read of it. */
export class ListTooLongError extends Error {
  constructor(name: ListName) {
    super(`the list of ${name} is too long`);
    this.name = 'ListTooLongError';
  }
}

export interface PaymentProvider {
  /** Opens a checkout; the same order again gives the same one. Throws 503 `payment_provider_unavailable`. */
  openCheckout(order: OrderReference & { readonly amount: NanoUsd }): Promise<Checkout>;
  /**
   * Reads an event, whose body must be unchanged since it was signed. Returns undefined for an event about no order or
   * payout of ours. Throws 401 `invalid_signature`, or 503 if the provider must be called and does not respond.
   */
  readEvent(body: string, signature: string | null): Promise<PaymentEvent | PayoutNews | undefined>;
  /** Returns the payment that an unverified event claims; undefined if it has not the form of the provider's events. */
  claimedPayment(body: string, signature: string | null): ClaimedPayment | undefined;
  /** Asks the provider whether the checkout of that order is paid. Throws 503. */
  confirms(payment: ClaimedPayment): Promise<boolean>;
}

/** The rejection of a new order: too many are unpaid, or too many were created today. */
export interface OrdersFull {
  readonly why: 'unpaid' | 'today';
  /** Until there may be another one. */
  readonly retryAfterSeconds: number;
}

export interface OrderLimits {
  readonly unpaid: number;
  readonly today: number;
}

export interface OrderStore {
  /**
   * Counts an order among the account's unpaid ones and among those of the day, before its checkout is opened. It stops
   * being unpaid when it is paid or ended, when it is called off, and by itself when its checkout has run out.
   */
  reserve(
    reference: OrderReference,
    limits: OrderLimits,
    nowSeconds: number,
  ): Promise<'reserved' | OrdersFull>;
  /** Calls off an order whose checkout was not opened. */
  callOff(reference: OrderReference): Promise<void>;
  /** Stores an order; recorded facts of its payment stay. */
  save(order: Order): Promise<void>;
  find(reference: OrderReference): Promise<Order | undefined>;
  /** Returns whether the account is one of this deployment. */
  hasAccount(accountId: string): Promise<boolean>;
  /** Returns the pages of the paid orders of all accounts that were created in that time, in seconds since the epoch. */
  paidOrders(created: { readonly from: number; readonly to: number }): AsyncIterable<readonly Order[]>;
  /** Newest first, after the order that the page before ended with. */
  list(accountId: string, limit: number, after?: string): Promise<Page<Order>>;
  /**
   * Advances an order from one version to the next, creates the ledger entries of the account and changes its wallet by
   * their total: all or nothing. Returns `stale` if the order is no longer at that version.
   */
  advance(
    before: Order,
    after: Order,
    entries: readonly LedgerEntry[],
  ): Promise<'done' | 'stale' | 'no account'>;
}
