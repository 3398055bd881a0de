/** The grants of the functions of sign-in, sessions and API keys. */
import type { Grants } from '../platform/contract/grants.ts';

export const ACCESS_GRANTS = {
  'create-session': {
    tables: {
      accounts: ['GetItem', 'PutItem'],
      wallets: ['PutItem'],
      identities: ['GetItem', 'PutItem'],
      sessions: ['UpdateItem'],
    },
    sessionKey: true,
    identityProviders: true,
    identitySecret: true,
  },
  'list-identity-providers': { identityProviders: true },
  'renew-session': { tables: { sessions: ['GetItem', 'UpdateItem'] } },
  'delete-session': { tables: { sessions: ['GetItem', 'UpdateItem'] } },
  'get-account': { tables: { accounts: ['GetItem'] } },
  'create-key': { tables: { accounts: ['GetItem', 'UpdateItem'], keys: ['PutItem'] }, keyPepper: true },
  'list-keys': { tables: { accounts: ['GetItem', 'UpdateItem'], keys: ['BatchGetItem'] } },
  'update-key': { tables: { accounts: [], keys: ['GetItem', 'UpdateItem'] } },
  'delete-key': { tables: { accounts: ['UpdateItem'], keys: ['GetItem', 'UpdateItem'] } },
  'rotate-key': { tables: { accounts: [], keys: ['GetItem', 'UpdateItem'] }, keyPepper: true },
} as const satisfies Readonly<Record<string, Grants>>;
