/** Buying a listing with the account's credit. */
import type * as z from 'zod';
import { dailyQuotaReached, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { NANO_PER_CENT } from '../../../platform/core/money.ts';
import { feeOf } from '../earnings/sale.ts';
import { type ActionDependencies, type ActionOutcome, nowSeconds, ownerEvent } from '../listings/actions.ts';
import { isEntitling, type Purchase, type purchaseRequest } from '../listings/activity.ts';
import { isSoldOnce, type Listing, type Price } from '../listings/listing.ts';
import type { ListingRequest } from '../listings/listings.ts';
import { etagOf, type Precondition } from '../listings/revision.ts';
import type { NewSale, PurchaseStore } from './ports.ts';

/** The service's credit is in dollars, so a purchase is. */
const CURRENCY = 'USD';

/** The terms of the platform for a sale. */
export interface SaleTerms {
  /** The platform's part of the price. */
  readonly feeBasisPoints: number;
  /** The time until the proceeds are available to the seller. */
  readonly maturitySeconds: number;
}

/** The terms that the buyer agreed to: the state of the listing, its price, or both. */
export interface PurchaseCondition {
  /** The condition of `If-Match`; undefined when the request names no state. */
  readonly state: Precondition | undefined;
  readonly price: z.output<typeof purchaseRequest>;
}

/**
 * Buys a listing once, out of the buyer's credit, at the price that the buyer was shown and at no other; another time
 * changes nothing and returns the first. Throws 400 `missing_field` when the buyer names neither state nor price, 409
 * `subscription_only` when the listing is not sold once, 409 `already_subscribed` unless a subscriber confirms to pay for
 * both, 409 `price_changed` when it is not as named, whenever that came about, 402 `insufficient_credit`, and 429
 * `purchase_quota`.
 */
export async function purchase(
  { store, listings, clock, ulid, terms }: ActionDependencies<PurchaseStore> & { readonly terms: SaleTerms },
  { kind, id, accountId }: ListingRequest,
  condition: PurchaseCondition,
): Promise<ActionOutcome<Purchase>> {
  const listing = await listings.get(kind, id);
  if (condition.state === undefined && condition.price.amount === undefined) {
    const message =
      'amount is required: the price you expect to pay, or the ETag of the listing in If-Match.';
    throw new ServiceError('missing_field', message, { param: 'amount' });
  }
  const price = priceOf(listing);
  if (!isSoldOnce(listing) || !isAsShown(listing, price, condition))
    return boughtBefore(store, listing, accountId);
  const { amount: cents, currency } = price;
  if (currency !== CURRENCY && cents > 0) {
    const message = `Only listings priced in ${CURRENCY} can be bought here.`;
    throw new ServiceError('invalid_value', message, { param: 'id' });
  }
  const created = nowSeconds(clock);
  const entry = { id: `pur_${ulid()}`, listingId: id, buyerId: accountId, amount: cents, currency, created };
  const sale = saleOf(entry, listing, terms);
  if (sale !== undefined && !condition.price.while_subscribed && (await store.isSubscribed(id, accountId)))
    return boughtBefore(store, listing, accountId, alreadySubscribed);
  const unchanged = condition.state !== undefined;
  const payment = { listing, sale, unchanged };
  const data = { buyer_id: accountId, amount: cents, currency, purchase_id: entry.id };
  const event = ownerEvent(ulid, 'purchase.completed', listing, data);
  const max = QUOTAS.purchases_per_account_per_day;
  const result = await store.purchase(entry, payment, event, max);
  if (result === 'done') return { entry, repeated: false };
  if (result === 'full')
    throw dailyQuotaReached('purchase_quota', { max, things: 'purchases', nowSeconds: created });
  if (result === 'insufficient')
    throw new ServiceError('insufficient_credit', 'The credit does not cover the price of this listing.');
  const current = result === 'changed' ? await listings.get(kind, id) : listing;
  return boughtBefore(store, current, accountId);
}

/** Returns the sale of a purchase; undefined if no money moves. */
function saleOf(
  { id, buyerId, amount, created }: Purchase,
  { id: listingId, ownerId: sellerId }: Listing,
  terms: SaleTerms,
): NewSale | undefined {
  if (amount === 0 || buyerId === sellerId) return undefined;
  const transactionId = id.replace('pur_', 'txn_');
  const gross = BigInt(amount) * NANO_PER_CENT;
  return newSale({ chargeId: id, transactionId, sellerId, buyerId, listingId, gross, created }, terms);
}

export const newSale = (
  sale: Pick<
    NewSale,
    'chargeId' | 'transactionId' | 'sellerId' | 'buyerId' | 'listingId' | 'gross' | 'created'
  >,
  { feeBasisPoints, maturitySeconds }: SaleTerms,
): NewSale => ({
  ...sale,
  fee: feeOf(sale.gross, feeBasisPoints),
  returned: 0n,
  status: 'pending',
  dueAt: sale.created + maturitySeconds,
  held: undefined,
});

/** The account's earlier purchase, at any price. Throws a 409 when there is none that entitles. */
async function boughtBefore(
  store: PurchaseStore,
  listing: Listing,
  accountId: string,
  rejection = isSoldOnce(listing) ? priceChanged : subscriptionOnly,
): Promise<ActionOutcome<Purchase>> {
  const entry = await store.findPurchase(listing.id, accountId);
  if (entry !== undefined && isEntitling(entry, listing)) return { entry, repeated: true };
  throw rejection(listing);
}

/** Returns the price of a listing, which is 0 if it has none. */
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

const subscriptionOnly = (): ServiceError =>
  new ServiceError('subscription_only', 'This listing has no price: subscribe to one of its plans.', {
    param: 'id',
  });

const alreadySubscribed = (): ServiceError =>
  new ServiceError(
    'already_subscribed',
    'The account subscribes to this listing. Send "while_subscribed": true to buy it too; the subscription continues.',
    { param: 'while_subscribed' },
  );
