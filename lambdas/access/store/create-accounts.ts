/** Accounts and their keys on DynamoDB, from the tables that the environment names. */

import { randomBytes } from 'node:crypto';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { systemClock, systemUlid } from '../../platform/system/system.ts';
import { Accounts } from '../core/accounts/accounts.ts';
import { type Peppers, SECRET_BYTES } from '../core/keys/api-key.ts';
import { KeyIssuer } from '../core/keys/key-issuer.ts';
import { DynamoAccountStore } from './accounts/account-store.ts';
import { DynamoKeyRegistry } from './keys/key-registry.ts';

export interface AccountsOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function createAccounts({ clients, environment }: AccountsOptions) {
  const tables = {
    accounts: requireTable(environment, 'accounts'),
    wallets: requireTable(environment, 'wallets'),
    identities: requireTable(environment, 'identities'),
  };
  const store = new DynamoAccountStore(clients.client, tables);
  return new Accounts({ store, clock: systemClock, ulid: systemUlid });
}

export function createKeyRegistry({ clients, environment }: AccountsOptions) {
  const tables = {
    accounts: requireTable(environment, 'accounts'),
    keys: requireTable(environment, 'keys'),
  };
  return new DynamoKeyRegistry(clients.client, tables, systemClock);
}

export interface KeyIssuerOptions extends AccountsOptions {
  readonly peppers: () => Promise<Peppers>;
}

export function createKeyIssuer({ peppers, ...options }: KeyIssuerOptions): KeyIssuer {
  return new KeyIssuer({
    registry: createKeyRegistry(options),
    peppers,
    clock: systemClock,
    ulid: systemUlid,
    randomHex: () => randomBytes(SECRET_BYTES).toString('hex'),
  });
}
