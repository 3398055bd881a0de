/** `GET /apps/{id}/reviews`, and the same of `/ai-agents`: the reviews of a listing, newest first. */

import { readReviews } from '../../adapters/listings/action-store.ts';
import { createListings } from '../../adapters/listings/create-listings.ts';
import { requireTable } from '../../contract/tables.ts';
import { pageBody, pageQuery, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { reviewEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { publicHandler } from '../../hosts/handlers.ts';

export const handler = publicHandler('platform', (resources) => {
  const listings = createListings(resources);
  const table = requireTable(resources.environment, 'listings');
  return async (request, { pathParameters: { id = '' } }) => {
    const { limit, cursor: after } = validate(pageQuery(), queryOf(request));
    await listings.get(kindOf(request), id);
    return jsonResponse(
      pageBody(await readReviews(resources.clients.client, table, id, { limit, after }), reviewEntry),
    );
  };
});
