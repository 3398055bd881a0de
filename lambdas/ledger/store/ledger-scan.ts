/** Every wallet, page by page, for the sweep. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../platform/contract/tables.ts';
import { readText, text } from '../../platform/dynamodb/attribute-values.ts';
import type { Wallet } from '../core/ports.ts';
import type { LedgerOptions } from './create-ledger.ts';
import { accountOf, decodeShard, indexOf, toWallet } from './wallet/item.ts';
import { WalletMaintenance } from './wallet/maintenance.ts';

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

/** Returns what reads wallets page by page, and what tidies one. Throws an error that names a variable that is not set. */
export function createWalletSweep({
  clients: { client },
  environment,
}: Pick<LedgerOptions, 'clients' | 'environment'>) {
  const table = requireTable(environment, 'wallets');
  const maintenance = new WalletMaintenance(client, table);
  return {
    pages: (after?: string) => readWalletPage(client, table, after),
    tidy: (accountId: string) => maintenance.tidy(accountId),
  };
}
