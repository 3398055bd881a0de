/** `GET /categories`: the categories in use, with how many listings each has. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { categoriesQuery, categoryEntry } from '../../core/listings/queries.ts';
import { createListingStore } from '../../store/create-listings.ts';

export const handler = publicHandler('platform', (resources) => {
  const store = createListingStore(resources);
  return async (request) => {
    const { limit, cursor: after } = validate(categoriesQuery, queryOf(request));
    const { entries, next } = await store.categories({ limit, after });
    const used = entries.map(categoryEntry).filter(({ count }) => count > 0);
    return jsonResponse(pageBody({ entries: used, next }, (entry) => entry));
  };
});
