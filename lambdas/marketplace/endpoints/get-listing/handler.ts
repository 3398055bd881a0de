/** `GET /apps/{id}` and `GET /ai-agents/{id}`: one listing, with the tag that a later change may name. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { etagOf } from '../../core/listings/revision.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = publicHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters: { id = '' } }) => {
    const listing = await listings.get(kindOf(request), id);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
});
