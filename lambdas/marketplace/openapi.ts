/** The descriptions of the market: listings, actions on them and discovery. */

import { created, ok, tagged } from '../platform/contract/operation.ts';
import { pageQuery, pageSchema } from '../platform/core/api/paging.ts';
import { deletedSchema } from '../platform/core/api/response-schema.ts';
import { artifactSchema, buildSchema, buildsQuery, newBuild, uploadSchema } from './core/builds/build.ts';
import { searchQuery } from './core/discovery/search-query.ts';
import { trendingQuery } from './core/discovery/trending.ts';
import {
  installSchema,
  newRelease,
  newReview,
  purchaseRequest,
  purchaseSchema,
  releaseSchema,
  reviewSchema,
} from './core/listings/activity.ts';
import { listingChange, newListing } from './core/listings/fields.ts';
import { LISTING_KINDS, listingSchema } from './core/listings/listing.ts';
import { categoriesQuery, categorySchema, listingQuery } from './core/listings/queries.ts';
import { acquisitionSchema, acquisitionsQuery } from './core/purchases/acquisition.ts';
import { ETAGS, OPERATOR_SALES_OPERATIONS, SALES_COMPONENTS, SALES_OPERATIONS } from './openapi-of-sales.ts';

const IF_MATCH = {
  'If-Match': {
    pattern: ETAGS,
    description:
      'The `ETag` of the listing as it was read. If the listing has changed since, the response is 409 `conflict` and nothing changes. Installs and reviews do not change the tag.',
  },
};

/** A listing that is sold once, and by subscription. */
const LISTING = {
  name: 'Invoice reader',
  summary: 'Reads invoices into rows of a table.',
  category: 'productivity',
  price: { amount: 1999, currency: 'USD' },
  plans: [{ id: 'pro', name: 'Pro', interval: 'month', amount: 499, currency: 'USD' }],
  url: 'https://example.com/invoices',
};

export const MARKETPLACE_COMPONENTS = {
  ...SALES_COMPONENTS,
  Listing: listingSchema,
  ListingPage: pageSchema(listingSchema),
  Review: reviewSchema,
  ReviewPage: pageSchema(reviewSchema),
  Release: releaseSchema,
  ReleasePage: pageSchema(releaseSchema),
  Build: buildSchema,
  BuildPage: pageSchema(buildSchema),
  BuildUpload: uploadSchema,
  Artifact: artifactSchema,
  Acquisition: acquisitionSchema,
  AcquisitionPage: pageSchema(acquisitionSchema),
  Install: installSchema,
  Purchase: purchaseSchema,
  Category: categorySchema,
  CategoryPage: pageSchema(categorySchema),
};

const listings = ok('A page of listings.', MARKETPLACE_COMPONENTS.ListingPage);

