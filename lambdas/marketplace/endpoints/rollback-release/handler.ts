/** `POST /apps/{id}/releases/{version}/rollback`, and the same of `/ai-agents`: makes an earlier release the current one again. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { rollback } from '../../core/builds/releases.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { etagOf } from '../../core/listings/revision.ts';
import { createReleaseStore } from '../../store/builds/release-store.ts';
import { marketTables } from '../../store/create-builds.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment, clock } = resources;
  const store = createReleaseStore(clients.client, marketTables(environment), clock);
  const releases = { ...resources, store, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '', version = '' }, session: { accountId } }) => {
    const listing = await rollback(releases, { kind: kindOf(request), id, accountId }, version);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
});
