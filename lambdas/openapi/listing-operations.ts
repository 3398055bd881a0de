/** The descriptions of the market: listings, what happens to them and how they are found. */

import { pageQuery } from '../core/api/paging.ts';
import { deletedSchema } from '../core/api/response-schema.ts';
import { newRelease, newReview, purchaseRequest } from '../core/listings/activity.ts';
import { searchQuery } from '../core/listings/discovery/search-query.ts';
import { trendingQuery } from '../core/listings/discovery/trending.ts';
import { listingChange, newListing } from '../core/listings/fields.ts';
import { LISTING_KINDS } from '../core/listings/listing.ts';
import { categoriesQuery, listingQuery } from '../core/listings/queries.ts';
import { COMPONENTS } from './components.ts';
import type { Operation } from './operation.ts';

const IF_MATCH = {
  'If-Match':
    'The `ETag` of the listing as it was read. When the listing has changed since, the answer is 409 `conflict` and nothing changes. Installs and reviews do not change the tag.',
};

const listing = (description: string) => ({ description, schema: COMPONENTS.Listing });
const listings = { 200: { description: 'A page of listings.', schema: COMPONENTS.ListingPage } };

export const LISTING_OPERATIONS = {
  'list-listings': { tag: 'Market', query: listingQuery, answers: listings, errors: [400] },
  'create-listing': {
    tag: 'Market',
    body: newListing,
    answers: { 201: listing('The listing, with its `ETag`.') },
    errors: [400, 409],
  },
  'get-listing': {
    tag: 'Market',
    answers: { 200: listing('The listing, with its `ETag`.') },
    errors: [404],
  },
  'update-listing': {
    tag: 'Market',
    description: 'Omitted fields keep their values; read-only fields are ignored.',
    headers: IF_MATCH,
    body: listingChange,
    answers: { 200: listing('The listing after the change.') },
    errors: [400, 403, 404, 409],
  },
  'delete-listing': {
    tag: 'Market',
    headers: IF_MATCH,
    answers: {
      200: { description: 'The listing is deleted.', schema: deletedSchema(...LISTING_KINDS) },
    },
    errors: [400, 403, 404, 409],
  },
  'install-listing': {
    tag: 'Market',
    description: 'Publishes `listing.installed`, once.',
    answers: {
      200: { description: 'The listing was installed before.', schema: COMPONENTS.Install },
      201: { description: 'The listing is installed.', schema: COMPONENTS.Install },
    },
    errors: [404],
  },
  'purchase-listing': {
    tag: 'Market',
    description:
      'Moves the price from the buyer’s credit to the owner’s, once per buyer. A free listing, or one of the buyer’s own, moves no credit. The request states the expected price as `amount`, the expected listing by `If-Match`, or both; when either differs, the answer is 409 `price_changed` and nothing is charged. Publishes `purchase.completed`.',
    headers: { 'If-Match': 'The `ETag` of the listing that the buyer agreed to buy.' },
    body: purchaseRequest,
    optionalBody: true,
    answers: {
      200: {
        description: 'The listing was bought before; nothing was charged.',
        schema: COMPONENTS.Purchase,
      },
      201: { description: 'The purchase.', schema: COMPONENTS.Purchase },
    },
    errors: [400, 402, 404, 409],
  },
  'list-reviews': {
    tag: 'Market',
    query: pageQuery(),
    answers: { 200: { description: 'A page of reviews.', schema: COMPONENTS.ReviewPage } },
    errors: [400, 404],
  },
  'create-review': {
    tag: 'Market',
    description: 'Publishes `review.created`.',
    body: newReview,
    answers: { 201: { description: 'The review.', schema: COMPONENTS.Review } },
    errors: [400, 404, 409],
  },
  'list-releases': {
    tag: 'Market',
    query: pageQuery(),
    answers: { 200: { description: 'A page of releases.', schema: COMPONENTS.ReleasePage } },
    errors: [400, 404],
  },
  'create-release': {
    tag: 'Market',
    description: 'Makes the version the current one, and publishes `release.created`.',
    body: newRelease,
    answers: { 201: { description: 'The release.', schema: COMPONENTS.Release } },
    errors: [400, 403, 404, 409],
  },
  'rollback-release': {
    tag: 'Market',
    description: 'Publishes `release.rolled_back`.',
    answers: { 200: listing('The listing, with that version as the current one.') },
    errors: [403, 404, 409],
  },
  'list-categories': {
    tag: 'Market',
    query: categoriesQuery,
    answers: { 200: { description: 'A page of categories.', schema: COMPONENTS.CategoryPage } },
    errors: [400],
  },
  'search-listings': {
    tag: 'Market',
    description:
      'A word that matches no listing is matched with typing errors allowed. At most the first 1,000 results are served.',
    query: searchQuery,
    answers: listings,
    errors: [400],
  },
  'list-trending': {
    tag: 'Market',
    description: 'Ranked by recent installs; the weight of an install halves every quarter window.',
    query: trendingQuery,
    answers: listings,
    errors: [400],
  },
} as const satisfies Readonly<Record<string, Operation>>;
