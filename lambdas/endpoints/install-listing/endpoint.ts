/** `POST /apps/{id}/install` and its like: installs a listing for the account that is signed in, once. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { installEntry } from '../../core/listings/activity.ts';
import type { Installs } from '../../core/listings/installs.ts';
import { kindOf } from '../../core/listings/listing.ts';

export function installListing(installs: Installs): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { entry, repeated } = await installs.install({ kind: kindOf(request), id, accountId });
    return jsonResponse(installEntry(entry), {}, repeated ? 200 : 201);
  };
}
