/**
 * Deletes expired items as DynamoDB does by its time to live, which the embedded engine accepts but never acts on.
 * Source: DynamoDB developer guide, using time to live.
 */
import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { TableDescription } from '../assembly/tables.ts';
import type { TableWrites } from './table-writes.ts';

/** DynamoDB takes up to days; soon enough to watch, seldom enough not to be felt. */
const SWEEP_INTERVAL_MS = 10_000;

/** DynamoDB never deletes an item that expired longer ago, so that a wrong unit does not empty a table. */
const OLDEST_EXPIRY_SECONDS = 5 * 365 * 24 * 3600;

const EXPIRED = 'attribute_type(#ttl, :number) AND #ttl < :now AND #ttl > :oldest';

type ExpiringTable = TableDescription & { readonly ttlAttribute: string };

/** Deletes what has expired from every table with a TTL; returns how many items went, and gives notice of each. */
export async function sweepExpired(
  client: DynamoDBClient,
  tables: readonly TableDescription[],
  writes: TableWrites,
): Promise<number> {
  const expiring = tables.filter((table): table is ExpiringTable => table.ttlAttribute !== undefined);
  const counts = await Promise.all(expiring.map((table) => sweepTable(client, table, writes)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function sweepTable(
  client: DynamoDBClient,
  table: ExpiringTable,
  writes: TableWrites,
): Promise<number> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const keyNames = table.keySchema.map(({ AttributeName }) => String(AttributeName));
  const expired = {
    TableName: table.name,
    ExpressionAttributeValues: {
      ':number': { S: 'N' },
      ':now': { N: String(nowSeconds) },
      ':oldest': { N: String(nowSeconds - OLDEST_EXPIRY_SECONDS) },
    },
  };
  const keyAliases = Object.fromEntries(keyNames.map((name, index) => [`#key${index}`, name]));
  const pages = paginateScan(
    { client },
    {
      ...expired,
      FilterExpression: EXPIRED,
      ProjectionExpression: Object.keys(keyAliases).join(', '),
      ExpressionAttributeNames: { ...keyAliases, '#ttl': table.ttlAttribute },
    },
  );
  let count = 0;
  for await (const { Items } of pages) {
    for (const Key of Items ?? []) {
      count += await deleteExpired(client, { ...expired, Key, ttlAttribute: table.ttlAttribute });
      writes.written(table.name);
    }
  }
  return count;
}

interface ExpiredItem {
  readonly TableName: string;
  readonly Key: Record<string, AttributeValue>;
  readonly ExpressionAttributeValues: Record<string, AttributeValue>;
  readonly ttlAttribute: string;
}

/** The condition spares an item whose life was extended since the scan. */
async function deleteExpired(
  client: DynamoDBClient,
  { ttlAttribute, ...item }: ExpiredItem,
): Promise<number> {
  try {
    const names = { '#ttl': ttlAttribute };
    await client.send(
      new DeleteItemCommand({ ...item, ConditionExpression: EXPIRED, ExpressionAttributeNames: names }),
    );
    return 1;
  } catch (failure) {
    if ((failure as Error).name === 'ConditionalCheckFailedException') return 0;
    throw failure;
  }
}

/** Sweeps every 10 s until the returned function is called. */
export function startTtlSweeper(options: {
  readonly client: DynamoDBClient;
  readonly tables: readonly TableDescription[];
  readonly writes: TableWrites;
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
