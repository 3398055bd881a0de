/** Something an account does once to a listing that exists: in one transaction with the listing's own count. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { dayOf } from '../../core/api/quotas.ts';
import type { ActionResult } from '../../core/listings/ports.ts';
import type { Item } from '../dynamodb/attribute-values.ts';
import { countOneOf } from '../dynamodb/quota-item.ts';
import { transact } from '../dynamodb/transaction.ts';
import { dayCountKey, listingKey } from './listing-item.ts';

/** Places of a transaction's items, by which a failed condition is reported: what happens once is first. */
const ONCE_PLACE = 0;

export class ListingWrites {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** The first of the items is the one that can be there only once; `count` is refused when there are as many as may be. */
  async once(items: readonly TransactWriteItem[], count: TransactWriteItem): Promise<ActionResult> {
    const result = await transact(this.#client, [...items, count]);
    if (result.done) return 'done';
    if (result.failed.includes(ONCE_PLACE)) return 'repeated';
    return result.failed.includes(items.length) ? 'full' : 'gone';
  }

  /** Counts what an account does on a day, on the condition that it is within `most`. */
  countToday(
    what: 'installs' | 'reviews',
    { accountId, created }: { readonly accountId: string; readonly created: number },
    most: number,
  ): TransactWriteItem {
    const day = dayOf(created);
    return countOneOf(day, { TableName: this.#table, Key: dayCountKey(accountId, what, day) }, most);
  }

  put(item: Item): TransactWriteItem {
    return {
      Put: { TableName: this.#table, Item: item, ConditionExpression: 'attribute_not_exists(listing_id)' },
    };
  }

  /** Changes the listing, if there is one. */
  update(listingId: string, expression: string, values: Item): TransactWriteItem {
    return {
      Update: {
        TableName: this.#table,
        Key: listingKey(listingId),
        UpdateExpression: expression,
        ConditionExpression: 'attribute_exists(listing_id)',
        ExpressionAttributeValues: values,
      },
    };
  }
}
