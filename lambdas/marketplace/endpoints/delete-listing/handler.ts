/** `DELETE /apps/{id}` and `DELETE /ai-agents/{id}`: deletes a listing of the account that is signed in. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { deletedBody } from '../../../platform/core/api/response-schema.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { kindOf } from '../../core/listing.ts';
import { readIfMatch } from '../../core/revision.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const precondition = readIfMatch(request.headers);
    const { kind } = await listings.remove({ kind: kindOf(request), id, accountId }, precondition);
    return jsonResponse(deletedBody(id, kind));
  };
});
