/** The DynamoDB stores that usage sums are read from, made of and written to. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SumDependencies } from '../../../core/ledger/usage/account-sums.ts';
import { createAccountKeys } from './account-keys.ts';
import { createCallPages, createSumStore } from './sum-store.ts';

export const createSumDependencies = (
  client: DynamoDBClient,
  tables: { readonly accounts: string; readonly keys: string; readonly usage: string },
): SumDependencies => ({
  keys: createAccountKeys(client, tables),
  calls: createCallPages(client, tables.usage),
  store: createSumStore(client, tables.accounts),
});
