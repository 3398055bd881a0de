/** An account's own item, beside its top-ups in the same partition. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Item, text } from '../../platform/dynamodb/attribute-values.ts';
import { asNumber, asText, codec, optional } from '../../platform/dynamodb/codec.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import type { Account } from '../core/accounts.ts';

export const accountKey = (accountId: string): Item => ({
  account_id: text(accountId),
  item: text('account'),
});

/**
 * The time at which the account became an operator's, in seconds since the epoch. Without it the account has no access
 * to the operator's view.
 */
export const OPERATOR_SINCE = 'operator_since';

const ACCOUNT = codec<Account>({
  id: asText('account_id'),
  created: asNumber('created'),
  email: optional(asText('email')),
  operatorSince: optional(asNumber(OPERATOR_SINCE)),
});

export const encodeAccount = (account: Account): Item => ({
  ...accountKey(account.id),
  ...ACCOUNT.encode(account),
});

export const decodeAccount = (item: Item): Account => ACCOUNT.decode(item);

/** The account as the last write left it; undefined when there is none. */
export async function readAccount(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): Promise<Account | undefined> {
  const item = await readItem(client, { TableName: table, Key: accountKey(accountId) });
  return item === undefined ? undefined : decodeAccount(item);
}
