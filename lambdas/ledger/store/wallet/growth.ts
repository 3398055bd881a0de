/** Creation of further shards of a wallet. Maintenance merges the shards that are no longer needed. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { number } from '../../../platform/dynamodb/attribute-values.ts';
import { emptyWallet } from '../../../platform/dynamodb/empty-wallet.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { MAX_SHARDS, shardId } from './item.ts';
import { WalletReads } from './reads.ts';
import { shardUpdate } from './update.ts';

/** The first growth of a wallet. */
const MIN_NEW_SHARDS = 3;

/** New shards get this fraction of an even share. The first one retains the rest, from which all others refill. */
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
  currentCount: number,
): Promise<number> {
  const reads = new WalletReads(client, table);
  const first = await reads.read(accountId);
  if (first === undefined) throw new Error(`there is no account ${accountId}`);
  const newCount = Math.min(Math.max(currentCount, MIN_NEW_SHARDS), MAX_SHARDS - currentCount);
  if (first.shards !== currentCount || newCount <= 0) return first.shards;
  const spare = first.debt === undefined ? first.balance : 0n;
  const share = spare / (SHARES * BigInt(currentCount + newCount));
  const transferAmount = share * BigInt(newCount);
  const isCounted = `shards = :known${currentCount === 1 ? ' OR attribute_not_exists(shards)' : ''}`;
  const { done } = await transact(client, [
    {
      Update: shardUpdate(table, accountId, {
        add: { balance: -transferAmount, received: -transferAmount, entries: 1n },
        set: { shards: number(currentCount + newCount) },
        ...(transferAmount === 0n ? {} : { minBalance: transferAmount, expected: { owed: undefined } }),
        conditions: [`(${isCounted})`],
        values: { ':known': number(currentCount) },
      }),
    },
    ...Array.from({ length: newCount }, (_, at) => ({
      Put: {
        TableName: table,
        Item: {
          ...emptyWallet(shardId(accountId, currentCount + at)),
          balance: number(share),
          received: number(share),
          entries: number(1),
        },
        ConditionExpression: 'attribute_not_exists(wallet_id)',
      },
    })),
  ]);
  return done ? currentCount + newCount : ((await reads.read(accountId))?.shards ?? currentCount);
}
