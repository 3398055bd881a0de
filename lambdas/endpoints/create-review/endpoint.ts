/** `POST /apps/{id}/reviews` and its like: the one review that an account leaves on a listing. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { newReview, reviewEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Reviews } from '../../core/listings/reviews.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface CreateReviewDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly reviews: Reviews;
}

export function createReview({ sessions, reviews }: CreateReviewDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const body = validate(newReview, (await readJson(request)).value);
    const review = await reviews.review({ kind: kindOf(request), id, accountId }, body);
    return jsonResponse(reviewEntry(review), {}, 201);
  };
}
