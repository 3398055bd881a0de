/** The ledger read in bulk: every wallet, page by page. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Wallet } from '../../core/ledger/ports.ts';
import { readText, text } from '../dynamodb/attribute-values.ts';
import { accountOf, decodePart, indexOf, toWallet } from './wallet/item.ts';

/** Wallets a page: each may take many reads to audit, and a page must fit into one invocation. */
const WALLETS_PER_PAGE = 25;

export interface WalletPage {
  /** Parts: an account may have several. */
  readonly wallets: readonly Wallet[];
  /** The accounts whose first item is on this page, so that each is on one page only. */
  readonly accounts: readonly string[];
  /** Of them, those whose wallet lies in parts, or in the layout of earlier versions. */
  readonly untidy: readonly string[];
  /** Continues after this page; undefined on the last one. */
  readonly next: string | undefined;
}

/** One page of wallets with their open holds, after the wallet id that a page before ended with. */
export async function readWalletPage(
  client: DynamoDBClient,
  table: string,
  after?: string,
): Promise<WalletPage> {
  const { Items: items = [], LastEvaluatedKey: last } = await client.send(
    new ScanCommand({
      TableName: table,
      ConsistentRead: true,
      Limit: WALLETS_PER_PAGE,
      ...(after === undefined ? {} : { ExclusiveStartKey: { wallet_id: text(after) } }),
    }),
  );
  const parts = items.map(decodePart);
  const firsts = parts.filter(({ walletId }) => indexOf(walletId) === 0);
  return {
    wallets: parts.map((part) => toWallet(accountOf(part.walletId), [part])),
    accounts: firsts.map(({ walletId }) => walletId),
    untidy: firsts
      .filter(({ parts: count, received }) => count > 1 || received === undefined)
      .map(({ walletId }) => walletId),
    next: last === undefined ? undefined : readText(last, 'wallet_id'),
  };
}
