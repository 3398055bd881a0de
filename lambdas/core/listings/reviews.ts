/** Reviewing a listing. */
import type * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { newReview, Review } from './activity.ts';
import { noSuchListing } from './listing.ts';
import { type ActivityDependencies, ListingActivity } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { ReviewStore } from './ports.ts';

export class Reviews extends ListingActivity {
  readonly #store: ReviewStore;

  constructor(store: ReviewStore, dependencies: ActivityDependencies) {
    super(dependencies);
    this.#store = store;
  }

  /** Throws 409 `conflict` when the account has reviewed the listing. */
  async review({ kind, id, accountId }: ListingRequest, body: z.output<typeof newReview>): Promise<Review> {
    const listing = await this.listings.get(kind, id);
    const review = { ...body, id: `rev_${this.ulid()}`, listingId: id, accountId, created: this.now() };
    const result = await this.#store.review(review, this.events.reviewed(listing, review));
    if (result === 'gone') throw noSuchListing(kind);
    if (result === 'repeated')
      throw new ServiceError('conflict', 'This account has reviewed the listing already.');
    return review;
  }
}
