/** `GET /apps/{id}` and `GET /ai-agents/{id}`: one listing, with the tag that a later change may name. */

import { createListings } from '../../adapters/listings/create-listings.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { etagOf } from '../../core/listings/revision.ts';
import { publicHandler } from '../../hosts/handlers.ts';

export const handler = publicHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters: { id = '' } }) => {
    const listing = await listings.get(kindOf(request), id);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
});
