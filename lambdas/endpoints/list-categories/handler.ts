/** `GET /categories`: the categories in use, with how many listings each has. */

import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { categoriesQuery, categoryEntry } from '../../core/listings/queries.ts';
import { publicHandler } from '../../hosts/handlers.ts';

export const handler = publicHandler('platform', (resources) => {
  const store = createListingStore(resources);
  return async (request) => {
    const { limit, cursor: after } = validate(categoriesQuery, queryOf(request));
    const { entries, next } = await store.categories({ limit, after });
    const used = entries.map(categoryEntry).filter(({ count }) => count > 0);
    return jsonResponse(pageBody({ entries: used, next }, (entry) => entry));
  };
});
