/** `GET /apps` and `GET /ai-agents`: the listings of a kind, newest first. */

import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { listingQuery } from '../../core/listings/queries.ts';
import { publicHandler } from '../../hosts/handlers.ts';

export const handler = publicHandler('platform', (resources) => {
  const store = createListingStore(resources);
  return async (request) => {
    const { cursor: after, ...query } = validate(listingQuery, queryOf(request));
    return jsonResponse(pageBody(await store.list({ ...query, after, kind: kindOf(request) }), listingEntry));
  };
});
