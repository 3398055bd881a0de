/** `POST /apps/{id}/install`, and the same of `/ai-agents`: installs a listing for the account that is signed in, once. */

import { createInstalls } from '../../adapters/listings/create-listings.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { type ActionDependencies, install } from '../../core/listings/actions.ts';
import { installEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { InstallStore } from '../../core/listings/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function installListing(installs: ActionDependencies<InstallStore>): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { entry, repeated } = await install(installs, { kind: kindOf(request), id, accountId });
    return jsonResponse(installEntry(entry), {}, repeated ? 200 : 201);
  };
}

export const handler = sessionHandler('platform', (resources) => installListing(createInstalls(resources)));
