/**
 * The numbers of an account's open orders and of its orders of today, in one item of its partition. The open orders are
 * a set of ids, so that none counts twice. Each id contains the time from which the end of its checkout follows. An
 * order without payment and without a reported end therefore frees its slot by itself.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { decodeTime } from 'ulid';
import { dayOf, secondsUntilTomorrow } from '../../platform/core/api/quotas.ts';
import { retryOptimistically } from '../../platform/core/optimistic.ts';
import { type Item, number, text } from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import type { OrderLimits, OrderReference, OrdersFull } from '../core/ports.ts';

/**
 * The time for which a checkout can be paid (Stripe API reference, Checkout Session, `expires_at`), plus an hour for
 * requests in flight.
 */
const CHECKOUT_SECONDS = 25 * 3600;

/** Each further attempt means that the day has started, an order has expired or another was created meanwhile. */
const MAX_ATTEMPTS = 8;

const OPEN_AFTER = 'ord_'.length;

interface Counts {
  readonly open: readonly string[];
  readonly day: number;
  readonly createdCount: number;
}

export class OrderCounts {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Counts an order, unless there are as many as there may be. */
  async reserve(
    { accountId, orderId }: OrderReference,
    limits: OrderLimits,
    nowSeconds: number,
  ): Promise<'reserved' | OrdersFull> {
    const today = dayOf(nowSeconds);
    return retryOptimistically<'reserved' | OrdersFull>(MAX_ATTEMPTS, "the account's orders", async () => {
      const { open, day, createdCount } = await this.#read(accountId);
      const over = open.filter((id) => endOf(id) <= nowSeconds);
      if (open.length - over.length >= limits.unpaid) {
        const first = Math.min(...open.filter((id) => !over.includes(id)).map(endOf));
        return { why: 'unpaid', retryAfterSeconds: first - nowSeconds };
      }
      if (day >= today && createdCount >= limits.today)
        return { why: 'today', retryAfterSeconds: secondsUntilTomorrow(nowSeconds) };
      if (over.length > 0) await transact(this.#client, [this.#remove(accountId, over)]);
      const add = this.#add({ accountId, orderId }, limits, { day, today });
      return (await transact(this.#client, [add])).done ? 'reserved' : undefined;
    });
  }

  /** An order is open no more; one that was not is left alone. */
  close(accountId: string, orderId: string): TransactWriteItem {
    return this.#remove(accountId, [orderId]);
  }

  /** On the condition that the counts allow it, and that the day is still the one that was read. */
  #add(
    { accountId, orderId }: OrderReference,
    { unpaid, today: maxPerDay }: OrderLimits,
    { day, today }: { readonly day: number; readonly today: number },
  ): TransactWriteItem {
    const isNewDay = day < today;
    const sameDay = isNewDay ? '(attribute_not_exists(made_on) OR made_on = :read)' : 'made_on = :read';
    return {
      Update: {
        ...this.#key(accountId),
        UpdateExpression: isNewDay
          ? 'SET made_on = :today, made = :one ADD unpaid :order'
          : 'SET made = made + :one ADD unpaid :order',
        ConditionExpression: [
          '(attribute_not_exists(unpaid) OR size(unpaid) < :unpaid)',
          sameDay,
          ...(isNewDay ? [] : ['made < :most']),
        ].join(' AND '),
        ExpressionAttributeValues: {
          ':order': { SS: [orderId] },
          ':unpaid': number(unpaid),
          ':one': number(1),
          ':read': number(day),
          ...(isNewDay ? { ':today': number(today) } : { ':most': number(maxPerDay) }),
        },
      },
    };
  }

  #remove(accountId: string, orderIds: readonly string[]): TransactWriteItem {
    return {
      Update: {
        ...this.#key(accountId),
        UpdateExpression: 'DELETE unpaid :orders',
        ExpressionAttributeValues: { ':orders': { SS: [...orderIds] } },
      },
    };
  }

  async #read(accountId: string): Promise<Counts> {
    const item = (await readItem(this.#client, this.#key(accountId))) ?? {};
    return {
      open: item.unpaid?.SS ?? [],
      day: Number(item.made_on?.N ?? 0),
      createdCount: Number(item.made?.N ?? 0),
    };
  }

  #key(accountId: string) {
    const key: Item = { account_id: text(accountId), item: text('order_counts') };
    return { TableName: this.#table, Key: key };
  }
}

/** Returns the latest end of an order's checkout, by the time in its id, in seconds since the epoch. */
const endOf = (orderId: string): number =>
  Math.ceil(decodeTime(orderId.slice(OPEN_AFTER)) / 1000) + CHECKOUT_SECONDS;
