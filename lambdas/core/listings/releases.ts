/** What owners release, and put in force again. */

import type * as z from 'zod';
import { ServiceError } from '../errors.ts';
import { QUOTAS } from '../quotas.ts';
import type { newRelease, Release } from './activity.ts';
import type { Listing } from './listing.ts';
import { type ActivityDependencies, ListingActivity } from './listing-activity.ts';
import type { ListingRequest } from './listings.ts';
import type { ReleaseStore } from './ports.ts';
import { changedMeanwhile } from './revision.ts';

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
    if (result === 'changed') throw changedMeanwhile(listing.revision);
    if (result === 'repeated') {
      const message = `The version ${release.version} was released before.`;
      throw new ServiceError('conflict', message, { param: 'version' });
    }
    return release;
  }

  /** Puts an earlier version in force. Throws 404 for one that was never released, 409 for the one that is in force. */
  async rollback(request: ListingRequest, version: string): Promise<Listing> {
    const listing = await this.listings.getOwn(request);
    if (listing.version === version) {
      throw new ServiceError('conflict', `The version ${version} is in force.`, { param: 'version' });
    }
    const result = await this.#store.rollback(version, listing, this.events.rolledBack(listing, version));
    if (result === 'changed') throw changedMeanwhile(listing.revision);
    if (result === 'no_such_release') {
      throw new ServiceError('not_found', 'There is no such release of this listing.', { param: 'version' });
    }
    return { ...listing, version, revision: listing.revision + 1, updated: this.now() };
  }
}
