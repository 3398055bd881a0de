/** The grants of the operator's view, of the pages of the service, and of its watchers. */
import type { Grants } from '../platform/contract/grants.ts';
import { COUNTED_QUEUES } from '../platform/contract/queues.ts';

export const OPERATIONS_GRANTS = {
  'list-operator-accounts': {
    tables: { accounts: ['GetItem', 'BatchGetItem'], wallets: ['Scan', 'GetItem', 'BatchGetItem'] },
  },
  'get-operator-sales': { tables: { keys: ['Scan'], usage: ['Query'] } },
  'list-operator-routes': { tables: { catalog: ['GetItem'], circuits: ['Scan'] } },
  'get-operator-catalog': { tables: { catalog: ['GetItem'] } },
  'get-operator-audit': {},
  'list-dead-letters': { counts: COUNTED_QUEUES },
  'delete-operator-session': { tables: { sessions: ['GetItem', 'UpdateItem'] } },
  'get-health': { tables: { catalog: ['GetItem'] } },
  'get-docs': { serviceName: true },
  'get-docs-asset': {},
  'get-console': { serviceName: true, uploadOrigin: true },
  'get-console-asset': {},
  'watch-prices': { tables: { catalog: ['GetItem'] } },
  'run-smoke': { tables: { catalog: ['GetItem'] }, smokeAccess: true },
} as const satisfies Readonly<Record<string, Grants>>;
