/** The grants of the functions of payment orders. */
import { WALLETS } from '../ledger/grants.ts';
import type { Grants } from '../platform/contract/grants.ts';

export const PAYMENT_GRANTS = {
  'create-order': {
    tables: { accounts: ['GetItem', 'UpdateItem'], wallets: [] },
    payments: true,
    checkouts: true,
  },
  'list-orders': { tables: { accounts: ['Query'], wallets: [] } },
  'get-order': { tables: { accounts: ['GetItem'], wallets: [] } },
  'receive-payment-event': {
    tables: { accounts: ['GetItem', 'PutItem', 'UpdateItem'], wallets: WALLETS, market: ['UpdateItem'] },
    payments: true,
    checkouts: true,
    payouts: true,
  },
  // Orders that nobody was paid for are found in no index.
  'reconcile-payments': {
    tables: {
      accounts: ['GetItem', 'PutItem', 'UpdateItem', 'Scan'],
      catalog: ['GetItem'],
      wallets: WALLETS,
    },
    payments: true,
  },
} as const satisfies Readonly<Record<string, Grants>>;
