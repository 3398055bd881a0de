/** Removing what is left of a listing that is gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateQuery,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { type Item, readText, text } from '../dynamodb/attribute-values.ts';

/** The most that one request deletes (BatchWriteItem). */
const BATCH = 25;

const MAX_TRIES = 8;
const PAUSE_MS = 25;

/** Sales are kept, as every record of money is; events that wait to be published expire by themselves. */
const KEPT = /^(purchase|event)#/;

/** May be repeated, and goes on where an earlier run has stopped. */
export async function purgeListing(client: DynamoDBClient, table: string, listingId: string): Promise<void> {
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      KeyConditionExpression: 'listing_id = :listing',
      ProjectionExpression: 'listing_id, #item',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':listing': text(listingId) },
    },
  );
  for await (const { Items: items = [] } of pages) {
    const keys = items.filter((item) => !KEPT.test(readText(item, 'item')));
    for (let start = 0; start < keys.length; start += BATCH)
      await deleteAll(client, table, keys.slice(start, start + BATCH));
  }
}

async function deleteAll(client: DynamoDBClient, table: string, keys: readonly Item[]): Promise<void> {
  let requests: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: key } }));
  for (let tries = 1; requests.length > 0; tries += 1) {
    const { UnprocessedItems: rest = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
    );
    requests = rest[table] ?? [];
    if (requests.length > 0 && tries === MAX_TRIES) throw new Error('the listings table is too busy');
    if (requests.length > 0) await sleep(PAUSE_MS * tries);
  }
}
