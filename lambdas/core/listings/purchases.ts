/** Buying a listing out of one's credit. */
import { ServiceError } from '../errors.ts';
import { NANO_PER_USD, type NanoUsd } from '../money.ts';
import type { Purchase } from './activity.ts';
import { type ActivityDependencies, ListingActivity, type Outcome } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { PurchaseStore } from './ports.ts';
import { changedMeanwhile } from './revision.ts';

/** The service's credit is in dollars, so a purchase is. */
const CURRENCY = 'USD';
const NANO_PER_CENT: NanoUsd = NANO_PER_USD / 100n;

export class Purchases extends ListingActivity {
  readonly #store: PurchaseStore;

  constructor(store: PurchaseStore, dependencies: ActivityDependencies) {
    super(dependencies);
    this.#store = store;
  }

  /** Buys a listing once, out of the buyer's credit; another time changes nothing and tells of the first. */
  async purchase({ kind, id, accountId }: ListingRequest): Promise<Outcome<Purchase>> {
    const listing = await this.listings.get(kind, id);
    const { amount, currency } = listing.price ?? { amount: 0, currency: CURRENCY };
    if (currency !== CURRENCY && amount > 0) {
      throw new ServiceError('invalid_value', `Only listings priced in ${CURRENCY} can be bought here.`, {
        param: 'id',
      });
    }
    const purchase = {
      id: `pur_${this.ulid()}`,
      listingId: id,
      buyerId: accountId,
      amount,
      currency,
      created: this.now(),
    };
    const payment = { listing, amount: BigInt(amount) * NANO_PER_CENT };
    const result = await this.#store.purchase(purchase, payment, this.events.purchased(listing, purchase));
    if (result === 'done') return { entry: purchase, repeated: false };
    if (result === 'changed') throw changedMeanwhile(listing.revision);
    if (result === 'insufficient') {
      throw new ServiceError('insufficient_credit', 'The credit does not cover the price of this listing.');
    }
    return { entry: (await this.#store.findPurchase(id, accountId)) ?? purchase, repeated: true };
  }
}
