/** A listing: what a publisher offers, how it is named, and what everybody may read of it. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { newListing, type plan, type price } from './fields.ts';

export const LISTING_KINDS = ['app', 'ai-agent'] as const;
export type ListingKind = (typeof LISTING_KINDS)[number];
export const listingKind = z.enum(LISTING_KINDS);

/** The first segment of the paths of each kind. */
const COLLECTIONS: Readonly<Record<ListingKind, string>> = { app: 'apps', 'ai-agent': 'ai-agents' };

export type Price = Readonly<z.output<typeof price>>;
export type ListingPlan = Readonly<z.output<typeof plan>>;

/** The fields that the owner sets. */
interface ListingFields {
  readonly name: string;
  readonly slug: string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly version: string;
  readonly price: Price | null;
  readonly plans: readonly ListingPlan[];
  readonly url: string | null;
  readonly iconUrl: string | null;
  /** The name of the seller. */
  readonly seller: string | null;
  /** An e-mail address or an https URL. */
  readonly contact: string | null;
}

export interface Listing extends ListingFields {
  /** `lst_<ulid>`: sorts by time of creation. */
  readonly id: string;
  readonly kind: ListingKind;
  readonly ownerId: string;
  readonly installs: number;
  /** The number of released versions. Each is a revision, so no two writers raise it from the same number. */
  readonly releases: number;
  readonly ratings: { readonly sum: number; readonly count: number };
  /** Seconds since the epoch. */
  readonly created: number;
  /** Seconds since the epoch; installs and reviews do not move it. */
  readonly updated: number;
  /** Counts the owner's changes. */
  readonly revision: number;
}

/** Returns whether everybody has the listing for nothing. */
export const isFree = ({ price, plans }: Pick<Listing, 'price' | 'plans'>): boolean =>
  (price?.amount ?? 0) === 0 && plans.length === 0;

/** Returns whether a purchase is possible: a listing that has plans and no price is sold by subscription only. */
export const isSoldOnce = ({ price, plans }: Pick<Listing, 'price' | 'plans'>): boolean =>
  (price?.amount ?? 0) !== 0 || plans.length === 0;

export const LISTING_ID = /^lst_[0-9A-HJKMNP-TV-Z]{26}$/;

export const listingSchema = newListing.required().extend({
  id: idOf('lst'),
  kind: listingKind,
  owner_id: idOf('acc'),
  installs: z.int(),
  rating: z.number().nullable().describe('The mean of the reviews; `null` before the first.'),
  created: seconds,
  updated: seconds.describe('Seconds since the epoch; installs and reviews do not move it.'),
});

/** Returns the public entry of a listing. */
export function listingEntry(listing: Listing): Body<typeof listingSchema> {
  const { id, kind, name, slug, summary, description, category, tags, version, price, plans } = listing;
  const { url, iconUrl, seller, contact, ownerId, installs, ratings, created, updated } = listing;
  return {
    id,
    kind,
    name,
    slug,
    summary,
    description,
    category,
    tags,
    version,
    price,
    plans,
    url,
    icon_url: iconUrl,
    seller,
    contact,
    owner_id: ownerId,
    installs,
    rating: ratings.count === 0 ? null : Math.round((100 * ratings.sum) / ratings.count) / 100,
    created,
    updated,
  };
}

/**
 * Returns the kind of a request's path: the same endpoints serve both kinds. Throws 404 `unknown_path` for a path that
 * only resembles one of theirs, for example with a doubled slash.
 */
export function kindOf(request: Pick<Request, 'url'>): ListingKind {
  const collection = new URL(request.url).pathname.split('/')[1];
  const kind = LISTING_KINDS.find((candidate) => COLLECTIONS[candidate] === collection);
  if (kind === undefined) throw new ServiceError('unknown_path', 'There is no such path.');
  return kind;
}

export const listingNotFound = (kind: ListingKind): ServiceError =>
  new ServiceError('not_found', `No listing with this id exists among the ${COLLECTIONS[kind]}.`, {
    param: 'id',
  });
