/** The grants of the functions of credit and usage, and those of every function that moves money. */
import type { Grants } from '../platform/contract/grants.ts';

/** The actions of a function that moves money in a wallet, whose shards grow with its load. */
export const WALLETS = ['GetItem', 'BatchGetItem', 'UpdateItem'] as const;

/** The actions of a function that places holds, which adds shards. */
export const HOLDS = [...WALLETS, 'PutItem'] as const;

/** The additional actions of a process that has leases: it writes records in batches. */
export const LEASE_GRANTS = { tables: { usage: ['BatchWriteItem'] } } as const satisfies Grants;

/** The keys that an account has or had, for its owner. */
const ACCOUNT_USAGE = {
  tables: { accounts: ['GetItem'], keys: [] },
  indexes: [{ table: 'keys', name: 'by-account' }],
} as const satisfies Grants;

/** The names of keys, also of those that are revoked. */
const KEY_NAMES = { keys: ['BatchGetItem'] } as const;

/** The same, with their calls. */
const CALLS = {
  ...ACCOUNT_USAGE,
  tables: { ...ACCOUNT_USAGE.tables, usage: ['Query'] },
} as const satisfies Grants;

/** The same, with the usage rollups, which each reading brings up to date. */
const ROLLUPS = {
  ...ACCOUNT_USAGE,
  tables: { accounts: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], keys: [], usage: ['Query'] },
} as const satisfies Grants;

export const LEDGER_GRANTS = {
  'list-usage': CALLS,
  'get-usage': { ...CALLS, tables: { ...CALLS.tables, usage: ['BatchGetItem'] } },
  'get-credits': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: WALLETS, usage: ['GetItem', 'PutItem'] },
    holds: true,
  },
  'get-balance': {
    tables: { accounts: ['GetItem', 'Query'], keys: [], wallets: WALLETS, usage: ['PutItem'] },
    holds: true,
  },
  'get-alerts': { tables: { accounts: ['GetItem', 'Query'], wallets: ['GetItem', 'BatchGetItem'] } },
  'update-alerts': {
    tables: { accounts: ['GetItem', 'Query', 'UpdateItem'], wallets: ['GetItem', 'BatchGetItem'] },
  },
  'list-account-usage': { ...CALLS, tables: { ...CALLS.tables, ...KEY_NAMES } },
  'list-usage-rollups': ROLLUPS,
  'list-organization-usage': ROLLUPS,
  'list-organization-costs': ROLLUPS,
  'get-account-usage': {
    ...ACCOUNT_USAGE,
    tables: { ...ACCOUNT_USAGE.tables, ...KEY_NAMES, usage: ['BatchGetItem'] },
  },
  'sweep-holds': {
    tables: {
      accounts: ['GetItem', 'Query', 'UpdateItem'],
      keys: ['GetItem', 'UpdateItem'],
      wallets: [...WALLETS, 'Scan', 'DeleteItem'],
      usage: ['PutItem', 'Query'],
    },
    holds: true,
    publishes: true,
  },
  'audit-books': {
    tables: {
      accounts: ['Query', 'GetItem', 'PutItem', 'UpdateItem'],
      market: ['GetItem', 'Query'],
      keys: ['GetItem', 'UpdateItem'],
      wallets: ['Scan', 'GetItem', 'BatchGetItem', 'UpdateItem'],
      usage: ['Query', 'BatchGetItem'],
    },
    indexes: [{ table: 'keys', name: 'by-account' }],
  },
} as const satisfies Readonly<Record<string, Grants>>;
