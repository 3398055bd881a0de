/**
 * Purchases in DynamoDB. Money moves from the buyer's wallet to the owner's in the transaction that records the
 * purchase. Each account's ledger gets an entry of the same amount, so the ledgers balance at every instant.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { putEntry } from '../../ledger/store/ledger-entry.ts';
import { WalletPostings } from '../../ledger/store/wallet/posting.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { dayOf } from '../../platform/core/api/quotas.ts';
import { retryOptimistically } from '../../platform/core/optimistic.ts';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { countOneOf } from '../../platform/dynamodb/quota-item.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import type { PublishedEvent } from '../../webhooks/core/event.ts';
import type { Purchase } from '../core/activity.ts';
import type { Payment, PurchaseStore } from '../core/ports.ts';
import { putAcquisition } from './acquisitions.ts';
import { dayCountKey, encodeEvent, encodePrice, listingKey, putNew } from './listing-item.ts';

export interface PurchaseTables {
  readonly listings: string;
  readonly accounts: string;
  readonly wallets: string;
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
      const transfer = await this.#transfer(purchase, payment);
      if (transfer === undefined) {
        return (await this.findPurchase(purchase.listingId, purchase.buyerId)) ? 'repeated' : 'insufficient';
      }
      const result = await transact(this.#client, [
        putNew(this.#tables.listings, encodePurchase(purchase)),
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

  async findPurchase(listingId: string, buyerId: string): Promise<Purchase | undefined> {
    const key = { TableName: this.#tables.listings, Key: purchaseKey(listingId, buyerId) };
    const item = await readItem(this.#client, key);
    return item === undefined ? undefined : decodePurchase(item);
  }

  /**
   * Returns the writes that move the money; undefined if the buyer's balance is insufficient or in debt. A free
   * listing, or the buyer's, moves none.
   */
  async #transfer(
    purchase: Purchase,
    { listing, amount }: Payment,
  ): Promise<readonly TransactWriteItem[] | undefined> {
    if (amount === 0n || purchase.buyerId === listing.ownerId) return [];
    const [debitWrites, creditWrites] = await Promise.all([
      this.#postings.plan(purchase.buyerId, -amount),
      this.#postings.plan(listing.ownerId, amount),
    ]);
    if (creditWrites === undefined) throw new Error(`the account ${listing.ownerId} has no wallet`);
    if (debitWrites === undefined) return undefined;
    const entryTarget = { table: this.#tables.accounts, created: purchase.created };
    const entry = { id: purchase.id, amount, source: listing.id };
    return [
      putEntry({ ...entryTarget, accountId: purchase.buyerId }, { ...entry, kind: 'purchase' }),
      putEntry({ ...entryTarget, accountId: listing.ownerId }, { ...entry, kind: 'sale' }),
      ...debitWrites,
      ...creditWrites,
    ];
  }

  #count({ buyerId, created }: Purchase, max: number): TransactWriteItem {
    const day = dayOf(created);
    const Key = dayCountKey(buyerId, 'purchases', day);
    return countOneOf(day, { TableName: this.#tables.listings, Key }, max);
  }

  /** The listing is as the buyer was shown it: in its price, and in all of it where the buyer named its state. */
  #checkListing({ listing: { id, price, revision }, unchanged }: Payment): TransactWriteItem {
    const conditions = [
      'attribute_exists(listing_id)',
      price === null ? 'attribute_not_exists(price)' : 'price = :price',
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

const purchaseKey = (listingId: string, buyerId: string): Item =>
  listingKey(listingId, `purchase#${buyerId}`);

const encodePurchase = ({ id, listingId, buyerId, amount, currency, created }: Purchase): Item => ({
  ...purchaseKey(listingId, buyerId),
  id: text(id),
  buyer_id: text(buyerId),
  minor_units: number(amount),
  currency: text(currency),
  created: number(created),
});

const decodePurchase = (item: Item): Purchase => ({
  id: readText(item, 'id'),
  listingId: readText(item, 'listing_id'),
  buyerId: readText(item, 'buyer_id'),
  amount: readNumber(item, 'minor_units'),
  currency: readText(item, 'currency'),
  created: readNumber(item, 'created'),
});
