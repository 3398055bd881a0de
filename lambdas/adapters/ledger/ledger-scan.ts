/** The ledger read in bulk: every wallet and every key, page by page. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { KeyState } from '../../core/access/key-state.ts';
import type { Wallet } from '../../core/ledger/ports.ts';
import { number, readText, text } from '../dynamodb/attribute-values.ts';
import { decodeKey } from './key-item.ts';
import { accountOf, decodeWallet } from './wallet-item.ts';

/** Wallets a page: each may take many reads to audit, and a page must fit into one invocation. */
const WALLETS_PER_PAGE = 25;

export interface WalletPage {
  /** Items: an account with a split wallet has several. */
  readonly wallets: readonly Wallet[];
  /** The accounts whose first item is on this page, so that each is on one page only. */
  readonly accounts: readonly string[];
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
  return {
    wallets: items.map((item) => decodeWallet(item)),
    accounts: items.map((item) => readText(item, 'wallet_id')).filter((id) => accountOf(id) === id),
    next: last === undefined ? undefined : readText(last, 'wallet_id'),
  };
}

export interface KeyPage {
  readonly keys: readonly KeyState[];
  readonly next: string | undefined;
}

/** One page of keys that have open charges, after the key that a page before ended with. */
export async function readKeyPage(client: DynamoDBClient, table: string, after?: string): Promise<KeyPage> {
  const { Items: items = [], LastEvaluatedKey: last } = await client.send(
    new ScanCommand({
      TableName: table,
      ConsistentRead: true,
      FilterExpression: 'size(charges) > :none',
      ExpressionAttributeValues: { ':none': number(0) },
      ...(after === undefined ? {} : { ExclusiveStartKey: { key_id: text(after) } }),
    }),
  );
  return { keys: items.map(decodeKey), next: last === undefined ? undefined : readText(last, 'key_id') };
}
