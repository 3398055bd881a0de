/** `POST /apps/{id}/install` and its like: installs a listing for the account that is signed in, once. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { installEntry } from '../../core/listings/activity.ts';
import type { Installs } from '../../core/listings/installs.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface InstallListingDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly installs: Installs;
}

export function installListing({ sessions, installs }: InstallListingDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const { entry, repeated } = await installs.install({ kind: kindOf(request), id, accountId });
    return jsonResponse(installEntry(entry), {}, repeated ? 200 : 201);
  };
}
