/** An account's own item, beside its top-ups in the same partition. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Account } from '../../core/access/accounts.ts';
import { type Item, number, readNumber, text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';

export const accountKey = (accountId: string): Item => ({
  account_id: text(accountId),
  item: text('account'),
});

export const encodeAccount = ({ id, email, created }: Account): Item => ({
  ...accountKey(id),
  created: number(created),
  ...(email === undefined ? {} : { email: text(email) }),
});

export async function readAccount(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): Promise<Account | undefined> {
  const item = await readItem(client, { TableName: table, Key: accountKey(accountId) });
  if (item === undefined) return undefined;
  const email = item.email?.S;
  return { id: accountId, created: readNumber(item, 'created'), ...(email === undefined ? {} : { email }) };
}
