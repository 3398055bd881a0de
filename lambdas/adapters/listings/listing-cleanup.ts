/** Removing what is left of a listing that is gone. */
import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateQuery,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { type Item, readText, text } from '../dynamodb/attribute-values.ts';
import { sendBatches } from '../dynamodb/reads.ts';

/** The most that one request deletes (BatchWriteItem). */
const BATCH = 25;

/** Purchases are kept, as every record of money is; events that wait to be published expire by themselves. */
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

const deleteAll = (client: DynamoDBClient, table: string, keys: readonly Item[]): Promise<void> =>
  sendBatches<WriteRequest>(
    keys.map((key) => ({ DeleteRequest: { Key: key } })),
    async (requests) => {
      const command = new BatchWriteItemCommand({ RequestItems: { [table]: requests } });
      return (await client.send(command)).UnprocessedItems?.[table];
    },
  );
