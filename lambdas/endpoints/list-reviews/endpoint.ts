/** `GET /apps/{id}/reviews` and its like: the reviews of a listing, newest first. */

import { pageBody, pageQuery, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { reviewEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Listings } from '../../core/listings/listings.ts';
import type { ReviewStore } from '../../core/listings/ports.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface ListReviewsDependencies {
  readonly listings: Listings;
  readonly store: Pick<ReviewStore, 'reviews'>;
}

export function listReviews({ listings, store }: ListReviewsDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const { limit, cursor: after } = validate(pageQuery(), queryOf(request));
    await listings.get(kindOf(request), id);
    return jsonResponse(pageBody(await store.reviews(id, { limit, after }), reviewEntry));
  };
}
