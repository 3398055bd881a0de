/** Subscriptions as items of their subscriber's partition in the table `market`, and the writes of a new state. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { NanoUsd } from '../../../platform/core/money.ts';
import {
  type Item,
  map,
  number,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { countsOf, giveBack } from '../../../platform/dynamodb/quota-item.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Sale } from '../../core/earnings/sale.ts';
import { SUBSCRIPTION_PREFIX } from '../../core/subscriptions/due.ts';
import { eventOf } from '../../core/subscriptions/events.ts';
import {
  type AgreedPlan,
  CANCEL_REASONS,
  isLive,
  type PlanSubscription,
  recordReturn,
  SUBSCRIPTION_STATUSES,
} from '../../core/subscriptions/subscription.ts';
import { encodeEvent, putNew, readInterval } from '../listings/listing-item.ts';
import { BY_LISTING_INDEX, dueAttributes, marketKey } from '../market-item.ts';

interface SubscriptionTables {
  readonly market: string;
  readonly listings: string;
}

export const subscriptionKey = (subscriberId: string, id: string): Item =>
  marketKey(subscriberId, `${SUBSCRIPTION_PREFIX}${id}`);

export const LATEST_PREFIX = 'subscribed#';

/** The latest subscription of an account to a listing, and whether a trial was ever used. */
export const latestKey = (subscriberId: string, listingId: string): Item =>
  marketKey(subscriberId, `${LATEST_PREFIX}${listingId}`);

/** The number of the account's live subscriptions. */
export const liveCountKey = (table: string, subscriberId: string) => ({
  TableName: table,
  Key: marketKey(countsOf(subscriberId), 'subscriptions'),
});

const encodePlan = ({ id, interval, cents }: AgreedPlan) =>
  map({ id: text(id), interval: text(interval), minor_units: number(cents) });

const decodePlan = (value: Item): AgreedPlan => ({
  id: readText(value, 'id'),
  interval: readInterval(value),
  cents: readNumber(value, 'minor_units'),
});

export const encodeSubscription = (subscription: PlanSubscription): Item => ({
  ...subscriptionKey(subscription.subscriberId, subscription.id),
  ...(subscription.dueAt === undefined ? {} : dueAttributes(subscription.id, subscription.dueAt)),
  [BY_LISTING_INDEX.partitionKey]: text(subscription.listingId),
  seller_id: text(subscription.sellerId),
  plan: encodePlan(subscription.plan),
  status: text(subscription.status),
  created: number(subscription.created),
  anchor: number(subscription.period.anchor),
  elapsed: number(subscription.period.elapsed),
  period_start: number(subscription.period.start),
  period_end: number(subscription.period.end),
  charges: number(subscription.charges),
  paid_from: number(subscription.paidFrom),
  returned: number(subscription.returned),
  cancel_at_period_end: { BOOL: subscription.cancelAtPeriodEnd },
  retries: number(subscription.retries),
  version: number(subscription.version),
  ...(subscription.pendingPlan === undefined ? {} : { pending_plan: encodePlan(subscription.pendingPlan) }),
  ...optionalNumber('trial_end', subscription.trialEnd),
  ...optionalNumber('due', subscription.dueAt),
  ...optionalNumber('canceled_at', subscription.canceledAt),
  ...optionalNumber('ended_at', subscription.endedAt),
  ...(subscription.cancelReason === undefined ? {} : { cancel_reason: text(subscription.cancelReason) }),
});

const optionalNumber = (name: string, value: number | undefined): Item =>
  value === undefined ? {} : { [name]: number(value) };

export function decodeSubscription(item: Item): PlanSubscription {
  const [stored, reason] = [readText(item, 'status'), item.cancel_reason?.S];
  const status = SUBSCRIPTION_STATUSES.find((each) => each === stored);
  if (status === undefined) throw new Error('not a status of a subscription');
  return {
    id: readText(item, 'item').slice(SUBSCRIPTION_PREFIX.length),
    listingId: readText(item, BY_LISTING_INDEX.partitionKey),
    sellerId: readText(item, 'seller_id'),
    subscriberId: readText(item, 'owner_id'),
    plan: decodePlan(readMap(item, 'plan')),
    status,
    created: readNumber(item, 'created'),
    trialEnd: readOptional(item, 'trial_end'),
    period: {
      anchor: readNumber(item, 'anchor'),
      elapsed: readNumber(item, 'elapsed'),
      start: readNumber(item, 'period_start'),
      end: readNumber(item, 'period_end'),
    },
    charges: readNumber(item, 'charges'),
    paidFrom: readNumber(item, 'paid_from'),
    returned: readInteger(item, 'returned'),
    cancelAtPeriodEnd: item.cancel_at_period_end?.BOOL === true,
    pendingPlan: item.pending_plan === undefined ? undefined : decodePlan(readMap(item, 'pending_plan')),
    retries: readNumber(item, 'retries'),
    dueAt: readOptional(item, 'due'),
    canceledAt: readOptional(item, 'canceled_at'),
    endedAt: readOptional(item, 'ended_at'),
    cancelReason: CANCEL_REASONS.find((each) => each === reason),
    version: readNumber(item, 'version'),
  };
}

const readOptional = (item: Item, name: string): number | undefined =>
  item[name] === undefined ? undefined : readNumber(item, name);

/** The writes of a new state, the first of which is conditional on the state that was read. */
export const replaceSubscription = (
  { market, listings }: SubscriptionTables,
  before: PlanSubscription,
  { subscription, event, now }: SubscriptionState,
): readonly TransactWriteItem[] => [
  {
    Put: {
      TableName: market,
      Item: encodeSubscription(subscription),
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': number(before.version) },
    },
  },
  ...(isLive(subscription) ? [] : endWrites(market, subscription)),
  ...(event === undefined ? [] : [putNew(listings, encodeEvent(subscription.listingId, event, now))]),
];

interface SubscriptionState {
  readonly subscription: PlanSubscription;
  readonly event: PublishedEvent | undefined;
  readonly now: number;
}

const endWrites = (
  table: string,
  { subscriberId, listingId }: PlanSubscription,
): readonly TransactWriteItem[] => [
  {
    Update: {
      TableName: table,
      Key: latestKey(subscriberId, listingId),
      UpdateExpression: 'SET live = :no',
      ExpressionAttributeValues: { ':no': { BOOL: false } },
    },
  },
  giveBack(liveCountKey(table, subscriberId)),
];

/** A part of a sale that is returned to the buyer, by a transaction of the seller's account. */
interface ReturnedPart {
  readonly amount: NanoUsd;
  readonly transactionId: string;
  readonly created: number;
}

/** Returns the writes by which the return of a charge changes its subscription, if it does. */
export async function returnWrites(
  client: DynamoDBClient,
  tables: SubscriptionTables,
  { chargeId, buyerId }: Pick<Sale, 'chargeId' | 'buyerId'>,
  { amount, transactionId, created }: ReturnedPart,
): Promise<readonly TransactWriteItem[]> {
  const [id = ''] = chargeId.split('#');
  if (!id.startsWith('sub_')) return [];
  const item = await readItem(client, { TableName: tables.market, Key: subscriptionKey(buyerId, id) });
  if (item === undefined) return [];
  const before = decodeSubscription(item);
  const subscription = recordReturn(before, { chargeId, amount }, created);
  if (subscription === undefined) return [];
  const event = eventOf(transactionId.replace('txn_', 'evt_'), before, subscription);
  return replaceSubscription(tables, before, { subscription, event, now: created });
}
