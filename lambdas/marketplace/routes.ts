/** The routes of the market: the same rows for both kinds of listing, and discovery across them. */
import { OPEN, OWNER, type Route } from '../platform/contract/route.ts';

/** Paths below the collection; the same function serves both collections. */
const ROWS = [
  { ...OPEN, method: 'GET', path: '', endpoint: 'list-listings', purpose: 'listings, newest first' },
  { ...OWNER, method: 'POST', path: '', endpoint: 'create-listing', purpose: 'make a listing' },
  { ...OPEN, method: 'GET', path: '/{id}', endpoint: 'get-listing', purpose: 'one listing' },
  { ...OWNER, method: 'PUT', path: '/{id}', endpoint: 'update-listing', purpose: "change one's own listing" },
  {
    ...OWNER,
    method: 'DELETE',
    path: '/{id}',
    endpoint: 'delete-listing',
    purpose: "take one's own listing off the market",
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/{id}/install',
    endpoint: 'install-listing',
    purpose: 'install a listing',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/{id}/purchase',
    endpoint: 'purchase-listing',
    purpose: "buy a listing out of one's credit",
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/{id}/reviews',
    endpoint: 'list-reviews',
    purpose: 'reviews of a listing, newest first',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/{id}/reviews',
    endpoint: 'create-review',
    purpose: 'review a listing, once per account',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/{id}/releases',
    endpoint: 'list-releases',
    purpose: 'releases of a listing, newest first',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/{id}/releases',
    endpoint: 'create-release',
    purpose: "release a version of one's own listing",
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/{id}/releases/{version}/rollback',
    endpoint: 'rollback-release',
    purpose: 'make an earlier release the current one again',
  },
] as const satisfies readonly Route[];

export const MARKETPLACE_ROUTES = [
  ...ROWS.map((row) => ({ ...row, path: `/apps${row.path}`, purpose: `apps: ${row.purpose}` })),
  ...ROWS.map((row) => ({ ...row, path: `/ai-agents${row.path}`, purpose: `AI agents: ${row.purpose}` })),
  {
    ...OPEN,
    method: 'GET',
    path: '/categories',
    endpoint: 'list-categories',
    purpose: 'categories of listings, with counts',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/search',
    endpoint: 'search-listings',
    purpose: 'full-text search of listings, best match first',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/trending',
    endpoint: 'list-trending',
    purpose: 'listings by recent installs, most first',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/acquisitions',
    endpoint: 'list-acquisitions',
    purpose: 'the listings that the account has installed or bought',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/earnings',
    endpoint: 'get-earnings',
    purpose: 'what the account has earned by sales of its listings',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/earnings/transactions',
    endpoint: 'list-earnings-transactions',
    purpose: 'sales, refunds and transfers of the account, newest first',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api/v1/earnings/transfer',
    endpoint: 'transfer-earnings',
    purpose: 'make available earnings the account’s own credit',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api/v1/refunds',
    endpoint: 'create-refund',
    purpose: 'return all or part of a price to the buyer',
  },
] as const satisfies readonly Route[];
