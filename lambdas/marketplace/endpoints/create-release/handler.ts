/** `POST /apps/{id}/releases`, and the same of `/ai-agents`: releases a version of a listing of the account that is signed in. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { release } from '../../core/builds/releases.ts';
import { newRelease, releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { createReleaseStore } from '../../store/builds/release-store.ts';
import { createBuildStore, marketTables } from '../../store/create-builds.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment, clock } = resources;
  const store = createReleaseStore(clients.client, marketTables(environment), clock);
  const releases = {
    ...resources,
    store,
    builds: createBuildStore(resources),
    listings: createListings(resources),
  };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newRelease, (await readJson(request)).value);
    const entry = await release(releases, { kind: kindOf(request), id, accountId }, body);
    return jsonResponse(releaseEntry(entry), {}, 201);
  };
});
