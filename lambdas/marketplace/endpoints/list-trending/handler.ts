/** `GET /trending`: the listings with the most recent installs, as last ranked. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { rankedPage, trendingQuery } from '../../core/discovery/trending.ts';
import { listingEntry } from '../../core/listings/listing.ts';
import { createListingStore, createTrendingStore } from '../../store/create-listings.ts';

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
