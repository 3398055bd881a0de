/** `POST /apps/{id}/reviews`, and the same of `/ai-agents`: reviews a listing, once per customer. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { review } from '../../core/listings/actions.ts';
import { newReview, reviewEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { createListings } from '../../store/create-listings.ts';
import { createReviewStore } from '../../store/installs/action-store.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment } = resources;
  const tables = {
    listings: requireTable(environment, 'listings'),
    market: requireTable(environment, 'market'),
  };
  const store = createReviewStore(clients.client, tables);
  const reviews = { ...resources, store, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newReview, (await readJson(request)).value);
    const written = await review(reviews, { kind: kindOf(request), id, accountId }, body);
    return jsonResponse(reviewEntry(written), {}, 201);
  };
});
