/** The whole ledger, page by page. */
import { type DynamoDBClient, paginateScan, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import type { LedgerScan } from '../core/ledger/audit.ts';
import type { Wallet } from '../core/ledger/ports.ts';
import { type Item, readInteger, readText, text } from './attribute-values.ts';
import { decodeWallet } from './wallet-store.ts';

export interface ScanTables {
  readonly accounts: string;
  readonly wallets: string;
  readonly usage: string;
}

async function* items(client: DynamoDBClient, input: ScanCommandInput): AsyncGenerator<Item, void> {
  for await (const page of paginateScan({ client }, { ...input, ConsistentRead: true }))
    yield* page.Items ?? [];
}

/** Every wallet with its open holds. */
export async function* scanWallets(client: DynamoDBClient, table: string): AsyncGenerator<Wallet, void> {
  for await (const item of items(client, { TableName: table }))
    yield decodeWallet(readText(item, 'wallet_id'), item);
}

export function createLedgerScan(client: DynamoDBClient, tables: ScanTables): LedgerScan {
  return {
    async *topUps() {
      const input = {
        TableName: tables.accounts,
        FilterExpression: 'begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':prefix': text('top_up#') },
      };
      for await (const item of items(client, input)) yield readInteger(item, 'amount');
    },
    async *wallets() {
      for await (const { balance, holds } of scanWallets(client, tables.wallets)) {
        yield { balance, held: holds.reduce((sum, hold) => sum + hold.amount, 0n) };
      }
    },
    async *usage(accountId) {
      const filter =
        accountId === undefined
          ? {}
          : {
              FilterExpression: 'account_id = :account',
              ExpressionAttributeValues: { ':account': text(accountId) },
            };
      for await (const item of items(client, { TableName: tables.usage, ...filter })) {
        yield { cost: readInteger(item, 'cost'), writtenOff: readInteger(item, 'written_off') };
      }
    },
  };
}
