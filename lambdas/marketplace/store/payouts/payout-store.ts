/**
 * Payouts in DynamoDB. A fact, the money that follows from it and the event that reports it are one transaction, under the
 * version of the payout.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Item, number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { queryPage, readItem } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { EarningsTransaction } from '../../core/earnings/ports.ts';
import { SALE_PREFIX } from '../../core/earnings/ports.ts';
import type { Sale } from '../../core/earnings/sale.ts';
import { balanceChange, isOpenPayout, type Payout, type PayoutKey } from '../../core/payouts/payout.ts';
import type {
  PayoutAccount,
  PayoutAdoption,
  PayoutEffects,
  PayoutStore,
  SellerState,
} from '../../core/payouts/ports.ts';
import { encodeEvent } from '../listings/listing-item.ts';
import { marketKey, putNewItem } from '../market-item.ts';
import {
  balanceKey,
  changeBalance,
  decodeSale,
  type OpenPayoutsChange,
  putTransaction,
} from '../sales/sale-writes.ts';
import { PAYOUT_PREFIX, payoutKey } from './payout-hint.ts';
import {
  ACCOUNT_ITEM,
  decodeAccount,
  decodePayout,
  decodeSeller,
  encodeAccount,
  encodePayout,
} from './payout-item.ts';

export interface PayoutTables {
  readonly market: string;
  readonly listings: string;
}

/** Names the table that has been compared with the provider. No account has this id. */
const RECONCILED: Item = marketKey('payouts', 'reconciled');

export class DynamoPayoutStore implements PayoutStore, PayoutAdoption {
  readonly #client: DynamoDBClient;
  readonly #tables: PayoutTables;

  constructor(client: DynamoDBClient, tables: PayoutTables) {
    this.#client = client;
    this.#tables = tables;
  }

  async seller(sellerId: string): Promise<SellerState> {
    return decodeSeller((await this.#read(balanceKey(sellerId))) ?? {});
  }

  /** Stops new payouts of a seller, and those of which nothing was sent; or allows them again. */
  async pause(sellerId: string, isPaused: boolean): Promise<void> {
    const change = isPaused ? 'SET paused = :paused' : 'REMOVE paused';
    await this.#update(sellerId, change, isPaused ? { ':paused': { BOOL: true } } : undefined);
  }

  /** Sets the days until a sale of the seller matures, if they are more than those of all sellers. */
  async setMaturity(sellerId: string, days: number): Promise<void> {
    await this.#update(sellerId, 'SET maturity_days = :days', { ':days': number(days) });
  }

  async #update(sellerId: string, change: string, values: Item | undefined): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({
        TableName: this.#tables.market,
        Key: balanceKey(sellerId),
        UpdateExpression: change,
        ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
      }),
    );
  }

  async *sales(sellerId: string): AsyncGenerator<Sale, void> {
    const pages = paginateQuery({ client: this.#client }, this.#itemsOf(sellerId, SALE_PREFIX));
    for await (const { Items: items = [] } of pages) yield* items.map(decodeSale);
  }

  async find(key: PayoutKey): Promise<Payout | undefined> {
    const item = await this.#read(payoutKey(key));
    return item === undefined ? undefined : decodePayout(item);
  }

  list(sellerId: string, limit: number, after?: string) {
    const start = after === undefined ? {} : { ExclusiveStartKey: payoutKey({ sellerId, id: after }) };
    return queryPage(
      this.#client,
      { ...this.#itemsOf(sellerId, PAYOUT_PREFIX), ...start, ScanIndexForward: false, Limit: limit },
      decodePayout,
      ({ id }) => id,
    );
  }

  create(payout: Payout, transaction: EarningsTransaction): Promise<boolean> {
    return this.#put(payout, transaction, 'start');
  }

  adopt(payout: Payout, transaction: EarningsTransaction): Promise<boolean> {
    return this.#put(payout, transaction, 'adopt');
  }

  async #put(payout: Payout, transaction: EarningsTransaction, open: OpenPayoutsChange): Promise<boolean> {
    const { market } = this.#tables;
    const result = await transact(this.#client, [
      putNewItem(market, encodePayout(payout)),
      changeBalance(market, payout.sellerId, balanceChange(undefined, payout), open),
      putTransaction(market, transaction),
    ]);
    return result.done;
  }

  async change(before: Payout, after: Payout, { event, transaction }: PayoutEffects): Promise<boolean> {
    const { market, listings } = this.#tables;
    const change = balanceChange(before, after);
    const closed: OpenPayoutsChange = isOpenPayout(before) && !isOpenPayout(after) ? 'end' : 'none';
    const hasMoved = closed !== 'none' || Object.values(change).some((amount) => amount !== 0n);
    const replaced: TransactWriteItem = {
      Put: {
        TableName: market,
        Item: encodePayout(after),
        ConditionExpression: 'version = :version',
        ExpressionAttributeValues: { ':version': number(before.version) },
      },
    };
    const result = await transact(this.#client, [
      replaced,
      ...(hasMoved ? [changeBalance(market, after.sellerId, change, closed)] : []),
      ...(transaction === undefined ? [] : [putTransaction(market, transaction)]),
      // In a restored market, the event may have been published before; the same again changes nothing.
      ...(event === undefined
        ? []
        : [
            {
              Put: {
                TableName: listings,
                Item: encodeEvent(event.accountId, event, after.paidAt ?? after.created),
              },
            },
          ]),
    ]);
    if (result.done) return true;
    if (result.failed.includes(0)) return false;
    throw new Error('a payout does not agree with the balance of its seller');
  }

  async findAccount(sellerId: string): Promise<PayoutAccount | undefined> {
    const item = await this.#read(marketKey(sellerId, ACCOUNT_ITEM));
    return item === undefined ? undefined : decodeAccount(item);
  }

  async saveAccount(account: PayoutAccount, before?: PayoutAccount): Promise<boolean> {
    const isUnchanged = 'provider_id = :provider AND schedule = :schedule AND minimum = :minimum';
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#tables.market,
          Item: encodeAccount(account),
          ConditionExpression:
            before === undefined ? 'attribute_not_exists(owner_id) OR provider_id = :provider' : isUnchanged,
          ExpressionAttributeValues: {
            ':provider': text(account.providerId),
            ...(before === undefined
              ? {}
              : { ':schedule': text(before.schedule), ':minimum': number(before.minimum) }),
          },
        }),
      );
      return true;
    } catch (failure) {
      if (failure instanceof ConditionalCheckFailedException) return false;
      throw failure;
    }
  }

  async isReconciled(): Promise<boolean> {
    const item = await this.#read(RECONCILED);
    return item?.table?.S === this.#tables.market;
  }

  /** Records that this table has been compared with the provider: a restored one has another name. */
  async setReconciled(): Promise<void> {
    const Item = { ...RECONCILED, table: text(this.#tables.market) };
    await this.#client.send(new PutItemCommand({ TableName: this.#tables.market, Item }));
  }

  #itemsOf(sellerId: string, prefix: string) {
    return {
      TableName: this.#tables.market,
      KeyConditionExpression: 'owner_id = :seller AND begins_with(#item, :prefix)',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':seller': text(sellerId), ':prefix': text(prefix) },
      ConsistentRead: true,
    };
  }

  #read(key: Item): Promise<Item | undefined> {
    return readItem(this.#client, { TableName: this.#tables.market, Key: key });
  }
}
