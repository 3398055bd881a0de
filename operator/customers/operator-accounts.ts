/** The accounts that may sign in as operators: an attribute of the account's item. */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Account } from '../../lambdas/access/core/accounts/accounts.ts';
import {
  accountKey,
  decodeAccount,
  OPERATOR_SINCE,
} from '../../lambdas/access/store/accounts/account-item.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { number, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { updateItem } from '../../lambdas/platform/dynamodb/update-item.ts';

export interface OperatorAccounts {
  /** Marks an account as an operator's, unless it is already marked. Throws if there is no such account. */
  add(accountId: string): Promise<void>;
  /**
   * Removes the mark: the account's next request to the operator's view is rejected. Throws if there is no such
   * account.
   */
  remove(accountId: string): Promise<void>;
  /** Returns every marked account, by a read of the complete table of accounts. */
  list(): Promise<readonly Account[]>;
}

export function createOperatorAccounts(
  client: DynamoDBClient,
  table: string,
  clock: Clock,
): OperatorAccounts {
  async function change(accountId: string, update: object): Promise<void> {
    const { applied } = await updateItem(client, {
      TableName: table,
      Key: accountKey(accountId),
      ConditionExpression: 'attribute_exists(account_id)',
      ...update,
    });
    if (!applied) throw new Error(`there is no account ${accountId}`);
  }

  return {
    add: (accountId) =>
      change(accountId, {
        UpdateExpression: `SET ${OPERATOR_SINCE} = if_not_exists(${OPERATOR_SINCE}, :now)`,
        ExpressionAttributeValues: { ':now': number(Math.floor(clock() / 1000)) },
      }),
    remove: (accountId) => change(accountId, { UpdateExpression: `REMOVE ${OPERATOR_SINCE}` }),
    list: () => scanAccounts(client, table, OPERATOR_SINCE),
  };
}

/** Returns the accounts that have an attribute, by a read of the complete table of accounts. */
export async function scanAccounts(
  client: DynamoDBClient,
  table: string,
  attribute: string,
): Promise<readonly Account[]> {
  const accounts: Account[] = [];
  const pages = paginateScan(
    { client },
    {
      TableName: table,
      FilterExpression: '#item = :account AND attribute_exists(#attribute)',
      ExpressionAttributeNames: { '#item': 'item', '#attribute': attribute },
      ExpressionAttributeValues: { ':account': text('account') },
    },
  );
  for await (const { Items: items = [] } of pages) accounts.push(...items.map(decodeAccount));
  return accounts;
}
