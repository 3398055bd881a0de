/** `DELETE /apps/{id}` and `DELETE /ai-agents/{id}`: deletes a listing of the account that is signed in. */

import { createListings } from '../../adapters/listings/create-listings.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { readIfMatch } from '../../core/listings/revision.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const precondition = readIfMatch(request.headers);
    const { kind } = await listings.remove({ kind: kindOf(request), id, accountId }, precondition);
    return jsonResponse(deletedBody(id, kind));
  };
});
