/** Releasing a version of a listing, and rolling back to an earlier one. */

import type * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { QUOTAS } from '../quotas.ts';
import type { newRelease, Release } from './activity.ts';
import type { Listing } from './listing.ts';
import { type ActivityDependencies, ListingActivity } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { ReleaseStore } from './ports.ts';
import { revisionConflict } from './revision.ts';

export class Releases extends ListingActivity {
  readonly #store: ReleaseStore;

  constructor(store: ReleaseStore, dependencies: ActivityDependencies) {
    super(dependencies);
    this.#store = store;
  }

  /** Throws 409 `conflict` when the version was released before, and 429 `release_quota` beyond the last one there may be. */
  async release(request: ListingRequest, body: z.output<typeof newRelease>): Promise<Release> {
    const listing = await this.listings.getOwn(request);
    const most = QUOTAS.releases_per_listing;
    if (listing.releases >= most) {
      throw new ServiceError('release_quota', `A listing may have at most ${most} releases.`);
    }
    const release = { ...body, id: `rel_${this.ulid()}`, listingId: listing.id, created: this.now() };
    const result = await this.#store.release(release, listing, this.events.released(listing, release));
    if (result === 'changed') throw revisionConflict(listing.revision);
    if (result === 'repeated') {
      const message = `The version ${release.version} was released already.`;
      throw new ServiceError('conflict', message, { param: 'version' });
    }
    return release;
  }

  /** Makes an earlier version current. Throws 404 for one that was never released, 409 for the current one. */
  async rollback(request: ListingRequest, version: string): Promise<Listing> {
    const listing = await this.listings.getOwn(request);
    if (listing.version === version) {
      throw new ServiceError('conflict', `The version ${version} is the current one already.`, {
        param: 'version',
      });
    }
    const result = await this.#store.rollback(version, listing, this.events.rolledBack(listing, version));
    if (result === 'changed') throw revisionConflict(listing.revision);
    if (result === 'no_such_release') {
      throw new ServiceError('not_found', 'This version of the listing was never released.', {
        param: 'version',
      });
    }
    return { ...listing, version, revision: listing.revision + 1, updated: this.now() };
  }
}
