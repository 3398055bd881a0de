/** `POST /apps/{id}/releases/{version}/rollback` and its like: puts an earlier release in force again. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import type { Releases } from '../../core/listings/releases.ts';
import { etagOf } from '../../core/listings/revision.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface RollbackReleaseDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly releases: Releases;
}

export function rollbackRelease({ sessions, releases }: RollbackReleaseDependencies): Endpoint {
  return async (request, { pathParameters: { id = '', version = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const listing = await releases.rollback({ kind: kindOf(request), id, accountId }, version);
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision) });
  };
}
