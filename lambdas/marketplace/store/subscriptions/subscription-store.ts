/**
 * Subscriptions in DynamoDB. A state, its charge, the quotas and the event are one transaction: no path charges a period
 * twice, because the charge's id is made of the subscription and the number of its charges.
 */
import { type DynamoDBClient, QueryCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { WalletPostings } from '../../../ledger/store/wallet/posting.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { dayOf } from '../../../platform/core/api/quotas.ts';
import { type Item, number, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { countOne, countOneOf } from '../../../platform/dynamodb/quota-item.ts';
import { readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { Sale } from '../../core/earnings/sale.ts';
import type { NewSale } from '../../core/purchases/ports.ts';
import { SUBSCRIPTION_PREFIX } from '../../core/subscriptions/due.ts';
import type {
  LatestSubscription,
  OfferedPlan,
  PlanSubscriptionStore,
  SubscriptionResult,
  SubscriptionWrite,
} from '../../core/subscriptions/ports.ts';
import type { PlanSubscription } from '../../core/subscriptions/subscription.ts';
import { dayCountKey, encodeEvent, encodePlan, listingKey, putNew } from '../listings/listing-item.ts';
import { BY_LISTING_INDEX, marketKey, putNewItem } from '../market-item.ts';
import { decodeSale, planCharge, saleKey } from '../sales/sale-writes.ts';
import {
  decodeSubscription,
  encodeSubscription,
  latestKey,
  liveCountKey,
  replaceSubscription,
  subscriptionKey,
} from './subscription-item.ts';

export interface PlanSubscriptionTables {
  readonly market: string;
  readonly listings: string;
  readonly accounts: string;
  readonly wallets: string;
}

const PAGE = 100;

export class DynamoPlanSubscriptionStore implements PlanSubscriptionStore {
  readonly #client: DynamoDBClient;
  readonly #tables: PlanSubscriptionTables;
  readonly #postings: WalletPostings;

  constructor({ client }: DynamoClients, tables: PlanSubscriptionTables) {
    this.#client = client;
    this.#tables = tables;
    this.#postings = new WalletPostings(client, tables.wallets);
  }

  async find(subscriberId: string, id: string): Promise<PlanSubscription | undefined> {
    const item = await readItem(this.#client, {
      TableName: this.#tables.market,
      Key: subscriptionKey(subscriberId, id),
    });
    return item === undefined ? undefined : decodeSubscription(item);
  }

  async latest(subscriberId: string, listingId: string): Promise<LatestSubscription> {
    const key = { TableName: this.#tables.market, Key: latestKey(subscriberId, listingId) };
    const item = await readItem(this.#client, key);
    if (item === undefined) return { subscription: undefined, trialUsed: false };
    const subscription = await this.find(subscriberId, readText(item, 'subscription_id'));
    return { subscription, trialUsed: item.trial_used?.BOOL === true };
  }

  create(write: SubscriptionWrite, latest: LatestSubscription, maxLive: number): Promise<SubscriptionResult> {
    const { market, listings } = this.#tables;
    const { subscription, event, now } = write;
    return this.#write(
      write,
      [
        putNewItem(market, encodeSubscription(subscription)),
        this.#putLatest(subscription, latest),
        ...(event === undefined ? [] : [putNew(listings, encodeEvent(subscription.listingId, event, now))]),
      ],
      countOne(liveCountKey(market, subscription.subscriberId), maxLive),
    );
  }

  replace(before: PlanSubscription, write: SubscriptionWrite): Promise<SubscriptionResult> {
    return this.#write(write, replaceSubscription(this.#tables, before, write));
  }

  async list(
    subscriberId: string,
    { listingId, ...query }: PageQuery & { readonly listingId: string | undefined },
  ): Promise<Page<PlanSubscription>> {
    const input = { partition: ['owner_id', subscriberId] as const };
    return this.#page(input, query, async (items) =>
      items.map(decodeSubscription).filter((each) => listingId === undefined || each.listingId === listingId),
    );
  }

  async listOf(listingId: string, query: PageQuery): Promise<Page<PlanSubscription>> {
    const { name, partitionKey } = BY_LISTING_INDEX;
    return this.#page({ index: name, partition: [partitionKey, listingId] }, query, async (items) => {
      const keys = items.map((item) => marketKey(readText(item, 'owner_id'), readText(item, 'item')));
      const stored = keys.length === 0 ? [] : await readMany(this.#client, this.#tables.market, keys);
      return stored.map(decodeSubscription).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    });
  }

  async charges({ id, sellerId, charges }: PlanSubscription, max: number): Promise<readonly Sale[]> {
    const numbers = Array.from({ length: Math.min(charges, max) }, (_, index) => charges - index);
    const keys = numbers.map((each) => saleKey({ sellerId, chargeId: `${id}#${each}` }));
    const items = keys.length === 0 ? [] : await readMany(this.#client, this.#tables.market, keys);
    return items.map(decodeSale).toSorted((a, b) => numberOf(b) - numberOf(a));
  }

  /** Makes the writes with the charge and what it counts. The count of live subscriptions is the last condition. */
  async #write(
    { subscription, charge, offer, maxPerDay, now }: SubscriptionWrite,
    writes: readonly TransactWriteItem[],
    liveCount?: TransactWriteItem,
  ): Promise<SubscriptionResult> {
    const transfer = charge === undefined ? [] : await this.#plan(charge);
    if (transfer === undefined) return 'insufficient';
    const day = dayOf(now);
    const Key = dayCountKey(subscription.subscriberId, 'purchases', day);
    const dayCount =
      maxPerDay === undefined ? [] : [countOneOf(day, { TableName: this.#tables.listings, Key }, maxPerDay)];
    const counts = [...dayCount, ...(liveCount === undefined ? [] : [liveCount])];
    const conditions = [...writes, ...(offer === undefined ? [] : [this.#checkOffer(offer)]), ...transfer];
    const result = await transact(this.#client, [...conditions, ...counts]);
    if (result.done) return 'done';
    const [failed = 0] = result.failed;
    if (failed < conditions.length) return 'changed';
    return failed < conditions.length + dayCount.length ? 'day full' : 'quota reached';
  }

  #plan(charge: NewSale): Promise<readonly TransactWriteItem[] | undefined> {
    return planCharge(this.#postings, this.#tables, charge);
  }

  /** One live subscription to a listing for each account. */
  #putLatest(
    { id, subscriberId, listingId, trialEnd }: PlanSubscription,
    { subscription: latest, trialUsed }: LatestSubscription,
  ): TransactWriteItem {
    return {
      Put: {
        TableName: this.#tables.market,
        Item: {
          ...latestKey(subscriberId, listingId),
          subscription_id: text(id),
          live: { BOOL: true },
          trial_used: { BOOL: trialUsed || trialEnd !== undefined },
        },
        ...(latest === undefined
          ? { ConditionExpression: 'attribute_not_exists(owner_id)' }
          : {
              ConditionExpression: 'live = :no AND subscription_id = :latest',
              ExpressionAttributeValues: { ':no': { BOOL: false }, ':latest': text(latest.id) },
            }),
      },
    };
  }

  /** The plan is as the subscriber was shown it, and so is the whole listing where its state was named. */
  #checkOffer({ listing, plan, unchanged }: OfferedPlan): TransactWriteItem {
    const values: Item = {
      ':plan': encodePlan(plan, listing.plans.indexOf(plan)),
      ...(unchanged ? { ':revision': number(listing.revision) } : {}),
    };
    return {
      ConditionCheck: {
        TableName: this.#tables.listings,
        Key: listingKey(listing.id),
        ConditionExpression: `plans.#plan = :plan${unchanged ? ' AND revision = :revision' : ''}`,
        ExpressionAttributeNames: { '#plan': plan.id },
        ExpressionAttributeValues: values,
      },
    };
  }

  /** Newest first. Reads until the page is full, because `decode` may leave some out. */
  async #page(
    {
      index,
      partition: [partitionKey, partition],
    }: { readonly index?: string; readonly partition: readonly [string, string] },
    { limit, after }: PageQuery,
    decode: (items: readonly Item[]) => Promise<readonly PlanSubscription[]>,
  ): Promise<Page<PlanSubscription>> {
    const found: PlanSubscription[] = [];
    let startKey: Item | undefined;
    do {
      const { Items: items = [], LastEvaluatedKey: last } = await this.#client.send(
        new QueryCommand({
          TableName: this.#tables.market,
          ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
          KeyConditionExpression: '#partition = :partition AND #item BETWEEN :from AND :to',
          ExpressionAttributeNames: { '#partition': partitionKey, '#item': 'item' },
          ExpressionAttributeValues: {
            ':partition': text(partition),
            ':from': text(SUBSCRIPTION_PREFIX),
            ':to': text(`${SUBSCRIPTION_PREFIX}${after ?? '~'}`),
          },
          ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
          ScanIndexForward: false,
          Limit: PAGE,
        }),
      );
      found.push(...(await decode(items)).filter(({ id }) => id !== after));
      startKey = last;
    } while (startKey !== undefined && found.length <= limit);
    const entries = found.slice(0, limit);
    return { entries, next: found.length > limit ? entries.at(-1)?.id : undefined };
  }
}

const numberOf = ({ chargeId }: Sale): number => Number(chargeId.split('#')[1]);
