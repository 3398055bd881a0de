/** Releasing a version of a listing, and rolling back to an earlier one. */
import type * as z from 'zod';
import { QUOTAS } from '../../platform/core/api/quotas.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { type ActionDependencies, nowSeconds, ownerEvent } from './actions.ts';
import type { newRelease, Release } from './activity.ts';
import type { Listing } from './listing.ts';
import type { ListingRequest } from './listings.ts';
import type { ReleaseStore } from './ports.ts';
import { revisionConflict } from './revision.ts';

/** Throws 409 `conflict` when the version was released before, and 429 `release_quota` beyond the last one there may be. */
export async function release(
  { store, listings, clock, ulid }: ActionDependencies<ReleaseStore>,
  request: ListingRequest,
  body: z.output<typeof newRelease>,
): Promise<Release> {
  const listing = await listings.getOwn(request);
  const max = QUOTAS.releases_per_listing;
  if (listing.releases >= max)
    throw new ServiceError('release_quota', `A listing may have at most ${max} releases.`);
  const entry = { ...body, id: `rel_${ulid()}`, listingId: listing.id, created: nowSeconds(clock) };
  const { id, version } = entry;
  const data = { release_id: id, version, previous_version: listing.version };
  const result = await store.release(entry, listing, ownerEvent(ulid, 'release.created', listing, data));
  if (result === 'changed') throw revisionConflict(listing.revision);
  if (result === 'repeated') throw versionError('conflict', `The version ${version} was released already.`);
  return entry;
}

/** Makes an earlier version current. Throws 404 for one that was never released, 409 for the current one. */
export async function rollback(
  { store, listings, clock, ulid }: ActionDependencies<ReleaseStore>,
  request: ListingRequest,
  version: string,
): Promise<Listing> {
  const listing = await listings.getOwn(request);
  if (listing.version === version)
    throw versionError('conflict', `The version ${version} is the current one already.`);
  const data = { version, previous_version: listing.version };
  const event = ownerEvent(ulid, 'release.rolled_back', listing, data);
  const result = await store.rollback(version, listing, event);
  if (result === 'changed') throw revisionConflict(listing.revision);
  if (result === 'no_such_release')
    throw versionError('not_found', 'This version of the listing was never released.');
  return { ...listing, version, revision: listing.revision + 1, updated: nowSeconds(clock) };
}

const versionError = (code: 'conflict' | 'not_found', message: string): ServiceError =>
  new ServiceError(code, message, { param: 'version' });
