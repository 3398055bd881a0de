/** The item of an account, in the same partition as its top-ups. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../../platform/contract/tables.ts';
import {
  type Item,
  number,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import type { Account } from '../../core/accounts/accounts.ts';

export const accountKey = (accountId: string): Item => ({
  account_id: text(accountId),
  item: text('account'),
});

export const encodeAccount = ({ id, email, created }: Account): Item => ({
  ...accountKey(id),
  created: number(created),
  ...(email === undefined ? {} : { email: text(email) }),
});

/**
 * The time at which the account became an operator's, in seconds since the epoch. Without it the account has no access
 * to the operator's view.
 */
export const OPERATOR_SINCE = TABLES.accounts.operatorsAttribute;

export function decodeAccount(item: Item): Account {
  const email = item.email?.S;
  return {
    id: readText(item, 'account_id'),
    created: readNumber(item, 'created'),
    ...(email === undefined ? {} : { email }),
    ...(item[OPERATOR_SINCE] === undefined ? {} : { operatorSince: readNumber(item, OPERATOR_SINCE) }),
  };
}

/** The account as the last write left it; undefined when there is none. */
export async function readAccount(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): Promise<Account | undefined> {
  const item = await readItem(client, { TableName: table, Key: accountKey(accountId) });
  return item === undefined ? undefined : decodeAccount(item);
}
