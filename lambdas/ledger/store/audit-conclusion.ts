/** The findings of the last audit: one item, in a separate partition in the table of accounts. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type Item,
  number,
  readInteger,
  readNumber,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { putItem } from '../../platform/dynamodb/update-item.ts';
import type { AuditConclusion } from '../core/audit/conclusion.ts';

/** No account has such an id. */
const KEY: Item = { account_id: text('audit'), item: text('audit#last') };

/** Replaces what the audit before it found. Safe to repeat. */
export async function writeConclusion(
  client: DynamoDBClient,
  table: string,
  { ended, accounts, unproven, drift, complete }: AuditConclusion,
): Promise<void> {
  const sums = { accounts: number(accounts), unproven: number(unproven), drift: number(drift) };
  await putItem(client, {
    TableName: table,
    Item: { ...KEY, ended: number(ended), ...sums, complete: { BOOL: complete } },
  });
}

/** Undefined before the first audit. */
export async function readConclusion(
  client: DynamoDBClient,
  table: string,
): Promise<AuditConclusion | undefined> {
  const item = await readItem(client, { TableName: table, Key: KEY });
  if (item === undefined) return undefined;
  return {
    ended: readNumber(item, 'ended'),
    accounts: readNumber(item, 'accounts'),
    unproven: readNumber(item, 'unproven'),
    drift: readInteger(item, 'drift'),
    complete: item.complete?.BOOL === true,
  };
}
