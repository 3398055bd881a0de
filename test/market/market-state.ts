/** Everything that the tables of a history have, read table by table after a write has changed it. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { LedgerEntry } from '../../lambdas/ledger/core/ledger-entry.ts';
import { decodeEntry } from '../../lambdas/ledger/store/ledger-entry.ts';
import { decodeShard, type Shard } from '../../lambdas/ledger/store/wallet/item.ts';
import { BUILD_PREFIX, type Build } from '../../lambdas/marketplace/core/builds/build.ts';
import { SALE_PREFIX } from '../../lambdas/marketplace/core/earnings/ports.ts';
import type { Sale, SellerBalance } from '../../lambdas/marketplace/core/earnings/sale.ts';
import type { Payout } from '../../lambdas/marketplace/core/payouts/payout.ts';
import { SUBSCRIPTION_PREFIX } from '../../lambdas/marketplace/core/subscriptions/due.ts';
import type { PlanSubscription } from '../../lambdas/marketplace/core/subscriptions/subscription.ts';
import { decodeBuild } from '../../lambdas/marketplace/store/builds/build-store.ts';
import { decodeEvent, EVENT_PREFIX } from '../../lambdas/marketplace/store/listings/listing-item.ts';
import { PAYOUT_PREFIX } from '../../lambdas/marketplace/store/payouts/payout-hint.ts';
import { decodePayout } from '../../lambdas/marketplace/store/payouts/payout-item.ts';
import { decodeBalance, decodeSale } from '../../lambdas/marketplace/store/sales/sale-writes.ts';
import { decodeSubscription } from '../../lambdas/marketplace/store/subscriptions/subscription-item.ts';
import type { MarketDatabase } from '../../lambdas/marketplace/testing/market-world.ts';
import type { Order } from '../../lambdas/payments/core/order.ts';
import { decodeOrder } from '../../lambdas/payments/store/order-store.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { type Item, readNumber, readText } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { writeBatches } from '../../lambdas/platform/dynamodb/write-batches.ts';
import type { PublishedEvent } from '../../lambdas/webhooks/core/event.ts';

export interface StoredBalance extends SellerBalance {
  readonly sellerId: string;
  readonly openPayouts: number;
}

interface StoredEntry extends Pick<LedgerEntry, 'kind' | 'id' | 'amount' | 'cash'> {
  readonly accountId: string;
}

export interface MarketState {
  readonly balances: readonly StoredBalance[];
  readonly sales: readonly Sale[];
  readonly payouts: readonly Payout[];
  readonly subscriptions: readonly PlanSubscription[];
  readonly builds: readonly Build[];
  readonly entries: readonly StoredEntry[];
  readonly orders: readonly Order[];
  readonly wallets: readonly Shard[];
  readonly events: readonly PublishedEvent[];
}

const READ_TABLES = ['market', 'accounts', 'wallets', 'listings'] as const;
type ReadTable = (typeof READ_TABLES)[number];

/** The tables of calls, besides the wallets. */
const CALL_TABLES = ['usage', 'keys'] as const;

const LEDGER_ITEM = /^(top_up|refund|purchase|purchase_refund|transfer)#/;

function decodeStoredEntry(item: Item): StoredEntry {
  const [, id = ''] = /^\w+#(.*)$/.exec(readText(item, 'item')) ?? [];
  return { ...decodeEntry(item), accountId: readText(item, 'account_id'), id };
}

const decodeStoredBalance = (item: Item): StoredBalance => ({
  ...decodeBalance(item),
  sellerId: readText(item, 'owner_id'),
  openPayouts: item.open_payouts === undefined ? 0 : readNumber(item, 'open_payouts'),
});

export class MarketReading {
  readonly #database: MarketDatabase;
  readonly #items = new Map<ReadTable, readonly Item[]>();

  constructor(database: MarketDatabase) {
    this.#database = database;
  }

  /** Has the next reading read a table again. */
  forget(table: string): void {
    for (const name of READ_TABLES) if (this.#database.tables[name] === table) this.#items.delete(name);
  }

  async read(): Promise<MarketState> {
    const [market, accounts, wallets, listings] = await Promise.all(
      READ_TABLES.map((name) => this.#itemsOf(name)),
    );
    const named =
      (items: readonly Item[] = []) =>
      <T>(prefix: string | RegExp, decode: (item: Item) => T): readonly T[] =>
        items
          .filter((item) => {
            const name = item.item?.S ?? '';
            return typeof prefix === 'string' ? name.startsWith(prefix) : prefix.test(name);
          })
          .map(decode);
    return {
      balances: named(market)(/^balance$/, decodeStoredBalance),
      sales: named(market)(SALE_PREFIX, decodeSale),
      payouts: named(market)(PAYOUT_PREFIX, decodePayout),
      subscriptions: named(market)(SUBSCRIPTION_PREFIX, decodeSubscription),
      builds: named(market)(BUILD_PREFIX, decodeBuild),
      entries: named(accounts)(LEDGER_ITEM, decodeStoredEntry),
      orders: named(accounts)('order#', decodeOrder),
      wallets: (wallets ?? []).map(decodeShard),
      events: named(listings)(EVENT_PREFIX, decodeEvent),
    };
  }

  async #itemsOf(name: ReadTable): Promise<readonly Item[]> {
    const known = this.#items.get(name);
    if (known !== undefined) return known;
    const items = await this.#scan(name);
    this.#items.set(name, items);
    return items;
  }

  async #scan(name: ReadTable | (typeof CALL_TABLES)[number]): Promise<readonly Item[]> {
    const { client, tables } = this.#database;
    const items: Item[] = [];
    const scan = { TableName: tables[name], ConsistentRead: true };
    for await (const { Items: page = [] } of paginateScan({ client }, scan)) items.push(...page);
    // A history draws among them: their order is that of their keys.
    const nameOf = ({ item, ...key }: Item) => `${item?.S} ${key.owner_id?.S ?? key.account_id?.S}`;
    return items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  /** Empties the tables for the next history. */
  async clear(): Promise<void> {
    const { client, tables } = this.#database;
    for (const name of [...READ_TABLES, ...CALL_TABLES]) {
      const { partitionKey, sortKey = partitionKey } = TABLES[name] as {
        readonly partitionKey: string;
        readonly sortKey?: string;
      };
      const deletions = (await this.#scan(name)).map((item) => ({
        DeleteRequest: {
          Key: Object.fromEntries([partitionKey, sortKey].map((key) => [key, item[key] ?? { S: '' }])),
        },
      }));
      await writeBatches(client, tables[name], deletions);
    }
  }
}
