/** `GET /apps/{id}/releases`, and the same of `/ai-agents`: the releases of a listing, newest first. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { pageBody, pageQuery, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { readReleases } from '../../store/builds/release-store.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = publicHandler('platform', (resources) => {
  const listings = createListings(resources);
  const table = requireTable(resources.environment, 'listings');
  return async (request, { pathParameters: { id = '' } }) => {
    const { limit, cursor: after } = validate(pageQuery(), queryOf(request));
    await listings.get(kindOf(request), id);
    return jsonResponse(
      pageBody(await readReleases(resources.clients.client, table, id, { limit, after }), releaseEntry),
    );
  };
});
