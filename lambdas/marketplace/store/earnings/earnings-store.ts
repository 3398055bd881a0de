/**
 * Sellers' balances in DynamoDB. A return, and credit that a seller receives, change the balance, the sale, a wallet and
 * its ledger in one transaction.
 */
import { type DynamoDBClient, QueryCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { encodeTime } from 'ulid';
import { type LedgerEntry, walletChangeOf } from '../../../ledger/core/ledger-entry.ts';
import { entryKey, putEntry } from '../../../ledger/store/ledger-entry.ts';
import { toWallet } from '../../../ledger/store/wallet/item.ts';
import { WalletPostings } from '../../../ledger/store/wallet/posting.ts';
import { WalletReads } from '../../../ledger/store/wallet/reads.ts';
import { refundedAmount } from '../../../payments/core/order.ts';
import type { OrderStore } from '../../../payments/core/ports.ts';
import { dayOf } from '../../../platform/core/api/quotas.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { readInteger, readNumber, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { countOneOf, countsOf } from '../../../platform/dynamodb/quota-item.ts';
import { queryPage, readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type {
  EarningsPosting,
  EarningsStore,
  EarningsTransaction,
  PostedKind,
  SaleKey,
  TransactionLine,
} from '../../core/earnings/ports.ts';
import {
  EMPTY_BALANCE,
  type HoldReason,
  mature,
  proceedsOf,
  returnOf,
  type Sale,
  type SellerBalance,
} from '../../core/earnings/sale.ts';
import { removePurchase } from '../listings/acquisitions.ts';
import { listingKey } from '../listings/listing-item.ts';
import { marketKey } from '../market-item.ts';
import { markRefunded } from '../sales/purchase-item.ts';
import {
  balanceKey,
  changeBalance,
  changeSaleWrites,
  decodeBalance,
  decodeSale,
  decodeTransaction,
  putTransaction,
  replaceSale,
  saleKey,
  TRANSACTION_PREFIX,
  transactionItem,
} from '../sales/sale-writes.ts';
import { returnWrites } from '../subscriptions/subscription-item.ts';

export interface EarningsTables {
  readonly market: string;
  readonly accounts: string;
  readonly wallets: string;
  readonly listings: string;
}

export interface EarningsStoreOptions {
  readonly client: DynamoDBClient;
  readonly tables: EarningsTables;
  readonly orders: Pick<OrderStore, 'list'>;
}

const PAGE = 100;

export class DynamoEarningsStore implements EarningsStore {
  readonly #client: DynamoDBClient;
  readonly #tables: EarningsTables;
  readonly #options: EarningsStoreOptions;
  readonly #postings: WalletPostings;
  readonly #wallets: WalletReads;

  constructor(options: EarningsStoreOptions) {
    const { client, tables } = options;
    this.#options = options;
    this.#client = client;
    this.#tables = tables;
    this.#postings = new WalletPostings(client, tables.wallets);
    this.#wallets = new WalletReads(client, tables.wallets);
  }

  async balance(sellerId: string): Promise<SellerBalance> {
    const key = { TableName: this.#tables.market, Key: balanceKey(sellerId) };
    return decodeBalance((await readItem(this.#client, key)) ?? {});
  }

  async findSale(key: SaleKey): Promise<Sale | undefined> {
    const item = await readItem(this.#client, { TableName: this.#tables.market, Key: saleKey(key) });
    return item === undefined ? undefined : decodeSale(item);
  }

  async nextDue(sellerId: string, createdAfter: number): Promise<number | undefined> {
    const { Items: items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#tables.market,
        KeyConditionExpression: 'owner_id = :seller AND #item BETWEEN :from AND :to',
        FilterExpression: '#type = :sale',
        ExpressionAttributeNames: { '#item': 'item', '#type': 'type' },
        ExpressionAttributeValues: {
          ':seller': text(sellerId),
          ':from': text(`${TRANSACTION_PREFIX}${encodeTime(createdAfter * 1000, 10)}`),
          ':to': text(`${TRANSACTION_PREFIX}~`),
          ':sale': text('sale'),
        },
        Limit: PAGE,
      }),
    );
    const sales = await this.#salesOf(sellerId, items.map(decodeTransaction));
    const times = [...sales.values()].flatMap(({ status, dueAt }) => (status === 'pending' ? dueAt : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async list(sellerId: string, limit: number, after?: string) {
    const table = this.#tables.market;
    const { entries: transactions, next } = await queryPage(
      this.#client,
      {
        TableName: table,
        KeyConditionExpression: 'owner_id = :seller AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':seller': text(sellerId), ':prefix': text(TRANSACTION_PREFIX) },
        ...(after === undefined ? {} : { ExclusiveStartKey: marketKey(sellerId, transactionItem(after)) }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: limit,
      },
      decodeTransaction,
      ({ id }) => id,
    );
    const sales = await this.#salesOf(sellerId, transactions);
    const entries = transactions.map(
      (transaction): TransactionLine => ({ transaction, sale: sales.get(transaction.chargeId ?? '') }),
    );
    return { entries, next };
  }

  /** The sales that transactions concern, by their charges. */
  async #salesOf(
    sellerId: string,
    transactions: readonly EarningsTransaction[],
  ): Promise<ReadonlyMap<string, Sale>> {
    const chargeIds = [...new Set(transactions.flatMap(({ chargeId }) => chargeId ?? []))];
    const keys = chargeIds.map((chargeId) => saleKey({ sellerId, chargeId }));
    const sales = keys.length === 0 ? [] : await readMany(this.#client, this.#tables.market, keys);
    return new Map(sales.map(decodeSale).map((sale) => [sale.chargeId, sale]));
  }

  async funds(sale: Sale) {
    const shards = await this.#wallets.readAll(sale.buyerId);
    const [first] = shards;
    if (first === undefined) throw new Error('the buyer of a sale has no wallet');
    // A debt may be stored next to credit, until a further call or posting pays it.
    const { debt: owed } = toWallet(sale.buyerId, shards);
    const { netCash, entries: version } = first;
    const isShort = owed > 0n || netCash < 0n;
    return { owed, netCash, version, paymentReversed: isShort && (await this.#isPaymentReversed(sale)) };
  }

  async findEntry(accountId: string, kind: PostedKind, entryId: string) {
    const key = { TableName: this.#tables.accounts, Key: entryKey(accountId, kind, entryId) };
    const item = await readItem(this.#client, key);
    if (item === undefined) return undefined;
    const [created, source] = [readNumber(item, 'created'), readText(item, 'source')];
    return { amount: readInteger(item, 'amount'), created, source };
  }

  async postedOn(sellerId: string, seconds: number): Promise<number> {
    const item = await readItem(this.#client, this.#countKey(sellerId, dayOf(seconds)));
    return item?.used === undefined ? 0 : readNumber(item, 'used');
  }

  async returnPart(sale: Sale, amount: NanoUsd, posting: EarningsPosting): Promise<boolean> {
    const { entryId, transaction, note } = posting;
    const change = returnOf(sale, amount);
    const ended = change.sale.status === 'reversed' ? await this.#endPurchase(sale) : [];
    const { id: transactionId, created } = transaction;
    const returned = { amount, transactionId, created };
    const subscription = await returnWrites(this.#client, this.#tables, sale, returned);
    const cash = sale.payable ? amount : 0n;
    const ids = { kind: 'purchase_refund', id: entryId, source: transaction.id } as const;
    const entry = { ...ids, amount, cash, ...(note === undefined ? {} : { note }) };
    const writes = [
      ...changeSaleWrites(this.#tables.market, sale, change),
      ...ended,
      ...subscription,
      ...this.#count(posting),
    ];
    return this.#post(sale.buyerId, entry, posting, writes);
  }

  async mature(sale: Sale, transaction: EarningsTransaction): Promise<boolean> {
    const writes = changeSaleWrites(this.#tables.market, sale, mature(sale));
    if (sale.payable) return (await transact(this.#client, writes)).done;
    const amount = proceedsOf(sale);
    const entry = { kind: 'transfer', id: sale.chargeId, amount, cash: 0n, source: transaction.id } as const;
    return this.#post(sale.sellerId, entry, { transaction }, writes);
  }

  async isListed(listingId: string): Promise<boolean> {
    const key = { TableName: this.#tables.listings, Key: listingKey(listingId) };
    return (await readItem(this.#client, key)) !== undefined;
  }

  hold(sale: Sale, dueAt: number, held: HoldReason): Promise<boolean> {
    return this.#replace(sale, { ...sale, held, dueAt });
  }

  postpone(sale: Sale, dueAt: number): Promise<boolean> {
    return this.#replace(sale, { ...sale, held: undefined, dueAt });
  }

  async maturityDays(sellerId: string): Promise<number | undefined> {
    const key = { TableName: this.#tables.market, Key: balanceKey(sellerId) };
    const item = await readItem(this.#client, key);
    return item?.maturity_days === undefined ? undefined : readNumber(item, 'maturity_days');
  }

  async #replace(before: Sale, after: Sale): Promise<boolean> {
    const write = replaceSale(this.#tables.market, before, after);
    return (await transact(this.#client, [write])).done;
  }

  transfer(amount: NanoUsd, posting: EarningsPosting): Promise<boolean> {
    const { entryId, transaction } = posting;
    const { sellerId } = transaction;
    const change = { ...EMPTY_BALANCE, available: -amount, transferred: amount };
    const entry = { kind: 'transfer', id: entryId, amount, cash: amount, source: transaction.id } as const;
    return this.#post(sellerId, entry, posting, [
      changeBalance(this.#tables.market, sellerId, change),
      ...this.#count(posting),
    ]);
  }

  /** A purchase that was completely refunded entitles no more, and is no acquisition of the buyer. */
  async #endPurchase(sale: Sale): Promise<readonly TransactWriteItem[]> {
    // The charges of subscriptions end otherwise.
    if (!sale.chargeId.startsWith('pur_')) return [];
    const { listings } = this.#tables;
    const acquisition = { listingId: sale.listingId, accountId: sale.buyerId };
    const [refunded, removed] = await Promise.all([
      markRefunded(this.#client, listings, sale),
      removePurchase(this.#client, listings, acquisition),
    ]);
    return refunded === undefined ? [removed] : [refunded, removed];
  }

  #count({ max, transaction: { sellerId, created } }: EarningsPosting): readonly TransactWriteItem[] {
    if (max === undefined) return [];
    const day = dayOf(created);
    return [countOneOf(day, this.#countKey(sellerId, day), max)];
  }

  #countKey(sellerId: string, day: number) {
    return { TableName: this.#tables.market, Key: marketKey(countsOf(sellerId), `postings#${day}`) };
  }

  /** Posts an entry with the writes of the market. False if a condition of these does not hold. */
  async #post(
    accountId: string,
    entry: LedgerEntry,
    { transaction, fundsVersion }: Pick<EarningsPosting, 'transaction' | 'fundsVersion'>,
    writes: readonly TransactWriteItem[],
  ): Promise<boolean> {
    const location = { table: this.#tables.accounts, accountId, created: transaction.created };
    const all = [putEntry(location, entry), putTransaction(this.#tables.market, transaction), ...writes];
    const result = await this.#postings.post(accountId, walletChangeOf([entry]), all, fundsVersion);
    if (result === 'no wallet') throw new Error(`there is no account ${accountId}`);
    return result === 'posted';
  }

  async #isPaymentReversed({ buyerId, created }: Sale): Promise<boolean> {
    for (let after: string | undefined; ; ) {
      const { entries, next } = await this.#options.orders.list(buyerId, PAGE, after);
      if (entries.some((order) => order.created <= created && refundedAmount(order) > 0n)) return true;
      if (next === undefined) return false;
      after = next;
    }
  }
}
