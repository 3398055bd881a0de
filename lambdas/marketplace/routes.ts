/** The routes of the market: the same rows for both kinds of listing, and discovery across them. */
import { keyOrOwner, open, operator, owner, type Route } from '../platform/contract/route.ts';

/** Paths below the collection; the same function serves both collections. */
const ROWS = [
  open('GET', 'list-listings', 'listings, newest first'),
  owner('POST', 'create-listing', 'make a listing'),
  open('GET /{id}', 'get-listing', 'one listing'),
  owner('PUT /{id}', 'update-listing', "change one's own listing"),
  owner('DELETE /{id}', 'delete-listing', "take one's own listing off the market"),
  owner('PUT', 'update-listing', "change one's own listing, with `id` in the query or the body", {
    idOutsidePath: true,
  }),
  owner('DELETE', 'delete-listing', 'take a listing off, with `id` in the query or the body', {
    idOutsidePath: true,
  }),
  owner('POST /{id}/install', 'install-listing', 'install a listing'),
  owner('POST /{id}/purchase', 'purchase-listing', "buy a listing out of one's credit"),
  owner('POST /{id}/subscribe', 'subscribe-listing', "subscribe to a plan of a listing out of one's credit"),
  keyOrOwner(
    'POST /{id}/entitlement-token',
    'create-entitlement-token',
    'a proof of the entitlement, for the product of a listing',
  ),
  open('GET /{id}/reviews', 'list-reviews', 'reviews of a listing, newest first'),
  owner('POST /{id}/reviews', 'create-review', 'review a listing, once per customer'),
  open('GET /{id}/releases', 'list-releases', 'releases of a listing, newest first'),
  owner('POST /{id}/releases', 'create-release', "release a version of one's own listing"),
  owner(
    'POST /{id}/releases/{version}/rollback',
    'rollback-release',
    'make an earlier release the current one again',
  ),
  owner('GET /{id}/releases/{version}/artifact', 'get-artifact', 'a download of the build of a release'),
  owner('GET /{id}/builds', 'list-builds', "builds of one's own listing, newest first"),
  owner('POST /{id}/builds', 'create-build', "upload a build of one's own listing"),
  owner('GET /{id}/builds/{build_id}', 'get-build', "one build of one's own listing, with its verdict"),
] as const satisfies readonly Route[];

export const MARKETPLACE_ROUTES = [
  ...ROWS.map((row) => ({ ...row, path: `/apps${row.path}`, purpose: `apps: ${row.purpose}` })),
  ...ROWS.map((row) => ({ ...row, path: `/ai-agents${row.path}`, purpose: `AI agents: ${row.purpose}` })),
  open('GET /categories', 'list-categories', 'categories of listings, with counts'),
  open('GET /search', 'search-listings', 'full-text search of listings, best match first'),
  open('GET /trending', 'list-trending', 'listings by recent installs, most first'),
  owner(
    'GET /api/v1/acquisitions',
    'list-acquisitions',
    'the listings that the account has installed or bought',
  ),
  owner(
    'GET /api/v1/subscriptions',
    'list-subscriptions',
    "the account's subscriptions, or those to one of its listings",
  ),
  owner('GET /api/v1/subscriptions/{id}', 'get-subscription', 'one subscription, with its charges'),
  owner(
    'PATCH /api/v1/subscriptions/{id}',
    'update-subscription',
    'change the plan, or end a subscription with its period',
  ),
  owner('DELETE /api/v1/subscriptions/{id}', 'cancel-subscription', 'end a subscription at once'),
  keyOrOwner(
    'GET /api/v1/entitlements',
    'list-entitlements',
    'whether the account may use listings, by a purchase or a subscription',
  ),
  open('GET /.well-known/jwks.json', 'get-jwks', 'the public keys of entitlement tokens'),
  owner('GET /api/v1/earnings', 'get-earnings', 'what the account has earned by sales of its listings'),
  owner(
    'GET /api/v1/earnings/transactions',
    'list-earnings-transactions',
    'sales, refunds and transfers of the account, newest first',
  ),
  owner(
    'POST /api/v1/earnings/transfer',
    'transfer-earnings',
    'make available earnings the account’s own credit',
  ),
  owner('POST /api/v1/refunds', 'create-refund', 'return all or part of a price to the buyer'),
  owner('POST /api/v1/payout-account', 'create-payout-account', 'set up where the account is paid'),
  owner('POST /api/v1/payouts', 'create-payout', 'pay available earnings to the bank'),
  owner('GET /api/v1/payouts', 'list-payouts', 'payouts of the account, newest first'),
  owner('GET /api/v1/payouts/{id}', 'get-payout', 'one payout, with its status'),
  owner('POST /api/v1/payouts/{id}/cancel', 'cancel-payout', 'cancel a payout that has not been sent'),
  operator(
    'GET /api/v1/operator/sellers',
    'list-operator-sellers',
    'every seller with its balance, held and returned sales, and payouts',
  ),
] as const satisfies readonly Route[];
