/** Every wallet, page by page, for the sweep. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { readText, text } from '../../platform/dynamodb/attribute-values.ts';
import type { Wallet } from '../core/ports.ts';
import { accountOf, decodeShard, indexOf, toWallet } from './wallet/item.ts';

export interface WalletPage {
  /** Shards: an account may have several. */
  readonly wallets: readonly Wallet[];
  /** Accounts whose first shard is on this page, and whose wallet is stored in several. */
  readonly untidy: readonly string[];
  /** Continues after this page; undefined on the last one. */
  readonly next: string | undefined;
}

/**
 * One page of wallets with their open holds, after the wallet id that a page before ended with: 1 MB, some 3,000 wallets.
 * A hold that has expired was taken long ago, so the reading need not be consistent.
 */
export async function readWalletPage(
  client: DynamoDBClient,
  table: string,
  after?: string,
): Promise<WalletPage> {
  const { Items: items = [], LastEvaluatedKey: last } = await client.send(
    new ScanCommand({
      TableName: table,
      ...(after === undefined ? {} : { ExclusiveStartKey: { wallet_id: text(after) } }),
    }),
  );
  const shards = items.map(decodeShard);
  const firsts = shards.filter(({ walletId }) => indexOf(walletId) === 0);
  return {
    wallets: shards.map((shard) => toWallet(accountOf(shard.walletId), [shard])),
    untidy: firsts.filter(({ shards: count }) => count > 1).map(({ walletId }) => walletId),
    next: last === undefined ? undefined : readText(last, 'wallet_id'),
  };
}
