/** `POST /apps/{id}/releases/{version}/rollback`, and the same of `/ai-agents`: makes an earlier release the current one again. */

import { createReleases } from '../../adapters/listings/create-listings.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { ActionDependencies } from '../../core/listings/actions.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import type { ReleaseStore } from '../../core/listings/ports.ts';
import { rollback } from '../../core/listings/releases.ts';
import { etagOf } from '../../core/listings/revision.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function rollbackRelease(releases: ActionDependencies<ReleaseStore>): SessionEndpoint {
  return async (request, { pathParameters: { id = '', version = '' }, session: { accountId } }) => {
    const listing = await rollback(releases, { kind: kindOf(request), id, accountId }, version);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
}

export const handler = sessionHandler('platform', (resources) => rollbackRelease(createReleases(resources)));
