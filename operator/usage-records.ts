/** Readings of usage records that no function needs: all of a table within a bound, and an account's by time. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { firstIdAt } from '../lambdas/ledger/core/usage/sums.ts';
import type { UsageRecord } from '../lambdas/ledger/core/usage-record.ts';
import { createAccountKeys } from '../lambdas/ledger/store/usage/account-keys.ts';
import { createUsageStore, RECORD } from '../lambdas/ledger/store/usage-store.ts';
import type { Item } from '../lambdas/platform/dynamodb/attribute-values.ts';

/** From, inclusive, and to, exclusive, in milliseconds since the epoch. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Visits records, at most that many; `complete` when there are no others. */
export type UsageScan = (
  most: number,
  visit: (record: UsageRecord) => void,
) => Promise<{ readonly read: number; readonly complete: boolean }>;

const PAGE = 1_000;

/** Page by page, eventually consistent: half a read unit for every 4 KB of records. */
export async function scanUsage(
  { client, table }: { readonly client: DynamoDBClient; readonly table: string },
  most: number,
  visit: (record: UsageRecord) => void,
): Promise<{ readonly read: number; readonly complete: boolean }> {
  let read = 0;
  let after: Item | undefined;
  while (read < most) {
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new ScanCommand({
        TableName: table,
        Limit: Math.min(PAGE, most - read),
        ...(after === undefined ? {} : { ExclusiveStartKey: after }),
      }),
    );
    for (const item of items) visit(RECORD.decode(item));
    read += items.length;
    after = last;
    if (last === undefined) return { read, complete: true };
  }
  return { read, complete: false };
}

/** Key after key, each key's calls with the newest first. */
export async function* usageOfAccount(
  client: DynamoDBClient,
  tables: { readonly accounts: string; readonly keys: string; readonly usage: string },
  accountId: string,
  { fromMs, toMs }: TimeSpan,
): AsyncGenerator<UsageRecord, void> {
  const usage = createUsageStore(client, tables.usage);
  const { later } = await createAccountKeys(client, tables).since(accountId, '', Number.POSITIVE_INFINITY);
  const span = { from: firstIdAt(fromMs), to: firstIdAt(toMs), limit: PAGE };
  for (const keyId of later) {
    let before: string | undefined;
    do {
      const page = await usage.list({ ...span, keyId, ...(before === undefined ? {} : { before }) });
      yield* page.records;
      before = page.next;
    } while (before !== undefined);
  }
}
