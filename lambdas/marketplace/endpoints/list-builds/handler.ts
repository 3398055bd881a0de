/** `GET /apps/{id}/builds`, and the same of `/ai-agents`: the builds of an own listing, newest first. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { buildEntry, buildsQuery } from '../../core/builds/build.ts';
import { listBuilds } from '../../core/builds/builds.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { createBuildStore } from '../../store/create-builds.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const builds = { store: createBuildStore(resources), listings: createListings(resources) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { limit, cursor: after } = validate(buildsQuery, queryOf(request));
    const page = await listBuilds(builds, { kind: kindOf(request), id, accountId }, { limit, after });
    return jsonResponse(pageBody(page, buildEntry));
  };
});
