/**
 * The entries of a listing, in its partition: pages of one kind of entry, and the removal of the entries of a deleted
 * listing.
 */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { type Item, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { queryPage, readItem } from '../../../platform/dynamodb/reads.ts';
import { writeBatches } from '../../../platform/dynamodb/write-batches.ts';
import { listingKey } from './listing-item.ts';

/** Reads entries, the newest first: their items are named by the prefix and the entry's id, which sorts by time. */
export const historyPage = <T extends { readonly id: string }>(
  client: DynamoDBClient,
  table: string,
  history: { readonly listingId: string; readonly prefix: string; readonly decode: (item: Item) => T },
  { limit, after }: PageQuery,
): Promise<Page<T>> =>
  queryPage(
    client,
    {
      TableName: table,
      KeyConditionExpression: 'listing_id = :listing AND begins_with(#item, :prefix)',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':listing': text(history.listingId), ':prefix': text(history.prefix) },
      ...(after === undefined
        ? {}
        : { ExclusiveStartKey: listingKey(history.listingId, `${history.prefix}${after}`) }),
      ScanIndexForward: false,
      Limit: limit,
    },
    history.decode,
    ({ id }) => id,
  );

/** Purchases are retained, like every record of money; events that wait to be published expire by themselves. */
const RETAINED_PREFIX = /^(purchase|event)#/;

/**
 * Removes the items of a deleted listing. Safe to repeat: it continues where an earlier run has stopped. No listing takes the id
 * of another, so one that exists was restored after its deletion, of which the stream still tells.
 */
export async function purgeListing(client: DynamoDBClient, table: string, listingId: string): Promise<void> {
  if ((await readItem(client, { TableName: table, Key: listingKey(listingId) })) !== undefined) return;
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
    const keys = items.filter((item) => !RETAINED_PREFIX.test(readText(item, 'item')));
    await writeBatches(
      client,
      table,
      keys.map((key) => ({ DeleteRequest: { Key: key } })),
    );
  }
}
