/** `GET /trending`: the listings with the most recent installs, as last ranked. */

import { createListingStore, createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { rankedPage, trendingQuery } from '../../core/listings/discovery/trending.ts';
import { listingEntry } from '../../core/listings/listing.ts';
import { publicHandler } from '../../hosts/handlers.ts';

export const handler = publicHandler('platform', (resources) => {
  const store = createListingStore(resources);
  const rankings = createTrendingStore(resources);
  return async (request) => {
    const { kind = 'all', window, limit } = validate(trendingQuery, queryOf(request));
    const ranked = await rankings.read(kind, window);
    const listings = await store.readMany(ranked.map(({ listingId }) => listingId));
    return jsonResponse(pageBody(rankedPage(listings.slice(0, limit)), listingEntry));
  };
});
