/** `POST /apps/{id}/releases`, and the same of `/ai-agents`: releases a version of a listing of the account that is signed in. */

import { createListings } from '../../adapters/listings/create-listings.ts';
import { createReleaseStore } from '../../adapters/listings/release-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { newRelease, releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { release } from '../../core/listings/releases.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment, clock } = resources;
  const store = createReleaseStore(clients.client, requireTable(environment, 'listings'), clock);
  const releases = { ...resources, store, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newRelease, (await readJson(request)).value);
    const made = await release(releases, { kind: kindOf(request), id, accountId }, body);
    return jsonResponse(releaseEntry(made), {}, 201);
  };
});
