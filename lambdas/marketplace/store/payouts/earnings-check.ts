/** The audit's reads of sellers, and of the ledgers of their buyers. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { EarningsCheck } from '../../../ledger/core/audit/ports.ts';
import { decodeEntry, entryKey } from '../../../ledger/store/ledger-entry.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { type Item, readNumber, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { SALE_PREFIX } from '../../core/earnings/ports.ts';
import { earningsCheckOf } from '../../core/payouts/earnings-check.ts';
import { balanceKey, decodeBalance, decodeSale } from '../sales/sale-writes.ts';
import { PAYOUT_PREFIX } from './payout-hint.ts';
import { decodePayout } from './payout-item.ts';

/** Each further one means that a sale came between two readings milliseconds apart. */
const MAX_ATTEMPTS = 4;

export interface EarningsCheckOptions {
  readonly client: DynamoDBClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Creates the check of sellers on the tables that the environment names. */
export function createEarningsCheck({ client, environment }: EarningsCheckOptions): EarningsCheck {
  const market = requireTable(environment, 'market');
  const accounts = requireTable(environment, 'accounts');

  async function itemsOf(table: string, [key, account]: readonly [string, string], prefix: string) {
    const items: Item[] = [];
    const query = {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: '#account = :account AND begins_with(#item, :prefix)',
      ExpressionAttributeNames: { '#account': key, '#item': 'item' },
      ExpressionAttributeValues: { ':account': text(account), ':prefix': text(prefix) },
    };
    for await (const page of paginateQuery({ client }, query)) items.push(...(page.Items ?? []));
    return items;
  }

  async function readBalance(sellerId: string) {
    const item = (await readItem(client, { TableName: market, Key: balanceKey(sellerId) })) ?? {};
    const version = item.version === undefined ? 0 : readNumber(item, 'version');
    return { version, balance: decodeBalance(item) };
  }

  return earningsCheckOf({
    async read(sellerId) {
      let before = await readBalance(sellerId);
      // The first sale creates the balance.
      if (before.version === 0) return { ...before, sales: [], payouts: [] };
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const sales = await itemsOf(market, ['owner_id', sellerId], SALE_PREFIX);
        const payouts = await itemsOf(market, ['owner_id', sellerId], PAYOUT_PREFIX);
        const after = await readBalance(sellerId);
        if (after.version === before.version)
          return { ...after, sales: sales.map(decodeSale), payouts: payouts.map(decodePayout) };
        before = after;
      }
      return undefined;
    },
    async saleEntries({ buyerId, chargeId, returned }) {
      const key = entryKey(buyerId, 'purchase', chargeId);
      const purchase = await readItem(client, { TableName: accounts, Key: key });
      const refunds =
        returned === 0n
          ? []
          : await itemsOf(accounts, ['account_id', buyerId], `purchase_refund#${chargeId}#`);
      return { purchase: sumOf(purchase === undefined ? [] : [purchase]), refunded: sumOf(refunds) };
    },
  });
}

const sumOf = (entries: readonly Item[]) =>
  entries
    .map(decodeEntry)
    .reduce((sum, { amount, cash }) => ({ amount: sum.amount + amount, cash: sum.cash + cash }), {
      amount: 0n,
      cash: 0n,
    });
