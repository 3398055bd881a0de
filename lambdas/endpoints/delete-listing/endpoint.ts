/** `DELETE /apps/{id}` and `DELETE /ai-agents/{id}`: takes a listing of the account that is signed in off the market. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Listings } from '../../core/listings/listings.ts';
import { readIfMatch } from '../../core/listings/revision.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface DeleteListingDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly listings: Listings;
}

export function deleteListing({ sessions, listings }: DeleteListingDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const precondition = readIfMatch(request.headers);
    const { kind } = await listings.remove({ kind: kindOf(request), id, accountId }, precondition);
    return jsonResponse(deletedBody(id, kind));
  };
}
