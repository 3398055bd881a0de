/** `GET /search`: the listings that match a query, best first, in their current state. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { MAX_DEPTH, searchQuery } from '../../core/discovery/search-query.ts';
import { listingEntry } from '../../core/listings/listing.ts';
import { createListingStore } from '../../store/create-listings.ts';
import { createSearch } from '../../store/create-search.ts';

export const handler = publicHandler('platform', (resources) => {
  const search = createSearch(resources);
  const store = createListingStore(resources);
  return async (request) => {
    const {
      limit,
      cursor: offset = 0,
      owner_id: ownerId,
      ...query
    } = validate(searchQuery, queryOf(request));
    const ids = (await search()).search({ ...query, ownerId });
    const end = Math.min(offset + limit, MAX_DEPTH);
    // The index follows the listings within seconds; what was deleted since is left out.
    const listings = await store.readMany(ids.slice(offset, end));
    const entries = listings.filter((each) => ownerId === undefined || each.ownerId === ownerId);
    const next = end < Math.min(ids.length, MAX_DEPTH) ? String(end) : undefined;
    return jsonResponse(pageBody({ entries, next }, listingEntry));
  };
});
