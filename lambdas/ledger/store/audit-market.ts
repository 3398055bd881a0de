/** The audit's reads of the market. It decodes items separately from the stores whose work it verifies. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import {
  type Item,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import {
  type AuditedPayout,
  type AuditedSale,
  type MarketReader,
  NO_SALES,
  type SellerBooks,
} from '../core/audit/seller-books.ts';

/** Each further one means that a sale came between two readings milliseconds apart. */
const MAX_ATTEMPTS = 4;

export interface MarketTables {
  readonly market: string;
  readonly accounts: string;
}

export function createMarketReader(client: DynamoDBClient, { market, accounts }: MarketTables): MarketReader {
  const itemsOf = async (table: string, [key, account]: readonly [string, string], prefix: string) => {
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
  };
  return {
    async sellerBooks(accountId) {
      const key = { owner_id: text(accountId), item: text('balance') };
      const read = async () => balanceOf((await readItem(client, { TableName: market, Key: key })) ?? {});
      let before = await read();
      // The first sale creates the balance.
      if (before.version === 0) return NO_SALES;
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const sales = await itemsOf(market, ['owner_id', accountId], 'sale#');
        const payouts = await itemsOf(market, ['owner_id', accountId], 'payout#');
        const after = await read();
        if (after.version === before.version)
          return { ...after, sales: sales.map(saleOf), payouts: payouts.map(payoutOf) };
        before = after;
      }
      return undefined;
    },
    async saleEntries({ buyerId, chargeId, returned }) {
      const key = { account_id: text(buyerId), item: text(`purchase#${chargeId}`) };
      const item = await readItem(client, { TableName: accounts, Key: key });
      const refunds =
        returned === 0n
          ? []
          : await itemsOf(accounts, ['account_id', buyerId], `purchase_refund#${chargeId}#`);
      const sum = (name: string) => refunds.reduce((total, each) => total + amountOf(each, name), 0n);
      return {
        purchase:
          item === undefined ? undefined : { amount: amountOf(item, 'amount'), cash: amountOf(item, 'cash') },
        refunded: { amount: sum('amount'), cash: sum('cash') },
      };
    },
  };
}

const amountOf = (item: Item, name: string): bigint =>
  item[name] === undefined ? 0n : readInteger(item, name);

const balanceOf = (item: Item): Omit<SellerBooks, 'sales' | 'payouts'> => ({
  version: Number(amountOf(item, 'version')),
  pending: amountOf(item, 'pending'),
  available: amountOf(item, 'available'),
  inTransit: amountOf(item, 'in_transit'),
  paidOut: amountOf(item, 'paid_out'),
  transferred: amountOf(item, 'transferred'),
  received: amountOf(item, 'received'),
  fees: amountOf(item, 'fees'),
});

const payoutOf = (item: Item): AuditedPayout => ({
  amount: readInteger(item, 'amount'),
  isPaid: item.paid_at !== undefined,
  hasEnded: item.ended !== undefined,
  isReturned: item.returned?.BOOL === true,
});

const saleOf = (item: Item): AuditedSale => ({
  chargeId: readText(item, 'item').slice('sale#'.length),
  buyerId: readText(item, 'buyer_id'),
  gross: readInteger(item, 'gross'),
  fee: readInteger(item, 'fee'),
  returned: readInteger(item, 'returned'),
  dueAt: readText(item, 'status') === 'pending' ? readNumber(item, 'due') : undefined,
  payable: item.payable?.BOOL === true,
  created: readNumber(item, 'created'),
});
