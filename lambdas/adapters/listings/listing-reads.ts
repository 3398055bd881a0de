/** Reading pages of items: a query that says whether there is more, and many listings by their ids. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Page } from '../../core/api/paging.ts';
import type { Listing } from '../../core/listings/listing.ts';
import { type Item, readText } from '../dynamodb/attribute-values.ts';
import { decodeListing, listingKey } from './listing-item.ts';

/** DynamoDB leaves keys unread when an answer would exceed 16 MB or a partition is throttled; seconds later it is not. */
const MAX_READS = 8;
const PAUSE_MS = 25;

/** One page of a query; `idOf` names the entry that the next page continues after. */
export async function queryPage<T>(
  client: DynamoDBClient,
  input: QueryCommandInput & { readonly Limit: number },
  decode: (item: Item) => T,
  idOf: (entry: T) => string,
): Promise<Page<T>> {
  // One more than asked for tells whether there is another page.
  const { Items: items = [] } = await client.send(new QueryCommand({ ...input, Limit: input.Limit + 1 }));
  const entries = items.slice(0, input.Limit).map(decode);
  const last = entries.at(-1);
  return { entries, next: items.length > input.Limit && last !== undefined ? idOf(last) : undefined };
}

/** The listings with those ids (at most 100), in that order; those that are gone are left out. */
export async function readListings(
  client: DynamoDBClient,
  table: string,
  ids: readonly string[],
): Promise<readonly Listing[]> {
  const found = new Map<string, Listing>();
  let keys = [...new Set(ids)].map((id) => listingKey(id));
  for (let reads = 1; keys.length > 0; reads += 1) {
    const { Responses: responses = {}, UnprocessedKeys: rest = {} } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: keys, ConsistentRead: true } } }),
    );
    for (const item of responses[table] ?? []) found.set(readText(item, 'listing_id'), decodeListing(item));
    keys = (rest[table]?.Keys ?? []) as Item[];
    if (keys.length > 0 && reads === MAX_READS) throw new Error('the listings table is too busy');
    if (keys.length > 0) await sleep(PAUSE_MS * reads);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}
