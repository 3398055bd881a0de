/** `POST /apps/{id}/reviews`, and the same of `/ai-agents`: reviews a listing, once per account. */

import { createReviewStore } from '../../adapters/listings/action-store.ts';
import { createListings } from '../../adapters/listings/create-listings.ts';
import { requireTable } from '../../contract/tables.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { review } from '../../core/listings/actions.ts';
import { newReview, reviewEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment } = resources;
  const store = createReviewStore(clients.client, requireTable(environment, 'listings'));
  const reviews = { ...resources, store, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newReview, (await readJson(request)).value);
    const written = await review(reviews, { kind: kindOf(request), id, accountId }, body);
    return jsonResponse(reviewEntry(written), {}, 201);
  };
});
