/** `PUT /apps/{id}` and `PUT /ai-agents/{id}`: changes a listing of the account that is signed in. */

import { createListings } from '../../adapters/listings/create-listings.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { listingChange } from '../../core/listings/fields.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { etagOf, readIfMatch } from '../../core/listings/revision.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const precondition = readIfMatch(request.headers);
    const body = validate(listingChange, (await readJson(request)).value);
    const listing = await listings.change({ kind: kindOf(request), id, accountId }, body, precondition);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
});
