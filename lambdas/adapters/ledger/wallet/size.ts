/** How many parts a wallet may have: more when every place is taken, fewer when they have been idle. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { number, text } from '../../dynamodb/attribute-values.ts';
import { transact } from '../../dynamodb/transaction.ts';
import { updateItem } from '../../dynamodb/update-item.ts';
import { decodePart, MAX_PARTS, partId } from './item.ts';

/** Parts that one transaction takes out of the count: each is checked to be absent. */
const MAX_REMOVED = 90;

/**
 * Doubles the number of parts from what the caller knew; returns the number there is then, which another process may
 * have set, or undefined when there are as many as there may be. Throws when there is no such wallet.
 */
export async function growParts(
  client: DynamoDBClient,
  table: string,
  accountId: string,
  known: number,
): Promise<number | undefined> {
  if (known >= MAX_PARTS) return undefined;
  const { item } = await updateItem(client, {
    TableName: table,
    Key: { wallet_id: text(accountId) },
    UpdateExpression: 'SET parts = :more',
    ConditionExpression: `attribute_exists(received) AND (parts = :known${known === 1 ? ' OR attribute_not_exists(parts)' : ''})`,
    ExpressionAttributeValues: {
      ':more': number(Math.min(2 * known, MAX_PARTS)),
      ':known': number(known),
    },
    ReturnValues: 'ALL_NEW',
  });
  if (item === undefined) throw new Error(`there is no account ${accountId}`);
  return decodePart(item).parts;
}

/** Lowers the number of parts to what those that exist need, a step at a time; stops where a part is made meanwhile. */
export async function shrinkParts(
  client: DynamoDBClient,
  table: string,
  accountId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const keyOf = (walletId: string) => ({ TableName: table, Key: { wallet_id: text(walletId) } });
  for (let parts = from; parts > to; ) {
    const fewer = Math.max(to, parts - MAX_REMOVED);
    const removed = Array.from({ length: parts - fewer }, (_, at) => partId(accountId, fewer + at));
    const { done } = await transact(client, [
      {
        Update: {
          ...keyOf(accountId),
          UpdateExpression: 'SET parts = :fewer',
          ConditionExpression: 'parts = :parts',
          ExpressionAttributeValues: { ':fewer': number(fewer), ':parts': number(parts) },
        },
      },
      ...removed.map((walletId) => ({
        ConditionCheck: { ...keyOf(walletId), ConditionExpression: 'attribute_not_exists(wallet_id)' },
      })),
    ]);
    if (!done) return;
    parts = fewer;
  }
}

/** The least number of parts that counts every part that there is. */
export const partsNeeded = (indices: readonly number[]): number => Math.max(0, ...indices) + 1;
