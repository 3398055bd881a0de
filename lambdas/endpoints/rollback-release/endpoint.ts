/** `POST /apps/{id}/releases/{version}/rollback` and its like: makes an earlier release the current one again. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import type { Releases } from '../../core/listings/releases.ts';
import { etagOf } from '../../core/listings/revision.ts';

export function rollbackRelease(releases: Releases): SessionEndpoint {
  return async (request, { pathParameters: { id = '', version = '' }, session: { accountId } }) => {
    const listing = await releases.rollback({ kind: kindOf(request), id, accountId }, version);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
}
