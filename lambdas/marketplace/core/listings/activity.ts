/** Installs, reviews, releases and purchases of a listing, with their requests and responses. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { storedText } from '../../../platform/core/json/stored-text.ts';
import { price, version } from './fields.ts';
import { isSoldOnce, type Listing } from './listing.ts';

export interface Install {
  readonly listingId: string;
  readonly accountId: string;
  /** Seconds since the epoch, as every `created` here. */
  readonly created: number;
}

export interface Review {
  /** `rev_<ulid>`. */
  readonly id: string;
  readonly listingId: string;
  readonly accountId: string;
  readonly rating: number;
  readonly text: string;
  readonly created: number;
}

export interface Release {
  /** `rel_<ulid>`. */
  readonly id: string;
  readonly listingId: string;
  readonly version: string;
  readonly notes: string;
  /** The build that it releases. */
  readonly build?: ReleasedArtifact | undefined;
  readonly created: number;
}

/** The build of a release as it was released. */
export interface ReleasedArtifact {
  readonly id: string;
  readonly sha256: string;
  readonly size: number;
}

export interface Purchase {
  /** `pur_<ulid>`. */
  readonly id: string;
  readonly listingId: string;
  readonly buyerId: string;
  /** In the currency's minor unit. */
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
}

/**
 * Returns whether the buyer may use the listing, as it is now. A price that was paid entitles for ever; a purchase of 0
 * does so while the listing exists and is sold once.
 */
export const isEntitling = ({ amount }: Purchase, listing: Listing | undefined): boolean =>
  amount !== 0 || (listing !== undefined && isSoldOnce(listing));

export const newReview = z.object({
  rating: z.int().min(1).max(5),
  text: storedText().trim().max(4000).default(''),
});

export const newRelease = z.object({
  version,
  notes: storedText().trim().max(10_000).default(''),
  build_id: idOf('build').optional().describe('A clean build of the listing, which the release offers.'),
});

/** The body of a purchase: the price that the buyer was shown. */
export const purchaseRequest = z.object({
  amount: price.shape.amount.optional().describe('As in the price of the listing; 0 where it is free.'),
  currency: price.shape.currency.optional(),
  while_subscribed: z
    .boolean()
    .optional()
    .describe('Buys it although the account subscribes to it. Else that is 409 `already_subscribed`.'),
});

export const installSchema = z.object({
  object: z.literal('install'),
  listing_id: idOf('lst'),
  account_id: idOf('acc'),
  created: seconds,
});

export const installEntry = (install: Install): Body<typeof installSchema> => ({
  object: 'install',
  listing_id: install.listingId,
  account_id: install.accountId,
  created: install.created,
});

export const reviewSchema = z.object({
  id: idOf('rev'),
  object: z.literal('review'),
  listing_id: idOf('lst'),
  reviewer_id: idOf('acc'),
  rating: newReview.shape.rating,
  text: z.string(),
  created: seconds,
});

export const reviewEntry = (review: Review): Body<typeof reviewSchema> => ({
  id: review.id,
  object: 'review',
  listing_id: review.listingId,
  reviewer_id: review.accountId,
  rating: review.rating,
  text: review.text,
  created: review.created,
});

export const releaseSchema = z.object({
  id: idOf('rel'),
  object: z.literal('release'),
  listing_id: idOf('lst'),
  version: z.string(),
  notes: z.string(),
  build_id: idOf('build').nullable(),
  digest: z.string().nullable().describe('`sha256:` and the SHA-256 of the build.'),
  size: z.int().nullable().describe('Bytes of the build.'),
  created: seconds,
});

export const releaseEntry = (release: Release): Body<typeof releaseSchema> => ({
  id: release.id,
  object: 'release',
  listing_id: release.listingId,
  version: release.version,
  notes: release.notes,
  build_id: release.build?.id ?? null,
  digest: release.build === undefined ? null : `sha256:${release.build.sha256}`,
  size: release.build?.size ?? null,
  created: release.created,
});

export const purchaseSchema = z.object({
  id: idOf('pur'),
  object: z.literal('purchase'),
  listing_id: idOf('lst'),
  buyer_id: idOf('acc'),
  amount: z.int(),
  currency: z.string(),
  created: seconds,
});

export const purchaseEntry = (purchase: Purchase): Body<typeof purchaseSchema> => ({
  id: purchase.id,
  object: 'purchase',
  listing_id: purchase.listingId,
  buyer_id: purchase.buyerId,
  amount: purchase.amount,
  currency: purchase.currency,
  created: purchase.created,
});
