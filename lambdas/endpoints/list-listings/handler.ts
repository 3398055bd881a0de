/** `GET /apps` and `GET /ai-agents`: the listings of a kind, newest first. */

import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import type { ListingStore } from '../../core/listings/ports.ts';
import { listingQuery } from '../../core/listings/queries.ts';
import type { Endpoint } from '../../core/ports.ts';
import { publicHandler } from '../../hosts/handlers.ts';

function listListings(store: Pick<ListingStore, 'list'>): Endpoint {
  return async (request) => {
    const { cursor: after, ...query } = validate(listingQuery, queryOf(request));
    return jsonResponse(pageBody(await store.list({ ...query, after, kind: kindOf(request) }), listingEntry));
  };
}

export const handler = publicHandler('platform', (resources) => listListings(createListingStore(resources)));
