/** Something an account does once to a listing that exists: in one transaction with the listing's own count. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute-values.ts';
import { listingKey } from './listing-item.ts';
import { transact } from './transaction.ts';

/** Which of a transaction's items is at fault is told by its place: what happens once is first. */
const ONCE_PLACE = 0;

export class ListingWrites {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** The first of the items is the one that can be there only once. */
  async once(items: readonly TransactWriteItem[]): Promise<'done' | 'repeated' | 'gone'> {
    const result = await transact(this.#client, items);
    if (result.done) return 'done';
    return result.failed.includes(ONCE_PLACE) ? 'repeated' : 'gone';
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
