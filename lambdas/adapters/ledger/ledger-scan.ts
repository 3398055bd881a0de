/** The ledger read in bulk: every wallet page by page, and the books of one account. */
import {
  type DynamoDBClient,
  paginateQuery,
  type QueryCommandInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../contract/tables.ts';
import type { KeyState } from '../../core/access/key-state.ts';
import type { AuditReader } from '../../core/ledger/audit.ts';
import type { Wallet, WalletStore } from '../../core/ledger/ports.ts';
import { type Item, number, readInteger, readText, text } from '../dynamodb/attribute-values.ts';
import { decodeEntry, ENTRY_RANGE } from './book-entry.ts';
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
