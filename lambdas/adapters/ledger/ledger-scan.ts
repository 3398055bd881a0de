/** The ledger read in bulk: every wallet page by page, and the books of one account. */
import {
  type DynamoDBClient,
  paginateQuery,
  type QueryCommandInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../contract/tables.ts';
import type { AuditReader } from '../../core/ledger/audit.ts';
import type { Wallet, WalletStore } from '../../core/ledger/ports.ts';
import { type Item, readInteger, readText, text } from '../dynamodb/attribute-values.ts';
import { decodeEntry, ENTRY_RANGE } from './book-entry.ts';
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

export interface AuditTables {
  readonly accounts: string;
  readonly keys: string;
  readonly usage: string;
}

export function createAuditReader(
  client: DynamoDBClient,
  wallets: WalletStore,
  tables: AuditTables,
): AuditReader {
  async function* query(input: QueryCommandInput): AsyncGenerator<Item, void> {
    for await (const page of paginateQuery({ client }, input)) yield* page.Items ?? [];
  }

  /** The keys of an account, from an index that a key enters within moments of its making. */
  async function* keyIds(accountId: string): AsyncGenerator<string, void> {
    const rows = query({
      TableName: tables.keys,
      IndexName: TABLES.keys.indexes[0].name,
      KeyConditionExpression: 'account_id = :account',
      ExpressionAttributeValues: { ':account': text(accountId) },
    });
    for await (const item of rows) yield readText(item, 'key_id');
  }

  return {
    wallet: (accountId) => wallets.read(accountId),
    async *entries(accountId) {
      const rows = query({
        TableName: tables.accounts,
        ConsistentRead: true,
        KeyConditionExpression: 'account_id = :account AND #item BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ...ENTRY_RANGE },
      });
      for await (const item of rows) yield decodeEntry(item);
    },
    async *usage(accountId) {
      for await (const keyId of keyIds(accountId)) {
        const rows = query({
          TableName: tables.usage,
          ConsistentRead: true,
          KeyConditionExpression: 'key_id = :key',
          ProjectionExpression: 'request_id, cost, written_off',
          ExpressionAttributeValues: { ':key': text(keyId) },
        });
        for await (const item of rows) {
          yield {
            id: readText(item, 'request_id'),
            cost: readInteger(item, 'cost'),
            writtenOff: readInteger(item, 'written_off'),
          };
        }
      }
    },
  };
}
