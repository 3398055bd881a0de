/** Reviewing a listing. */
import type * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { madeAsMany, QUOTAS } from '../quotas.ts';
import type { newReview, Review } from './activity.ts';
import { listingNotFound } from './listing.ts';
import { type ActivityDependencies, ListingActivity } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { ReviewStore } from './ports.ts';

export class Reviews extends ListingActivity {
  readonly #store: ReviewStore;

  constructor(store: ReviewStore, dependencies: ActivityDependencies) {
    super(dependencies);
    this.#store = store;
  }

  /** Throws 409 `conflict` when the account has reviewed the listing, and 429 `review_quota`. */
  async review({ kind, id, accountId }: ListingRequest, body: z.output<typeof newReview>): Promise<Review> {
    const listing = await this.listings.get(kind, id);
    const review = { ...body, id: `rev_${this.ulid()}`, listingId: id, accountId, created: this.now() };
    const most = QUOTAS.reviews_per_account_per_day;
    const result = await this.#store.review(review, this.events.reviewed(listing, review), most);
    if (result === 'gone') throw listingNotFound(kind);
    if (result === 'full')
      throw madeAsMany('review_quota', { most, things: 'reviews', nowSeconds: review.created });
    if (result === 'repeated')
      throw new ServiceError('conflict', 'Your account has reviewed this listing already.');
    return review;
  }
}
