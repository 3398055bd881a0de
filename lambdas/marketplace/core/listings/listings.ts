/** Changes of listings by their owners: only of their listings, and never over a change that they have not read. */
import type * as z from 'zod';
import { hasAsMany, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';
import { type listingChange, type newListing, slugOf } from './fields.ts';
import { LISTING_ID, type Listing, type ListingKind, listingNotFound } from './listing.ts';
import type { ListingStore } from './ports.ts';
import { type Precondition, revisionConflict } from './revision.ts';

/**
 * Without a precondition a change applies to the current state; each further attempt means that another change happened
 * meanwhile.
 */
const MAX_ATTEMPTS = 5;

export interface ListingsDependencies {
  readonly store: ListingStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** The listing of an owner's request, by path and session. */
export interface ListingRequest {
  readonly kind: ListingKind;
  readonly id: string;
  readonly accountId: string;
}

export class Listings {
  readonly #dependencies: ListingsDependencies;

  constructor(dependencies: ListingsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws 404 `not_found` when there is none of that kind under the id. */
  async get(kind: ListingKind, id: string): Promise<Listing> {
    const listing = LISTING_ID.test(id) ? await this.#dependencies.store.read(id) : undefined;
    if (listing?.kind !== kind) throw listingNotFound(kind);
    return listing;
  }

  /** Returns the listing of that id, of any kind; undefined if it was removed. */
  find(id: string): Promise<Listing | undefined> {
    return this.#dependencies.store.read(id);
  }

  /** Returns the listing to its owner. Throws 403 `not_owner` for any other account: the listing's existence is public. */
  async getOwn({ kind, id, accountId }: ListingRequest): Promise<Listing> {
    const listing = await this.get(kind, id);
    if (listing.ownerId !== accountId)
      throw new ServiceError('not_owner', 'Only the owner of a listing can change it.');
    return listing;
  }

  /**
   * Throws 400 `invalid_value` for plans next to a price of 0, 429 `listing_quota` when the account has as many as it may,
   * and 409 `conflict` when the slug is taken.
   */
  async create(kind: ListingKind, accountId: string, body: z.output<typeof newListing>): Promise<Listing> {
    const { store, ulid } = this.#dependencies;
    const now = this.#now();
    const id = `lst_${ulid()}`;
    const { icon_url: iconUrl, slug = slugOf(body.name, id), ...fields } = body;
    const listing: Listing = {
      ...fields,
      slug,
      iconUrl,
      id,
      kind,
      ownerId: accountId,
      installs: 0,
      releases: 1,
      ratings: { sum: 0, count: 0 },
      created: now,
      updated: now,
      revision: 1,
    };
    checkOffer(listing);
    const max = QUOTAS.listings_per_account;
    const result = await store.create(listing, `rel_${ulid()}`, max);
    if (result === 'full') throw hasAsMany('listing_quota', max, 'listings of one account');
    if (result === 'slug_taken') throw slugTaken(slug);
    return listing;
  }

  /**
   * Throws 400 `invalid_value` for plans next to a price of 0, and 409 `conflict` when the precondition fails, or the slug
   * belongs to another listing.
   */
  async change(
    request: ListingRequest,
    body: z.output<typeof listingChange>,
    precondition: Precondition,
  ): Promise<Listing> {
    return this.#retry(request, precondition, async (from) => {
      const to = {
        ...changed(from, body),
        updated: Math.max(from.updated, this.#now()),
        revision: from.revision + 1,
      };
      checkOffer(to);
      const result = await this.#dependencies.store.replace(from, to);
      if (result === 'slug_taken') throw slugTaken(to.slug);
      return result === 'done' ? to : undefined;
    });
  }

  async remove(request: ListingRequest, precondition: Precondition): Promise<Listing> {
    return this.#retry(request, precondition, async (listing) =>
      (await this.#dependencies.store.remove(listing)) === 'done' ? listing : undefined,
    );
  }

  /** Runs a step on the current listing, and again if it has changed during the step and the precondition allows it. */
  async #retry(
    request: ListingRequest,
    precondition: Precondition,
    step: (listing: Listing) => Promise<Listing | undefined>,
  ): Promise<Listing> {
    for (let attempt = 1; ; attempt += 1) {
      const listing = await this.getOwn(request);
      if (!precondition(listing.revision) || attempt > MAX_ATTEMPTS) throw revisionConflict(listing.revision);
      const result = await step(listing);
      if (result !== undefined) return result;
    }
  }

  #now(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}

const slugTaken = (slug: string): ServiceError =>
  new ServiceError('conflict', `Another listing has the slug ${JSON.stringify(slug)}.`, { param: 'slug' });

/** A purchase for 0 would give everybody what the plans sell. */
function checkOffer({ price, plans }: Listing): void {
  if (price?.amount !== 0 || plans.length === 0) return;
  const message =
    'price must be null or above 0 for a listing with plans: with null it is sold by subscription only.';
  throw new ServiceError('invalid_value', message, { param: 'price' });
}

/** Returns the owner's fields after a change; fields that are absent from the change stay unchanged. */
function changed(from: Listing, body: z.output<typeof listingChange>): Listing {
  const { icon_url: iconUrl = from.iconUrl, ...fields } = body;
  return { ...from, ...(fields as Partial<Listing>), iconUrl };
}
