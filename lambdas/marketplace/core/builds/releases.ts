/** Releasing a version of a listing, rolling back to an earlier one, and downloading the build of one. */
import type * as z from 'zod';
import { QUOTAS } from '../../../platform/core/api/quotas.ts';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { type ActionDependencies, nowSeconds, ownerEvent } from '../listings/actions.ts';
import type { newRelease, Release } from '../listings/activity.ts';
import { isFree, type Listing } from '../listings/listing.ts';
import type { ListingRequest } from '../listings/listings.ts';
import type { ReleaseStore } from '../listings/ports.ts';
import { revisionConflict } from '../listings/revision.ts';
import { type artifactSchema, DOWNLOAD_SECONDS, digestOf } from './build.ts';
import { BUILD_ID } from './builds.ts';
import type { BuildStore, DownloadSigner } from './ports.ts';

export interface ReleaseDependencies extends ActionDependencies<ReleaseStore> {
  readonly builds: Pick<BuildStore, 'find'>;
}

/**
 * Throws 409 `conflict` when the version was released before or the build is not clean, 404 for the build of another
 * listing, and 429 `release_quota` beyond the last release there may be.
 */
export async function release(
  { store, builds, listings, clock, ulid }: ReleaseDependencies,
  request: ListingRequest,
  { build_id: buildId, ...body }: z.output<typeof newRelease>,
): Promise<Release> {
  const listing = await listings.getOwn(request);
  const max = QUOTAS.releases_per_listing;
  if (listing.releases >= max)
    throw new ServiceError('release_quota', `A listing may have at most ${max} releases.`);
  const build = buildId === undefined ? undefined : await cleanBuild(builds, listing, buildId);
  const entry: Release = {
    ...body,
    build,
    id: `rel_${ulid()}`,
    listingId: listing.id,
    created: nowSeconds(clock),
  };
  const { id, version } = entry;
  const data = { release_id: id, version, previous_version: listing.version };
  const result = await store.release(entry, listing, ownerEvent(ulid, 'release.created', listing, data));
  if (result === 'changed') throw revisionConflict(listing.revision);
  if (result === 'not clean') throw notClean();
  if (result === 'repeated') throw versionError('conflict', `The version ${version} was released already.`);
  return entry;
}

async function cleanBuild(
  builds: Pick<BuildStore, 'find'>,
  { id: listingId }: Listing,
  id: string,
): Promise<NonNullable<Release['build']>> {
  const build = BUILD_ID.test(id) ? await builds.find({ listingId, id }) : undefined;
  if (build === undefined)
    throw new ServiceError('not_found', 'No build with this id belongs to the listing.', {
      param: 'build_id',
    });
  if (build.status !== 'clean') throw notClean();
  return { id, sha256: build.sha256, size: build.size };
}

/**
 * Makes an earlier version current. Throws 404 for one that was never released, 409 for the current one, and for one
 * whose build is not clean any more.
 */
export async function rollback(
  { store, listings, clock, ulid }: ActionDependencies<ReleaseStore>,
  request: ListingRequest,
  version: string,
): Promise<Listing> {
  const listing = await listings.getOwn(request);
  if (listing.version === version)
    throw versionError('conflict', `The version ${version} is the current one already.`);
  const earlier = await store.find(listing.id, version);
  if (earlier === undefined) throw neverReleased();
  const data = { version, previous_version: listing.version };
  const event = ownerEvent(ulid, 'release.rolled_back', listing, data);
  const result = await store.rollback(earlier, listing, event);
  if (result === 'changed') throw revisionConflict(listing.revision);
  if (result === 'not clean') throw notClean();
  return { ...listing, version, revision: listing.revision + 1, updated: nowSeconds(clock) };
}

export interface ArtifactDependencies extends Omit<ReleaseDependencies, 'ulid'> {
  /** Returns whether the account has bought the listing, or subscribes to it. */
  readonly isEntitled: (accountId: string, listingId: string) => Promise<boolean>;
  readonly signer: DownloadSigner;
}

/**
 * Signs a download. Throws 404 for a release without a build, 403 `not_owner` to an account without an entitlement to
 * a listing that is not free, and 403 `build_quarantined` for a build that a later scan found infected.
 */
export async function downloadArtifact(
  { store, builds, isEntitled, listings, signer, clock }: ArtifactDependencies,
  { kind, id: listingId, accountId }: ListingRequest,
  version: string,
): Promise<Body<typeof artifactSchema>> {
  const listing = await listings.get(kind, listingId);
  const isAllowed =
    isFree(listing) || listing.ownerId === accountId || (await isEntitled(accountId, listingId));
  if (!isAllowed) throw new ServiceError('not_owner', 'Buy the listing, or subscribe to it, to download it.');
  const released = await store.find(listingId, version);
  if (released?.build === undefined) throw neverReleased();
  const build = await builds.find({ listingId, id: released.build.id });
  if (build?.status !== 'clean' || build.sha256 !== released.build.sha256)
    throw new ServiceError('build_quarantined', 'This build is in quarantine: a scan found it infected.');
  const expires = nowSeconds(clock) + DOWNLOAD_SECONDS;
  const url = await signer.download(build);
  return { object: 'artifact', url, digest: digestOf(build), size: build.size, expires };
}

const notClean = (): ServiceError =>
  new ServiceError('conflict', 'Only a clean build can be released: read its status.', { param: 'build_id' });

const neverReleased = (): ServiceError =>
  versionError('not_found', 'This version of the listing was never released, or has no build.');

const versionError = (code: 'conflict' | 'not_found', message: string): ServiceError =>
  new ServiceError(code, message, { param: 'version' });
