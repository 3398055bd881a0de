/** Readings of usage records that no function needs: all of a table within a bound, and an account's by time. */
import { type DynamoDBClient, paginateQuery, ScanCommand } from '@aws-sdk/client-dynamodb';
import { encodeTime } from 'ulid';
import type { UsageRecord } from '../../lambdas/ledger/core/usage-record.ts';
import { decodeRecord } from '../../lambdas/ledger/store/usage-store.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { type Item, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';

/** From, inclusive, and to, exclusive, in milliseconds since the epoch. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Visits records, at most that many; `complete` when there are no others. */
export type UsageScan = (
  maxRecords: number,
  visit: (record: UsageRecord) => void,
) => Promise<{ readonly read: number; readonly complete: boolean }>;

const PAGE = 1_000;

/** Page by page, eventually consistent: half a read unit for every 4 KB of records. */
export async function scanUsage(
  { client, table }: { readonly client: DynamoDBClient; readonly table: string },
  maxRecords: number,
  visit: (record: UsageRecord) => void,
): Promise<{ readonly read: number; readonly complete: boolean }> {
  let read = 0;
  let after: Item | undefined;
  while (read < maxRecords) {
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new ScanCommand({
        TableName: table,
        Limit: Math.min(PAGE, maxRecords - read),
        ...(after === undefined ? {} : { ExclusiveStartKey: after }),
      }),
    );
    for (const item of items) visit(decodeRecord(item));
    read += items.length;
    after = last;
    if (last === undefined) return { read, complete: true };
  }
  return { read, complete: false };
}

/** Before every request id of that time. */
const idAt = (ms: number): string => `req_${encodeTime(Math.max(0, Math.floor(ms)), 10)}`;

/** Key after key, each key's calls in their order. */
export async function* usageOfAccount(
  client: DynamoDBClient,
  tables: { readonly keys: string; readonly usage: string },
  accountId: string,
  { fromMs, toMs }: TimeSpan,
): AsyncGenerator<UsageRecord, void> {
  const keys = paginateQuery(
    { client },
    {
      TableName: tables.keys,
      IndexName: TABLES.keys.indexes[0].name,
      KeyConditionExpression: 'account_id = :account',
      ExpressionAttributeValues: { ':account': text(accountId) },
    },
  );
  for await (const { Items: keyItems = [] } of keys)
    for (const { key_id: keyId } of keyItems) {
      if (keyId === undefined || fromMs >= toMs) continue;
      const records = paginateQuery(
        { client },
        {
          TableName: tables.usage,
          ConsistentRead: true,
          KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':key': keyId, ':from': text(idAt(fromMs)), ':to': text(idAt(toMs)) },
        },
      );
      for await (const { Items: items = [] } of records) yield* items.map(decodeRecord);
    }
}
