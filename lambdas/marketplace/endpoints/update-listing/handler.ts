/**
 * `PUT /apps/{id}` and `PUT /ai-agents/{id}`: changes a listing of the account that is signed in. The id may also be in
 * the query or the body.
 */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requestedId } from '../../../platform/core/api/requested-id.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { listingChange } from '../../core/listings/fields.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { etagOf, readIfMatch } from '../../core/listings/revision.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters, session: { accountId } }) => {
    const precondition = readIfMatch(request.headers);
    const { value } = await readJson(request);
    const body = validate(listingChange, value);
    const id = await requestedId(pathParameters, request, async () => value);
    const listing = await listings.change({ kind: kindOf(request), id, accountId }, body, precondition);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
});
