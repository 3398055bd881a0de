/** `GET /trending`: the listings with the most recent installs, as last ranked. */

import { createListingStore, createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { rankedPage, type TrendingStore, trendingQuery } from '../../core/listings/discovery/trending.ts';
import { listingEntry } from '../../core/listings/listing.ts';
import type { ListingStore } from '../../core/listings/ports.ts';
import type { Endpoint } from '../../core/ports.ts';
import { publicHandler } from '../../hosts/handlers.ts';

interface ListTrendingDependencies {
  readonly store: Pick<ListingStore, 'readMany'>;
  readonly rankings: Pick<TrendingStore, 'read'>;
}

function listTrending({ store, rankings }: ListTrendingDependencies): Endpoint {
  return async (request) => {
    const { kind = 'all', window, limit } = validate(trendingQuery, queryOf(request));
    const ranked = await rankings.read(kind, window);
    const listings = await store.readMany(ranked.map(({ listingId }) => listingId));
    return jsonResponse(pageBody(rankedPage(listings.slice(0, limit)), listingEntry));
  };
}

export const handler = publicHandler('platform', (resources) =>
  listTrending({ store: createListingStore(resources), rankings: createTrendingStore(resources) }),
);
