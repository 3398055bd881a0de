/** `GET /apps/{id}/releases`, and the same of `/ai-agents`: the releases of a listing, newest first. */

import { createListings } from '../../adapters/listings/create-listings.ts';
import { readReleases } from '../../adapters/listings/release-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { pageBody, pageQuery, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { publicHandler } from '../../hosts/handlers.ts';

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
