/**
 * Purchases in DynamoDB. Money moves from the buyer's wallet to the owner's pending balance in the transaction that
 * records the purchase. The buyer's ledger and the owner's balance change by the same amount, so both are exact at every
 * instant.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { WalletPostings } from '../../../ledger/store/wallet/posting.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { dayOf } from '../../../platform/core/api/quotas.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import { type Item, number } from '../../../platform/dynamodb/attribute-values.ts';
import { countOneOf } from '../../../platform/dynamodb/quota-item.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Purchase } from '../../core/listings/activity.ts';
import type { Payment, PurchaseStore } from '../../core/purchases/ports.ts';
import { putAcquisition } from '../listings/acquisitions.ts';
import { dayCountKey, encodeEvent, encodePrice, listingKey, putNew } from '../listings/listing-item.ts';
import { decodePurchase, encodePurchase, isRefunded, purchaseKey, REFUNDED } from '../sales/purchase-item.ts';
import { planCharge } from '../sales/sale-writes.ts';
import { latestKey } from '../subscriptions/subscription-item.ts';

export interface PurchaseTables {
  readonly listings: string;
  readonly accounts: string;
  readonly wallets: string;
  readonly market: string;
}

/** Places of a transaction's items, by which a failed condition is reported. */
const PURCHASE_INDEX = 0;
const LISTING_INDEX = 1;
const COUNT_INDEX = 2;

/** Each further try means that a call has moved the buyer's balance within milliseconds. */
const MAX_ATTEMPTS = 8;

export class DynamoPurchaseStore implements PurchaseStore {
  readonly #client: DynamoDBClient;
  readonly #postings: WalletPostings;
  readonly #tables: PurchaseTables;

  constructor(clients: DynamoClients, tables: PurchaseTables) {
    this.#client = clients.client;
    this.#postings = new WalletPostings(clients.client, tables.wallets);
    this.#tables = tables;
  }

  async purchase(
    purchase: Purchase,
    payment: Payment,
    event: PublishedEvent,
    max: number,
  ): ReturnType<PurchaseStore['purchase']> {
    return retryOptimistically(MAX_ATTEMPTS, 'the wallet', async () => {
      const { sale } = payment;
      const transfer = sale === undefined ? [] : await planCharge(this.#postings, this.#tables, sale);
      if (transfer === undefined) {
        return (await this.findPurchase(purchase.listingId, purchase.buyerId)) ? 'repeated' : 'insufficient';
      }
      const result = await transact(this.#client, [
        this.#put(purchase),
        this.#checkListing(payment),
        this.#count(purchase, max),
        putNew(this.#tables.listings, encodeEvent(purchase.listingId, event, purchase.created)),
        putAcquisition(this.#tables.listings, 'purchased', { ...purchase, accountId: purchase.buyerId }),
        ...transfer,
      ]);
      if (result.done) return 'done';
      if (result.failed.includes(PURCHASE_INDEX)) return 'repeated';
      if (result.failed.includes(LISTING_INDEX)) return 'changed';
      return result.failed.includes(COUNT_INDEX) ? 'full' : undefined;
    });
  }

  async isSubscribed(listingId: string, accountId: string): Promise<boolean> {
    const key = { TableName: this.#tables.market, Key: latestKey(accountId, listingId) };
    return (await readItem(this.#client, key))?.live?.BOOL === true;
  }

  async findPurchase(listingId: string, buyerId: string): Promise<Purchase | undefined> {
    const key = { TableName: this.#tables.listings, Key: purchaseKey(listingId, buyerId) };
    const item = await readItem(this.#client, key);
    return item === undefined || isRefunded(item) ? undefined : decodePurchase(item);
  }

  /** A listing whose price was completely refunded can be bought again. */
  #put(purchase: Purchase): TransactWriteItem {
    return {
      Put: {
        TableName: this.#tables.listings,
        Item: encodePurchase(purchase),
        ConditionExpression: 'attribute_not_exists(listing_id) OR refunded = :refunded',
        ExpressionAttributeValues: { ':refunded': REFUNDED },
      },
    };
  }

  #count({ buyerId, created }: Purchase, max: number): TransactWriteItem {
    const day = dayOf(created);
    const Key = dayCountKey(buyerId, 'purchases', day);
    return countOneOf(day, { TableName: this.#tables.listings, Key }, max);
  }

  /**
   * The listing is as the buyer was shown it: in its price, and in all of it where the buyer named its state. Nobody buys
   * for 0 what has plans.
   */
  #checkListing({ listing: { id, price, revision }, unchanged }: Payment): TransactWriteItem {
    const conditions = [
      'attribute_exists(listing_id)',
      price === null ? 'attribute_not_exists(price)' : 'price = :price',
      ...((price?.amount ?? 0) === 0 ? ['attribute_not_exists(plans)'] : []),
      ...(unchanged ? ['revision = :revision'] : []),
    ];
    const values: Item = {
      ...(price === null ? {} : { ':price': encodePrice(price) }),
      ...(unchanged ? { ':revision': number(revision) } : {}),
    };
    return {
      ConditionCheck: {
        TableName: this.#tables.listings,
        Key: listingKey(id),
        ConditionExpression: conditions.join(' AND '),
        ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
      },
    };
  }
}
