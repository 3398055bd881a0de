/** `POST /apps/{id}/install`, and the same of `/ai-agents`: installs a listing for the account that is signed in, once. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { install } from '../../core/listings/actions.ts';
import { installEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { createListings } from '../../store/create-listings.ts';
import { createInstallStore } from '../../store/installs/action-store.ts';

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
