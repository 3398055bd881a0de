/** `POST /apps/{id}/reviews` and its like: the one review that an account leaves on a listing. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { newReview, reviewEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Reviews } from '../../core/listings/reviews.ts';

export function createReview(reviews: Reviews): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newReview, (await readJson(request)).value);
    const review = await reviews.review({ kind: kindOf(request), id, accountId }, body);
    return jsonResponse(reviewEntry(review), {}, 201);
  };
}
