/** Pages of all sellers, by a scan of the market for their balances and a query of each one's sales and payouts. */
import { type DynamoDBClient, paginateQuery, ScanCommand } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../../platform/contract/tables.ts';
import { type Item, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { SALE_PREFIX } from '../../core/earnings/ports.ts';
import {
  addPayout,
  addSale,
  NO_SALES_TOTALS,
  type PayoutTotals,
  type SellerSummaries,
  type SellerSummary,
} from '../../core/payouts/seller-summary.ts';
import { marketKey } from '../market-item.ts';
import { balanceKey, decodeSale } from '../sales/sale-writes.ts';
import { PAYOUT_PREFIX } from './payout-hint.ts';
import { decodePayout, decodeSeller } from './payout-item.ts';

/** Bounds the pages of 1 MB that are read: most items of the market are of no balance. */
const MAX_SCANS = 5;

/** Ends the range of the keys that begin with `sale#`: the next character after `#`. */
const END_OF_SALES = SALE_PREFIX.replace('#', '$');

export interface SellerSummariesOptions {
  readonly client: DynamoDBClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates the summaries. A page may have fewer sellers than requested, even if there are more. A change within the last
 * second may be missing, or counted in the sales of a seller and not in its balance.
 */
export function createSellerSummaries({ client, environment }: SellerSummariesOptions): SellerSummaries {
  const table = requireTable(environment, 'market');

  async function scan(after: string | undefined) {
    const [ownerId = '', item = ''] = after?.split(' ') ?? [];
    const { Items: balances = [], LastEvaluatedKey: last } = await client.send(
      new ScanCommand({
        TableName: table,
        FilterExpression: '#item = :balance',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':balance': balanceKey('').item ?? text('') },
        ...(after === undefined ? {} : { ExclusiveStartKey: marketKey(ownerId, item) }),
      }),
    );
    return { balances, next: last === undefined ? undefined : cursorOf(last) };
  }

  async function summaryOf(balance: Item): Promise<SellerSummary> {
    const sellerId = readText(balance, 'owner_id');
    let sales = NO_SALES_TOTALS;
    let payouts: PayoutTotals = new Map();
    const query = {
      TableName: table,
      KeyConditionExpression: 'owner_id = :seller AND #item BETWEEN :first AND :last',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: {
        ':seller': text(sellerId),
        ':first': text(PAYOUT_PREFIX),
        ':last': text(END_OF_SALES),
      },
    };
    for await (const { Items: items = [] } of paginateQuery({ client }, query))
      for (const item of items) {
        const name = readText(item, 'item');
        if (name.startsWith(SALE_PREFIX)) sales = addSale(sales, decodeSale(item));
        else if (name.startsWith(PAYOUT_PREFIX)) payouts = addPayout(payouts, decodePayout(item));
      }
    return { sellerId, state: decodeSeller(balance), sales, payouts };
  }

  return async ({ limit, after }) => {
    const balances: Item[] = [];
    let next = after;
    for (let scans = 0; scans < MAX_SCANS && balances.length < limit; scans += 1) {
      const page = await scan(next);
      balances.push(...page.balances);
      next = page.next;
      if (next === undefined) break;
    }
    const shown = balances.slice(0, limit);
    const last = shown.at(-1);
    return {
      entries: await Promise.all(shown.map(summaryOf)),
      next: balances.length > limit && last !== undefined ? cursorOf(last) : next,
    };
  };
}

const cursorOf = (key: Item): string => `${readText(key, 'owner_id')} ${readText(key, 'item')}`;
