/** `POST /apps/{id}/releases/{version}/rollback`, and the same of `/ai-agents`: makes an earlier release the current one again. */

import { createListings } from '../../adapters/listings/create-listings.ts';
import { createReleaseStore } from '../../adapters/listings/release-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import { rollback } from '../../core/listings/releases.ts';
import { etagOf } from '../../core/listings/revision.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment, clock } = resources;
  const store = createReleaseStore(clients.client, requireTable(environment, 'listings'), clock);
  const releases = { ...resources, store, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '', version = '' }, session: { accountId } }) => {
    const listing = await rollback(releases, { kind: kindOf(request), id, accountId }, version);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
});
