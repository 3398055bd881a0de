/** `POST /apps/{id}/install`, and the same of `/ai-agents`: installs a listing for the account that is signed in, once. */

import { createInstallStore } from '../../adapters/listings/action-store.ts';
import { createListings } from '../../adapters/listings/create-listings.ts';
import { requireTable } from '../../contract/tables.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { install } from '../../core/listings/actions.ts';
import { installEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment } = resources;
  const tables = {
    listings: requireTable(environment, 'listings'),
    discovery: requireTable(environment, 'discovery'),
  };
  const store = createInstallStore(clients.client, tables);
  const installs = { ...resources, store, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { entry, repeated } = await install(installs, { kind: kindOf(request), id, accountId });
    return jsonResponse(installEntry(entry), {}, repeated ? 200 : 201);
  };
});
