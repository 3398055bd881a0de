/** Creates builds, and shows them to their owner. */
import type * as z from 'zod';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { dailyQuotaReached, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { type ActionDependencies, nowSeconds } from '../listings/actions.ts';
import type { ListingRequest } from '../listings/listings.ts';
import { AWAIT_SECONDS, type Build, type newBuild } from './build.ts';
import type { BuildStore, PresignedUpload, UploadSigner } from './ports.ts';

export const BUILD_ID = /^build_[0-9A-HJKMNP-TV-Z]{26}$/;

export interface BuildDependencies extends ActionDependencies<BuildStore> {
  readonly signer: UploadSigner;
  /** False if no scanner is deployed. */
  readonly isEnabled: boolean;
}

/** Throws 403 `builds_disabled` and 429 `build_quota`. */
export async function createBuild(
  { store, listings, signer, clock, ulid, isEnabled }: BuildDependencies,
  request: ListingRequest,
  body: z.output<typeof newBuild>,
): Promise<{ readonly build: Build; readonly upload: PresignedUpload }> {
  if (!isEnabled)
    throw new ServiceError(
      'builds_disabled',
      'This deployment has no malware scanner, so it takes no builds.',
    );
  const listing = await listings.getOwn(request);
  const created = nowSeconds(clock);
  const build: Build = {
    ...body,
    id: `build_${ulid()}`,
    listingId: listing.id,
    ownerId: listing.ownerId,
    status: 'awaiting_upload',
    threats: [],
    requests: 0,
    released: false,
    created,
    dueAt: created + AWAIT_SECONDS,
    version: 1,
  };
  const quotas = { perDay: QUOTAS.builds_per_account_per_day, bytes: QUOTAS.build_bytes_per_account };
  const result = await store.create(build, quotas);
  if (result === 'day full')
    throw dailyQuotaReached('build_quota', { max: quotas.perDay, things: 'builds', nowSeconds: created });
  if (result === 'bytes full')
    throw new ServiceError('build_quota', `The builds of an account may have at most ${quotas.bytes} bytes.`);
  return { build, upload: await signer.upload(build) };
}

/** Throws 404 `not_found` for a build of another listing. */
export async function getBuild(
  { store, listings }: Pick<BuildDependencies, 'store' | 'listings'>,
  request: ListingRequest,
  id: string,
): Promise<Build> {
  const listing = await listings.getOwn(request);
  const build = BUILD_ID.test(id) ? await store.find({ listingId: listing.id, id }) : undefined;
  if (build === undefined)
    throw new ServiceError('not_found', 'No build with this id belongs to the listing.', {
      param: 'build_id',
    });
  return build;
}

export async function listBuilds(
  { store, listings }: Pick<BuildDependencies, 'store' | 'listings'>,
  request: ListingRequest,
  query: PageQuery,
): Promise<Page<Build>> {
  return store.list((await listings.getOwn(request)).id, query);
}
