/** Puts a wallet into shards at once, as load does over time. */

import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import { number, text } from '../../platform/dynamodb/attribute-values.ts';
import { emptyWallet } from '../../platform/dynamodb/empty-wallet.ts';
import { shardId } from '../store/wallet/item.ts';
import { WalletReads } from '../store/wallet/reads.ts';
import { WalletShards } from '../store/wallet/shard.ts';

/** Makes a further shard for each share and moves the share there; the first shard keeps the rest. */
export async function splitWallet(
  database: TestDatabase,
  accountId: string,
  shares: readonly NanoUsd[],
): Promise<void> {
  const { client, tables } = database;
  const reads = new WalletReads(client, tables.wallets);
  const writes = new WalletShards(database, tables.wallets);
  for (const [at, amount] of shares.entries()) {
    const walletId = shardId(accountId, at + 1);
    await client.send(new PutItemCommand({ TableName: tables.wallets, Item: emptyWallet(walletId) }));
    const shard = await reads.read(accountId);
    if (shard === undefined) throw new Error(`there is no account ${accountId}`);
    const isMoved = amount <= 0n || (await writes.move(walletId, [{ shard, amount }]));
    if (!isMoved) throw new Error('the wallet has less, or moves');
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
