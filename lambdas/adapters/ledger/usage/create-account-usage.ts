/** The usage of accounts, from the tables that the environment names. */
import { requireTable } from '../../../contract/tables.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { createCallFinder, createUsageStore } from '../usage-store.ts';
import { createAccountKeys } from './account-keys.ts';
import { createSumDependencies } from './sum-dependencies.ts';

/** The stores of usage sums. Throws an error that names a variable that is not set. */
export const createSums = ({ clients: { client }, environment }: AccountUsageOptions) =>
  createSumDependencies(client, {
    accounts: requireTable(environment, 'accounts'),
    keys: requireTable(environment, 'keys'),
    usage: requireTable(environment, 'usage'),
  });

export interface AccountUsageOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The keys and the calls of accounts. Throws an error that names a variable that is not set. */
export function createAccountCalls({ clients: { client }, environment }: AccountUsageOptions) {
  const table = requireTable(environment, 'usage');
  return {
    keys: createAccountKeys(client, {
      accounts: requireTable(environment, 'accounts'),
      keys: requireTable(environment, 'keys'),
    }),
    usage: { ...createUsageStore(client, table), ...createCallFinder(client, table) },
  };
}
