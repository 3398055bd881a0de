/** `POST /apps` and `POST /ai-agents`: makes a listing of the account that is signed in. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { newListing } from '../../core/listings/fields.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { etagOf } from '../../core/listings/revision.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { session: { accountId } }) => {
    const body = validate(newListing, (await readJson(request)).value);
    const listing = await listings.create(kindOf(request), accountId, body);
    const location = `${new URL(request.url).pathname.replace(/\/+$/, '')}/${listing.id}`;
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision), location }, 201);
  };
});
