/**
 * Deletes expired items as DynamoDB does by its time to live, which the embedded engine accepts but never acts on.
 * Source: DynamoDB developer guide, using time to live.
 */
import type { EventEmitter } from 'node:events';
import { DeleteItemCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { TableDescription } from '../assembly/tables.ts';

/** DynamoDB takes up to days; soon enough to watch, seldom enough not to be felt. */
const SWEEP_INTERVAL_MS = 10_000;

/** DynamoDB never deletes an item that expired longer ago, so that a wrong unit does not empty a table. */
const OLDEST_EXPIRY_SECONDS = 5 * 365 * 24 * 3600;

const EXPIRED = 'attribute_type(#ttl, :number) AND #ttl < :now AND #ttl > :oldest';

/** Deletes what has expired from every table with a TTL; returns how many items went, and gives notice of each. */
export async function sweepExpired(
  client: DynamoDBClient,
  tables: readonly TableDescription[],
  writes: EventEmitter,
): Promise<number> {
  const counts = await Promise.all(tables.map((table) => sweepTable(client, table, writes)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function sweepTable(
  client: DynamoDBClient,
  { name: TableName, keySchema, ttlAttribute }: TableDescription,
  writes: EventEmitter,
): Promise<number> {
  if (ttlAttribute === undefined) return 0;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const ExpressionAttributeValues = {
    ':number': { S: 'N' },
    ':now': { N: String(nowSeconds) },
    ':oldest': { N: String(nowSeconds - OLDEST_EXPIRY_SECONDS) },
  };
  const names = { '#ttl': ttlAttribute };
  const keys = Object.fromEntries(
    keySchema.map(({ AttributeName }, at) => [`#key${at}`, `${AttributeName}`]),
  );
  const pages = paginateScan(
    { client },
    {
      TableName,
      ExpressionAttributeValues,
      FilterExpression: EXPIRED,
      ProjectionExpression: Object.keys(keys).join(', '),
      ExpressionAttributeNames: { ...keys, ...names },
    },
  );
  let count = 0;
  for await (const { Items = [] } of pages) {
    for (const Key of Items) {
      // The condition spares an item whose life was extended since the scan.
      const expired = { TableName, Key, ExpressionAttributeValues, ConditionExpression: EXPIRED };
      await client
        .send(new DeleteItemCommand({ ...expired, ExpressionAttributeNames: names }))
        .then(() => {
          count += 1;
        })
        .catch(ignoreExtended);
      writes.emit(TableName);
    }
  }
  return count;
}

function ignoreExtended(failure: Error): void {
  if (failure.name !== 'ConditionalCheckFailedException') throw failure;
}

/** Sweeps every 10 s until the returned function is called. */
export function startTtlSweeper(options: {
  readonly client: DynamoDBClient;
  readonly tables: readonly TableDescription[];
  readonly writes: EventEmitter;
  readonly log: (line: string) => void;
}): () => Promise<void> {
  const { client, tables, writes, log } = options;
  let sweep: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    sweep = sweepExpired(client, tables, writes).catch((failure: Error) =>
      log(`time-to-live sweep failed: ${failure.message}`),
    );
  }, SWEEP_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await sweep;
  };
}
