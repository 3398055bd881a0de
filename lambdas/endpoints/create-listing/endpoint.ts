/** `POST /apps` and `POST /ai-agents`: makes a listing of the account that is signed in. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { newListing } from '../../core/listings/fields.ts';
import { kindOf, listingEntry } from '../../core/listings/listing.ts';
import type { Listings } from '../../core/listings/listings.ts';
import { etagOf } from '../../core/listings/revision.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface CreateListingDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly listings: Listings;
}

export function createListing({ sessions, listings }: CreateListingDependencies): Endpoint {
  return async (request) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const body = validate(newListing, (await readJson(request)).value);
    const listing = await listings.create(kindOf(request), accountId, body);
    const location = `${new URL(request.url).pathname.replace(/\/+$/, '')}/${listing.id}`;
    return jsonResponse(listingEntry(listing), { etag: etagOf(listing.revision), location }, 201);
  };
}
