/** Making further shards of a wallet. Upkeep merges those that are not needed any more. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { emptyWallet } from '../../../platform/dynamodb/empty-wallet.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { MAX_SHARDS, shardId } from './item.ts';
import { WalletReads } from './reads.ts';

/** Shards that one transaction makes; it has room for 100 items (API reference, TransactWriteItems). */
const MAX_MADE = 90;

/** The first growth of a wallet. */
const FEWEST_MADE = 3;

/** New shards get this share of an even spread. The first one keeps the rest, from which all others refill. */
const SHARES = 4n;

/**
 * Makes as many shards again as the caller knew, each with some credit from the first one, so that a hold on any of them
 * is one write. Returns the number of shards that there is then, which another process may have set. Where there are as
 * many as there may be, it makes none. Throws when there is no such wallet.
 */
export async function growShards(
  client: DynamoDBClient,
  table: string,
  accountId: string,
  known: number,
): Promise<number> {
  const reads = new WalletReads(client, table);
  const first = await reads.read(accountId);
  if (first === undefined) throw new Error(`there is no account ${accountId}`);
  const made = Math.min(Math.max(known, FEWEST_MADE), MAX_MADE, MAX_SHARDS - known);
  if (first.shards !== known || made <= 0) return first.shards;
  const spare = first.owed === undefined ? first.balance : 0n;
  const share = spare / (SHARES * BigInt(known + made));
  const given = share * BigInt(made);
  const isCounted = `shards = :known${known === 1 ? ' OR attribute_not_exists(shards)' : ''}`;
  const { done } = await transact(client, [
    {
      Update: {
        TableName: table,
        Key: { wallet_id: text(accountId) },
        UpdateExpression:
          'SET shards = :more, balance = balance - :given, received = received - :given, entries = if_not_exists(entries, :zero) + :one',
        ConditionExpression: `(${isCounted})${given === 0n ? '' : ` AND attribute_not_exists(owed) AND balance >= :given`}`,
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
          ...emptyWallet(shardId(accountId, known + at)),
          balance: number(share),
          received: number(share),
          entries: number(1),
        },
        ConditionExpression: 'attribute_not_exists(wallet_id)',
      },
    })),
  ]);
  return done ? known + made : ((await reads.read(accountId))?.shards ?? known);
}
