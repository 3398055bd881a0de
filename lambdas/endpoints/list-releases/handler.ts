/** `GET /apps/{id}/releases`, and the same of `/ai-agents`: the releases of a listing, newest first. */

import { createListings, createReleaseStore } from '../../adapters/listings/create-listings.ts';
import { pageBody, pageQuery, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Listings } from '../../core/listings/listings.ts';
import type { ReleaseStore } from '../../core/listings/ports.ts';
import type { Endpoint } from '../../core/ports.ts';
import { publicHandler } from '../../hosts/handlers.ts';

interface ListReleasesDependencies {
  readonly listings: Listings;
  readonly store: Pick<ReleaseStore, 'releases'>;
}

function listReleases({ listings, store }: ListReleasesDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const { limit, cursor: after } = validate(pageQuery(), queryOf(request));
    await listings.get(kindOf(request), id);
    return jsonResponse(pageBody(await store.releases(id, { limit, after }), releaseEntry));
  };
}

export const handler = publicHandler('platform', (resources) =>
  listReleases({ listings: createListings(resources), store: createReleaseStore(resources) }),
);
