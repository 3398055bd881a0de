/** The usage of accounts, from the tables that the environment names. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import type { RollupDependencies } from '../../core/usage/account-rollups.ts';
import { createUsageStore } from '../usage-store.ts';
import { createAccountKeys } from './account-keys.ts';
import { createCallPages, createRollupStore } from './rollup-store.ts';

export interface AccountUsageOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Returns the stores that usage rollups are read from, computed from and written to. */
export const rollupDependenciesOf = (
  client: DynamoDBClient,
  tables: { readonly accounts: string; readonly keys: string; readonly usage: string },
): RollupDependencies => ({
  keys: createAccountKeys(client, tables),
  calls: createCallPages(client, tables.usage),
  store: createRollupStore(client, tables.accounts),
});

const tablesOf = (environment: AccountUsageOptions['environment']) => ({
  accounts: requireTable(environment, 'accounts'),
  keys: requireTable(environment, 'keys'),
  usage: requireTable(environment, 'usage'),
});

/** Throws an error that names a variable that is not set. */
export const createRollups = ({ clients, environment }: AccountUsageOptions) =>
  rollupDependenciesOf(clients.client, tablesOf(environment));

/** The keys and the calls of accounts. Throws an error that names a variable that is not set. */
export function createAccountCalls({ clients: { client }, environment }: AccountUsageOptions) {
  const tables = tablesOf(environment);
  return { keys: createAccountKeys(client, tables), usage: createUsageStore(client, tables.usage) };
}
