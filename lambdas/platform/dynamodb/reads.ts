/** Reads of items: one, a page of a query, and many by their keys. */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { overloaded } from '../core/errors.ts';
import type { Item } from './attribute-values.ts';

/** The item as the last write left it; undefined when there is none. */
export async function readItem(
  client: DynamoDBClient,
  key: { readonly TableName: string; readonly Key: Item },
): Promise<Item | undefined> {
  return (await client.send(new GetItemCommand({ ...key, ConsistentRead: true }))).Item;
}

/** The item as it was a moment ago, for half the read units; undefined when there was none. */
export async function readRecentItem(
  client: DynamoDBClient,
  key: { readonly TableName: string; readonly Key: Item },
): Promise<Item | undefined> {
  return (await client.send(new GetItemCommand(key))).Item;
}

/** One page of a query, of at most `Limit` entries; `next` is the id of its last entry when there are more. */
export async function queryPage<T>(
  client: DynamoDBClient,
  input: QueryCommandInput & { readonly Limit: number },
  decode: (item: Item) => T,
  idOf: (entry: T) => string,
): Promise<{ readonly entries: readonly T[]; readonly next: string | undefined }> {
  // One item beyond the page shows whether there is another page.
  const { Items: items = [] } = await client.send(new QueryCommand({ ...input, Limit: input.Limit + 1 }));
  const entries = items.slice(0, input.Limit).map(decode);
  const last = entries.at(-1);
  return { entries, next: items.length > input.Limit && last !== undefined ? idOf(last) : undefined };
}

/** The items with those keys (at most 100, none twice) that exist, in no order. Throws 503 when the table stays throttled. */
export async function readMany(
  client: DynamoDBClient,
  table: string,
  keys: readonly Item[],
  consistent = true,
): Promise<readonly Item[]> {
  const results: Item[] = [];
  await sendBatches(keys, async (batch) => {
    const { Responses: items = {}, UnprocessedKeys: rest = {} } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: batch, ConsistentRead: consistent } } }),
    );
    results.push(...(items[table] ?? []));
    return rest[table]?.Keys;
  });
  return results;
}

/** With the pauses between them, a throttled partition has recovered. */
const MAX_ATTEMPTS = 8;
const PAUSE_MS = 25;

/** Sends requests until none is left; `send` returns those that were not processed. Throws 503 when some stay so. */
export async function sendBatches<T>(
  requests: readonly T[],
  send: (requests: T[]) => Promise<T[] | undefined>,
): Promise<void> {
  let rest = [...requests];
  for (let attempts = 0; rest.length > 0; attempts += 1) {
    if (attempts === MAX_ATTEMPTS) throw overloaded();
    if (attempts > 0) await sleep(PAUSE_MS * attempts);
    rest = (await send(rest)) ?? [];
  }
}
