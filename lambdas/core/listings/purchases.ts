/** Buying a listing out of one's credit. */
import type * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { NANO_PER_CENT } from '../money.ts';
import { madeAsMany, QUOTAS } from '../quotas.ts';
import type { Purchase, purchaseRequest } from './activity.ts';
import type { Listing, Price } from './listing.ts';
import { type ActivityDependencies, type ActivityResult, ListingActivity } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { PurchaseStore } from './ports.ts';
import { etagOf, type Precondition } from './revision.ts';

/** The service's credit is in dollars, so a purchase is. */
const CURRENCY = 'USD';

/** What the buyer agreed to: the state of the listing, its price, or both. */
export interface PurchaseCondition {
  /** The condition of `If-Match`; undefined when the request names no state. */
  readonly state: Precondition | undefined;
  readonly price: z.output<typeof purchaseRequest>;
}

export class Purchases extends ListingActivity {
  readonly #store: PurchaseStore;

  constructor(store: PurchaseStore, dependencies: ActivityDependencies) {
    super(dependencies);
    this.#store = store;
  }

  /**
   * Buys a listing once, out of the buyer's credit, at the price that the buyer was shown and at no other; another time
   * changes nothing and returns the first. Throws 400 `missing_field` when the buyer names neither state nor price, 409
   * `price_changed` when the listing is not as named, whenever that came about, 402 `insufficient_credit`, and 429
   * `purchase_quota`.
   */
  async purchase(
    { kind, id, accountId }: ListingRequest,
    seen: PurchaseCondition,
  ): Promise<ActivityResult<Purchase>> {
    const listing = await this.listings.get(kind, id);
    if (seen.state === undefined && seen.price.amount === undefined) {
      const message =
        'amount is required: the price you expect to pay, or the ETag of the listing in If-Match.';
      throw new ServiceError('missing_field', message, { param: 'amount' });
    }
    const price = priceOf(listing);
    if (!isAsShown(listing, price, seen)) return this.#boughtBefore(listing, accountId);
    const { amount: cents, currency } = price;
    if (currency !== CURRENCY && cents > 0) {
      throw new ServiceError('invalid_value', `Only listings priced in ${CURRENCY} can be bought here.`, {
        param: 'id',
      });
    }
    const purchase = {
      id: `pur_${this.ulid()}`,
      listingId: id,
      buyerId: accountId,
      amount: cents,
      currency,
      created: this.now(),
    };
    const unchanged = seen.state !== undefined;
    const payment = { listing, amount: BigInt(cents) * NANO_PER_CENT, unchanged };
    const event = this.events.purchased(listing, purchase);
    const most = QUOTAS.purchases_per_account_per_day;
    const result = await this.#store.purchase(purchase, payment, event, most);
    if (result === 'done') return { entry: purchase, repeated: false };
    if (result === 'full')
      throw madeAsMany('purchase_quota', { most, things: 'purchases', nowSeconds: purchase.created });
    if (result === 'insufficient') {
      throw new ServiceError('insufficient_credit', 'The credit does not cover the price of this listing.');
    }
    return this.#boughtBefore(result === 'changed' ? await this.listings.get(kind, id) : listing, accountId);
  }

  /** The account's earlier purchase, at any price. Throws 409 `price_changed` when there is none. */
  async #boughtBefore(listing: Listing, accountId: string): Promise<ActivityResult<Purchase>> {
    const entry = await this.#store.findPurchase(listing.id, accountId);
    if (entry === undefined) throw priceChanged(listing);
    return { entry, repeated: true };
  }
}

/** What is sold for nothing costs 0. */
const priceOf = ({ price }: Listing): Price => price ?? { amount: 0, currency: CURRENCY };

function isAsShown({ revision }: Listing, price: Price, { state, price: named }: PurchaseCondition): boolean {
  return (
    state?.(revision) !== false &&
    (named.amount === undefined || named.amount === price.amount) &&
    (named.currency === undefined || price.amount === 0 || named.currency === price.currency)
  );
}

function priceChanged(listing: Listing): ServiceError {
  const { amount, currency } = priceOf(listing);
  const message = `The listing or its price has changed: the price is now ${amount} (${currency}, minor units).`;
  return new ServiceError('price_changed', message, {
    param: 'amount',
    headers: { etag: etagOf(listing.revision) },
  });
}
