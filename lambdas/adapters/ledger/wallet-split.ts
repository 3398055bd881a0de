/** Splitting a hot account's wallet into several items, and putting it together again, while calls go on. */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { optimistically } from '../../core/optimistic.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { number } from '../dynamodb/attribute-values.ts';
import { putItem } from '../dynamodb/update-item.ts';
import { decodeShardCount, decodeWallet, encodeNewWallet, shardId } from './wallet-item.ts';
import { WalletShards } from './wallet-shard.ts';
import { WalletTransfers } from './wallet-transfer.ts';

/** A move finds the balance changed when calls go on; each try reads it anew. */
const MAX_MOVES = 50;

/**
 * From now on, new holds go to `active` items. Items that are no longer used give their balance to the first one; a
 * hold that is still open in one returns to it, where reads and later holds find it. Throws when there is no account.
 */
export async function setShardCount(
  clients: DynamoClients,
  table: string,
  accountId: string,
  active: number,
): Promise<void> {
  const { client } = clients;
  const shards = new WalletShards(clients, table);
  const first = await shards.read(accountId);
  if (first === undefined) throw new Error(`there is no account ${accountId}`);
  const before = decodeShardCount(first);
  for (let index = 1; index < active; index += 1) {
    const condition = 'attribute_not_exists(wallet_id)';
    const item = encodeNewWallet(shardId(accountId, index));
    await putItem(client, { TableName: table, Item: item, ConditionExpression: condition });
  }
  await client.send(
    new UpdateItemCommand({
      ...shards.key(accountId),
      UpdateExpression: 'SET shards = :active, shards_made = :made',
      ConditionExpression: 'attribute_exists(wallet_id)',
      ExpressionAttributeValues: {
        ':active': number(active),
        ':made': number(Math.max(active, before.made)),
      },
    }),
  );
  for (let index = active; index < before.made; index += 1) {
    await empty(shards, new WalletTransfers(client, shards), shardId(accountId, index), accountId);
  }
}

async function empty(
  shards: WalletShards,
  transfers: WalletTransfers,
  walletId: string,
  into: string,
): Promise<void> {
  await optimistically(MAX_MOVES, `the wallet ${walletId}`, async () => {
    const item = await shards.read(walletId);
    const amount = item === undefined ? 0n : decodeWallet(item).balance;
    if (amount === 0n) return 'empty';
    await transfers.move({ walletId, amount }, into);
    return undefined;
  });
}
