/** How many parts a wallet may have: more when every place is taken, fewer when they have been idle. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { number, text } from '../../dynamodb/attribute-values.ts';
import { transact } from '../../dynamodb/transaction.ts';
import { encodeNewWallet, MAX_PARTS, partId } from './item.ts';
import { WalletReads } from './reads.ts';

/** Parts that one transaction makes or takes out of the count; it has room for 100 items (API reference, TransactWriteItems). */
const MAX_PARTS_CHANGED = 90;

/** The first growth of a wallet. */
const FEWEST_MADE = 3;

/** Of what the first part can give, new parts get this share of an even spread: it is what all the others refill from. */
const SHARES = 4n;

/**
 * Makes as many parts again as the caller knew, each with some money from the first one, so that a hold on any of them is
 * one write. Returns the number of parts that there is then, which another process may have set, or undefined when there
 * are as many as there may be. Throws when there is no such wallet.
 */
export async function growParts(
  client: DynamoDBClient,
  table: string,
  accountId: string,
  known: number,
): Promise<number | undefined> {
  if (known >= MAX_PARTS) return undefined;
  const reads = new WalletReads(client, table);
  const first = await reads.read(accountId);
  if (first === undefined) throw new Error(`there is no account ${accountId}`);
  if (first.parts !== known) return first.parts;
  const made = Math.min(Math.max(known, FEWEST_MADE), MAX_PARTS_CHANGED, MAX_PARTS - known);
  const spare = first.owed === undefined ? first.balance : 0n;
  const share = spare / (SHARES * BigInt(known + made));
  const given = share * BigInt(made);
  const keyOf = (walletId: string) => ({ TableName: table, Key: { wallet_id: text(walletId) } });
  const counted = `parts = :known${known === 1 ? ' OR attribute_not_exists(parts)' : ''}`;
  const { done } = await transact(client, [
    {
      Update: {
        ...keyOf(accountId),
        UpdateExpression:
          'SET parts = :more, balance = balance - :given, received = received - :given, entries = if_not_exists(entries, :zero) + :one',
        ConditionExpression: `(${counted})${given === 0n ? '' : ` AND attribute_not_exists(owed) AND balance >= :given`}`,
        ExpressionAttributeValues: {
          ':more': number(known + made),
          ':known': number(known),
          ':given': number(given),
          ':zero': number(0),
          ':one': number(1),
        },
      },
    },
    ...Array.from({ length: made }, (_, at) => ({
      Put: {
        TableName: table,
        Item: {
          ...encodeNewWallet(partId(accountId, known + at)),
          balance: number(share),
          received: number(share),
          entries: number(1),
          used: number(first.used),
        },
        ConditionExpression: 'attribute_not_exists(wallet_id)',
      },
    })),
  ]);
  return done ? known + made : (await reads.read(accountId))?.parts;
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
    const fewer = Math.max(to, parts - MAX_PARTS_CHANGED);
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