const MARKET_OPERATIONS = tagged('Market', {
  ...SALES_OPERATIONS,
  'list-listings': { query: listingQuery, responses: listings },
  'create-listing': {
    body: newListing,
    example: LISTING,
    responses: created('The listing, with its `ETag`.', listingSchema),
    errors: [409],
  },
  'get-listing': { responses: ok('The listing, with its `ETag`.', listingSchema) },
  'update-listing': {
    description: 'Omitted fields keep their values; read-only fields are ignored.',
    headers: IF_MATCH,
    body: listingChange,
    example: { summary: 'Reads invoices and receipts into rows of a table.' },
    responses: ok('The listing after the change.', listingSchema),
    errors: [403, 409],
  },
  'delete-listing': {
    headers: IF_MATCH,
    responses: ok('The listing is deleted.', deletedSchema(...LISTING_KINDS)),
    errors: [403, 409],
  },
  'install-listing': {
    description: 'Publishes `listing.installed`, once.',
    responses: {
      ...ok('The listing was installed before.', installSchema),
      ...created('The listing is installed.', installSchema),
    },
  },
  'purchase-listing': {
    description:
      'Moves the price from the buyer’s credit to the owner’s pending earnings, less the platform’s fee, once per buyer until it is completely refunded. A free listing, or one of the buyer’s own, moves no credit. The request states the expected price as `amount`, the expected listing by `If-Match`, or both; when either differs, the answer is 409 `price_changed` and nothing is charged. A listing with plans and no price is 409 `subscription_only`, and one that the account subscribes to 409 `already_subscribed` without `while_subscribed`. Publishes `purchase.completed`.',
    headers: {
      'If-Match': { pattern: ETAGS, description: 'The `ETag` of the listing that the buyer agreed to buy.' },
    },
    body: purchaseRequest,
    example: LISTING.price,
    optionalBody: true,
    responses: {
      ...ok('The listing was bought before; nothing was charged.', purchaseSchema),
      ...created('The purchase.', purchaseSchema),
    },
    errors: [402, 409],
  },
  'list-reviews': {
    query: pageQuery(),
    responses: ok('A page of reviews.', MARKETPLACE_COMPONENTS.ReviewPage),
  },
  'create-review': {
    description:
      'For accounts that have bought the listing or subscribed to it, and for a free one, installed it; not for its owner (403 `not_customer`). Publishes `review.created`.',
    body: newReview,
    example: { rating: 5, text: 'It has read every invoice so far.' },
    responses: created('The review.', reviewSchema),
    errors: [403, 409],
  },
  'list-releases': {
    query: pageQuery(),
    responses: ok('A page of releases.', MARKETPLACE_COMPONENTS.ReleasePage),
  },
  'create-release': {
    description: 'Makes the version the current one, and publishes `release.created`.',
    body: newRelease,
    example: { version: '1.1.0', notes: 'Reads receipts, too.' },
    responses: created('The release.', releaseSchema),
    errors: [403, 409],
  },
  'rollback-release': {
    description:
      'Publishes `release.rolled_back`. A version whose build is not clean any more cannot be current again.',
    responses: ok('The listing, with that version as the current one.', listingSchema),
    errors: [403, 409],
  },
  'get-artifact': {
    description:
      'For the owner, for buyers and subscribers, and for everyone if the listing is free. A build that a later scan finds infected is 403 `build_quarantined`.',
    responses: ok('A download that is valid for five minutes.', artifactSchema),
    errors: [403],
  },
  'create-build': {
    description:
      'Signs the upload of a zip of at most 50 MB: a `PUT` of exactly these bytes, once, within 15 minutes. Then the build is inspected and scanned for malware, and `app.build.scanned` is published. A clean build expires after 30 days without a release.',
    body: newBuild,
    example: { filename: 'app.zip', size: 1024, sha256: '0123456789abcdef'.repeat(4) },
    responses: created('The build, with its upload.', uploadSchema),
    errors: [403],
  },
  'list-builds': {
    query: buildsQuery,
    responses: ok('A page of builds.', MARKETPLACE_COMPONENTS.BuildPage),
    errors: [403],
  },
  'get-build': {
    responses: ok('The build.', buildSchema),
    errors: [403],
  },
  'list-categories': {
    query: categoriesQuery,
    responses: ok('A page of categories.', MARKETPLACE_COMPONENTS.CategoryPage),
  },
  'search-listings': {
    description:
      'A word that matches no listing is matched with typing errors allowed. At most the first 1,000 results are served.',
    query: searchQuery,
    responses: listings,
  },
  'list-acquisitions': {
    query: acquisitionsQuery,
    responses: ok(
      'A page of what the account has installed or bought, the newest listings first.',
      MARKETPLACE_COMPONENTS.AcquisitionPage,
    ),
  },
  'list-trending': {
    description: 'Ranked by recent installs; the weight of an install halves every quarter window.',
    query: trendingQuery,
    responses: listings,
  },
});

export const MARKETPLACE_OPERATIONS = {
  ...MARKET_OPERATIONS,
  ...tagged('Operator', OPERATOR_SALES_OPERATIONS),
};
