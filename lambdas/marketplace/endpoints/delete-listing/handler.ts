/**
 * `DELETE /apps/{id}` and `DELETE /ai-agents/{id}`: deletes a listing of the account that is signed in. The id may also
 * be in the query or the body.
 */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requestedId } from '../../../platform/core/api/requested-id.ts';
import { deletedBody } from '../../../platform/core/api/response-schema.ts';
import { readOptionalJson } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { readIfMatch } from '../../core/listings/revision.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const listings = createListings(resources);
  return async (request, { pathParameters, session: { accountId } }) => {
    const precondition = readIfMatch(request.headers);
    const id = await requestedId(pathParameters, request, () => readOptionalJson(request));
    const { kind } = await listings.remove({ kind: kindOf(request), id, accountId }, precondition);
    return jsonResponse(deletedBody(id, kind));
  };
});
