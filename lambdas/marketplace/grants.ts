/** The grants of the functions of the marketplace. */
import { WALLETS } from '../ledger/grants.ts';
import type { Grants } from '../platform/contract/grants.ts';

/** Reads the listing that a request is about. */
const listing = { listings: ['GetItem'] } as const;

/** A transaction on listings: what is put, and the listing that is changed with it. */
const writes = ['GetItem', 'PutItem', 'UpdateItem'] as const;

/** Tables that a store of earnings has the names of, and that the function does not access. */
const NAMED = { accounts: [], wallets: [], listings: [] } as const;

/** Adds credit that is no money, on the condition that the shards cover the payable money. */
const GRANTS_CREDIT = [...WALLETS, 'ConditionCheckItem'] as const;

/** Agrees to a plan, and charges it. */
const SUBSCRIBES = {
  tables: {
    listings: [...writes, 'ConditionCheckItem'],
    market: writes,
    accounts: ['PutItem'],
    wallets: WALLETS,
  },
  marketFee: true,
} as const;

export const MARKETPLACE_GRANTS = {
  'list-listings': {
    tables: { listings: ['BatchGetItem'] },
    indexes: [
      { table: 'listings', name: 'by-kind' },
      { table: 'listings', name: 'by-shelf' },
    ],
  },
  'get-listing': { tables: listing },
  'create-listing': { tables: { listings: ['PutItem', 'UpdateItem'] } },
  'update-listing': { tables: { listings: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] } },
  'delete-listing': { tables: { listings: ['GetItem', 'UpdateItem', 'DeleteItem'] } },
  'install-listing': { tables: { listings: writes, discovery: ['UpdateItem'] } },
  'purchase-listing': {
    tables: {
      listings: [...writes, 'ConditionCheckItem'],
      accounts: ['PutItem'],
      wallets: WALLETS,
      market: writes,
    },
    marketFee: true,
  },
  'subscribe-listing': SUBSCRIBES,
  'list-subscriptions': {
    tables: { market: ['Query', 'BatchGetItem'], ...NAMED },
    indexes: [{ table: 'market', name: 'by-listing' }],
  },
  'get-subscription': { tables: { market: ['GetItem', 'BatchGetItem'], ...NAMED, ...listing } },
  'update-subscription': SUBSCRIBES,
  'cancel-subscription': {
    tables: { listings: ['PutItem'], market: writes, accounts: [], wallets: [] },
    marketFee: true,
  },
  'list-entitlements': {
    tables: {
      listings: ['Query', 'BatchGetItem'],
      market: ['Query', 'BatchGetItem'],
      wallets: ['GetItem'],
    },
  },
  'create-entitlement-token': {
    tables: {
      listings: ['GetItem', 'BatchGetItem'],
      market: ['GetItem', 'BatchGetItem', 'PutItem'],
      wallets: ['GetItem'],
    },
    sessionKey: true,
  },
  'get-jwks': { tables: {}, sessionKey: true },
  'create-review': { tables: { listings: writes, market: ['GetItem'] } },
  'list-reviews': { tables: { listings: ['GetItem', 'Query'] } },
  'create-release': { tables: { listings: writes, market: ['GetItem', 'UpdateItem'] } },
  'create-build': {
    tables: { listings: ['GetItem'], market: ['PutItem', 'UpdateItem'] },
    builds: ['PutUpload'],
    buildScan: true,
  },
  'list-builds': { tables: { listings: ['GetItem'], market: ['Query'] } },
  'get-build': { tables: { listings: ['GetItem'], market: ['GetItem'] } },
  'get-artifact': {
    tables: {
      listings: ['GetItem', 'BatchGetItem'],
      market: ['GetItem', 'BatchGetItem'],
      wallets: ['GetItem'],
    },
    builds: ['GetArtifact'],
  },
  'record-scans': {
    tables: { listings: ['PutItem'], market: ['GetItem', 'PutItem', 'UpdateItem'] },
    builds: ['GetUpload', 'PutArtifact'],
    buildScan: true,
  },
  'list-releases': { tables: { listings: ['GetItem', 'Query'] } },
  'rollback-release': {
    tables: { listings: [...writes, 'ConditionCheckItem'], market: ['GetItem', 'ConditionCheckItem'] },
  },
  'get-earnings': {
    tables: { market: ['GetItem', 'Query', 'BatchGetItem'], ...NAMED },
    payoutProvider: true,
  },
  'create-payout-account': {
    tables: { market: ['GetItem', 'PutItem'], listings: [] },
    checkouts: true,
    payoutProvider: true,
  },
  'create-payout': { tables: { market: [...writes, 'Query'], listings: [] }, payouts: true },
  'list-payouts': { tables: { market: ['Query'], listings: [] } },
  'get-payout': { tables: { market: ['GetItem'], listings: [] } },
  'cancel-payout': { tables: { market: writes, listings: [] } },
  'list-operator-sellers': { tables: { market: ['Scan', 'Query'] } },
  'list-earnings-transactions': {
    tables: { market: ['Query', 'BatchGetItem'], ...NAMED, listings: ['BatchGetItem'] },
  },
  'transfer-earnings': {
    tables: {
      listings: [],
      market: writes,
      accounts: ['GetItem', 'PutItem'],
      wallets: WALLETS,
    },
  },
  'create-refund': {
    tables: {
      listings: [...writes, 'DeleteItem'],
      market: writes,
      accounts: ['GetItem', 'PutItem'],
      wallets: GRANTS_CREDIT,
    },
  },
  'process-due-items': {
    tables: {
      listings: [...writes, 'DeleteItem'],
      market: [...writes, 'Query'],
      accounts: ['Query', 'PutItem'],
      catalog: ['GetItem'],
      wallets: GRANTS_CREDIT,
    },
    builds: ['RequestScan', 'DeleteArtifact'],
    buildScan: true,
    indexes: [{ table: 'market', name: 'due' }],
    marketFee: true,
    payoutProvider: true,
  },
  'list-categories': { tables: { listings: ['Query'] } },
  'search-listings': { tables: { listings: ['BatchGetItem'], discovery: ['GetItem'] } },
  'list-trending': { tables: { listings: ['BatchGetItem'], discovery: ['GetItem'] } },
  'list-acquisitions': { tables: { listings: ['Query', 'BatchGetItem'] } },
  'follow-listings': {
    tables: {
      listings: ['GetItem', 'Query', 'BatchWriteItem'],
      discovery: ['PutItem', 'Query'],
    },
    follows: { table: 'listings', dead: 'deadChanges' },
    publishes: true,
  },
  'build-search-index': {
    tables: {
      listings: ['BatchGetItem'],
      discovery: ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
    },
    indexes: [{ table: 'listings', name: 'by-kind' }],
    follows: { table: 'listings', dead: 'deadChanges' },
  },
  'rank-trending': { tables: { discovery: ['Query', 'PutItem'] } },
} as const satisfies Readonly<Record<string, Grants>>;
