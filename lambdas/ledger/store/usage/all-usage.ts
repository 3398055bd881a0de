/** The usage records of all keys in a span, in pages: the records of one key after those of another. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import type { UsageRecord } from '../../core/usage-record.ts';
import { createUsageStore } from '../usage-store.ts';

/** A page ends with the read of a key that reaches so many, a thousand at a time: it takes about a second. */
const MAX_RECORDS = 4_000;

/** Request ids, both inclusive; `after` is the `next` of the page before: a key, and the last of its calls that was read. */
interface UsageSpan {
  readonly from: string;
  readonly to: string;
  readonly after: string | undefined;
}

export function createUsagePages(
  client: DynamoDBClient,
  tables: { readonly keys: string; readonly usage: string },
) {
  const usage = createUsageStore(client, tables.usage);

  async function keysAfter(keyId: string | undefined) {
    const start = keyId === undefined ? {} : { ExclusiveStartKey: { key_id: text(keyId) } };
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new ScanCommand({ TableName: tables.keys, Limit: 50, ProjectionExpression: 'key_id', ...start }),
    );
    return { keyIds: items.map((item) => readText(item, 'key_id')), next: last && readText(last, 'key_id') };
  }

  return async ({ from, to, after }: UsageSpan) => {
    const records: UsageRecord[] = [];
    let [key, before] = after?.split(' ') ?? [];
    const { keyIds, next } = key && before ? { keyIds: [key], next: key } : await keysAfter(key);
    for (key of keyIds) {
      do {
        const position = before === undefined ? {} : { before };
        const page = await usage.list({ keyId: key, from, to, limit: 1_000, ...position });
        records.push(...page.records);
        before = page.next;
        if (records.length >= MAX_RECORDS)
          return { records, next: before === undefined ? key : `${key} ${before}` };
      } while (before !== undefined);
    }
    return { records, next };
  };
}
