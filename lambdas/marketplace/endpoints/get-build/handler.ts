/** `GET /apps/{id}/builds/{build_id}`, and the same of `/ai-agents`: one build of an own listing. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { buildEntry } from '../../core/builds/build.ts';
import { getBuild } from '../../core/builds/builds.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { createBuildStore } from '../../store/create-builds.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const builds = { store: createBuildStore(resources), listings: createListings(resources) };
  return async (request, { pathParameters: { id = '', build_id: buildId = '' }, session: { accountId } }) =>
    jsonResponse(buildEntry(await getBuild(builds, { kind: kindOf(request), id, accountId }, buildId)));
});
