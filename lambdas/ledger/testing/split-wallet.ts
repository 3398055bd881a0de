/** Puts a wallet into shards at once, as load does over time. */

import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import { number, text } from '../../platform/dynamodb/attribute-values.ts';
import { emptyWallet } from '../../platform/dynamodb/empty-wallet.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import { shardId } from '../store/wallet/item.ts';
import { shardUpdate } from '../store/wallet/update.ts';

/** Makes a further shard for each share and moves the share there; the first shard keeps the rest. */
export async function splitWallet(
  database: TestDatabase,
  accountId: string,
  shares: readonly NanoUsd[],
): Promise<void> {
  const { client, tables } = database;
  for (const [at, amount] of shares.entries()) {
    const walletId = shardId(accountId, at + 1);
    await client.send(new PutItemCommand({ TableName: tables.wallets, Item: emptyWallet(walletId) }));
    if (amount > 0n) await moveCredit(database, { from: accountId, to: walletId, amount });
  }
  await client.send(
    new UpdateItemCommand({
      TableName: tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET shards = :shards',
      ExpressionAttributeValues: { ':shards': number(shares.length + 1) },
    }),
  );
}

/** Moves credit from one shard to another. */
export async function moveCredit(
  { client, tables }: TestDatabase,
  { from, to, amount }: { readonly from: string; readonly to: string; readonly amount: NanoUsd },
): Promise<void> {
  const changeBy = (by: NanoUsd) => ({ balance: by, received: by, entries: 1n });
  const { done } = await transact(client, [
    { Update: shardUpdate(tables.wallets, from, { add: changeBy(-amount), minBalance: amount }) },
    { Update: shardUpdate(tables.wallets, to, { add: changeBy(amount) }) },
  ]);
  if (!done) throw new Error('the wallet has less, or moves');
}
