/**
 * Orders in DynamoDB, in their account's partition: next to the entries that they create, and not visible to other
 * accounts.
 */
import {
  type AttributeValue,
  type DynamoDBClient,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { readAccount } from '../../access/store/accounts/account-item.ts';
import { type LedgerEntry, walletChangeOf } from '../../ledger/core/ledger-entry.ts';
import { putEntry } from '../../ledger/store/ledger-entry.ts';
import type { WalletPostings } from '../../ledger/store/wallet/posting.ts';
import type { Page } from '../../platform/core/api/paging.ts';
import type { Clock } from '../../platform/core/ports.ts';
import {
  type Item,
  map,
  number,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import { queryPage, readItem } from '../../platform/dynamodb/reads.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import { CHECKOUT_ENDS, isOpen, type Order, type Reversal } from '../core/order.ts';
import type { OrderLimits, OrderReference, OrderStore } from '../core/ports.ts';
import { OrderCounts } from './order-counts.ts';

const PREFIX = 'order#';

export interface OrderStoreOptions {
  readonly client: DynamoDBClient;
  /** The table of accounts. */
  readonly table: string;
  readonly postings: Pick<WalletPostings, 'post'>;
  readonly clock: Clock;
}

export class DynamoOrderStore implements OrderStore {
  readonly #options: OrderStoreOptions;
  readonly #counts: OrderCounts;

  constructor(options: OrderStoreOptions) {
    this.#options = options;
    this.#counts = new OrderCounts(options.client, options.table);
  }

  reserve(reference: OrderReference, limits: OrderLimits, nowSeconds: number) {
    return this.#counts.reserve(reference, limits, nowSeconds);
  }

  async callOff({ accountId, orderId }: OrderReference): Promise<void> {
    await transact(this.#options.client, [this.#counts.close(accountId, orderId)]);
  }

  async save({ id, accountId, amount, created, checkoutUrl = '' }: Order): Promise<void> {
    await this.#options.client.send(
      new UpdateItemCommand({
        ...this.#key({ orderId: id, accountId }),
        UpdateExpression:
          'SET amount = :amount, created = :created, checkout_url = :url, ' +
          'version = if_not_exists(version, :zero), reversals = if_not_exists(reversals, :none)',
        ExpressionAttributeValues: {
          ':amount': number(amount),
          ':created': number(created),
          ':url': text(checkoutUrl),
          ':zero': number(0),
          ':none': map({}),
        },
      }),
    );
  }

  async find(reference: OrderReference): Promise<Order | undefined> {
    const item = await readItem(this.#options.client, this.#key(reference));
    return item === undefined ? undefined : decodeOrder(item);
  }

  async hasAccount(accountId: string): Promise<boolean> {
    const { client, table } = this.#options;
    return (await readAccount(client, table, accountId)) !== undefined;
  }

  /** Reads the whole table: no index has the orders of all accounts, and each item of one would cost a write. */
  async *paidOrders({ from, to }: { readonly from: number; readonly to: number }) {
    const { client, table } = this.#options;
    const pages = paginateScan(
      { client },
      {
        TableName: table,
        FilterExpression:
          'begins_with(#item, :prefix) AND attribute_exists(paid) AND created BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':prefix': text(PREFIX), ':from': number(from), ':to': number(to) },
      },
    );
    for await (const { Items: items = [] } of pages) yield items.map(decodeOrder);
  }

  async list(accountId: string, limit: number, after?: string): Promise<Page<Order>> {
    const { client, table } = this.#options;
    return queryPage(
      client,
      {
        TableName: table,
        KeyConditionExpression: 'account_id = :account AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ':prefix': text(PREFIX) },
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: { account_id: text(accountId), item: text(`${PREFIX}${after}`) } }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: limit,
      },
      decodeOrder,
      ({ id }) => id,
    );
  }

  async advance(
    before: Order,
    after: Order,
    entries: readonly LedgerEntry[],
  ): ReturnType<OrderStore['advance']> {
    const write = this.#advance(before, after);
    const created = Math.floor(this.#options.clock() / 1000);
    const entryTarget = { table: this.#options.table, accountId: after.accountId, created };
    const puts = entries.map((entry) => putEntry(entryTarget, entry));
    const closed = isOpen(before) && !isOpen(after) ? [this.#counts.close(after.accountId, after.id)] : [];
    const writes = [{ Update: write }, ...puts, ...closed];
    const result = await this.#options.postings.post(after.accountId, walletChangeOf(entries), writes);
    if (result === 'no wallet') return 'no account';
    return result === 'posted' ? 'done' : 'stale';
  }

  #advance(before: Order, after: Order) {
    const { paid, checkoutEnd } = after;
    return {
      ...this.#key({ orderId: after.id, accountId: after.accountId }),
      UpdateExpression: [
        'SET version = :version, reversals = :reversals',
        'created = if_not_exists(created, :created)',
        ...(paid === undefined ? [] : ['paid = :paid']),
        ...(checkoutEnd === undefined ? [] : ['ended = :ended']),
      ].join(', '),
      ConditionExpression:
        before.version === 0 ? 'attribute_not_exists(version) OR version = :before' : 'version = :before',
      ExpressionAttributeValues: {
        ':version': number(after.version),
        ':before': number(before.version),
        ':reversals': map(
          Object.fromEntries(Object.entries(after.reversals).map(([id, each]) => [id, encodeReversal(each)])),
        ),
        ':created': number(after.created),
        ...(paid === undefined ? {} : { ':paid': number(paid) }),
        ...(checkoutEnd === undefined ? {} : { ':ended': text(checkoutEnd) }),
      },
    };
  }

  #key({ orderId, accountId }: OrderReference) {
    const key: Item = { account_id: text(accountId), item: text(`${PREFIX}${orderId}`) };
    return { TableName: this.#options.table, Key: key };
  }
}

const encodeReversal = ({ amount, undone }: Reversal): AttributeValue =>
  map({ amount: number(amount), undone: { BOOL: undone } });

export function decodeOrder(item: Item): Order {
  const checkoutEnd = CHECKOUT_ENDS.find((end) => end === item.ended?.S);
  // An order whose payment is here before it has been written down is for what was paid.
  const paid = item.paid === undefined ? 0n : readInteger(item, 'paid');
  return {
    id: readText(item, 'item').slice(PREFIX.length),
    accountId: readText(item, 'account_id'),
    amount: item.amount === undefined ? paid : readInteger(item, 'amount'),
    created: readNumber(item, 'created'),
    ...(item.checkout_url?.S === undefined ? {} : { checkoutUrl: item.checkout_url.S }),
    ...(item.paid === undefined ? {} : { paid }),
    ...(checkoutEnd === undefined ? {} : { checkoutEnd }),
    reversals: Object.fromEntries(
      Object.entries(readMap(item, 'reversals')).map(([id, { M: reversal = {} }]) => [
        id,
        { amount: readInteger(reversal, 'amount'), undone: reversal.undone?.BOOL === true },
      ]),
    ),
    version: readNumber(item, 'version'),
  };
}
