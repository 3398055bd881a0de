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

/** Replaces the conclusion of the previous audit. Safe to repeat. */
export async function writeConclusion(
  client: DynamoDBClient,
  table: string,
  { endedAt, accounts, unproven, drift, complete }: AuditConclusion,
): Promise<void> {
  const amounts = { accounts: number(accounts), unproven: number(unproven), drift: number(drift) };
  await putItem(client, {
    TableName: table,
    Item: { ...KEY, ended: number(endedAt), ...amounts, complete: { BOOL: complete } },
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
    endedAt: readNumber(item, 'ended'),
    accounts: readNumber(item, 'accounts'),
    unproven: readNumber(item, 'unproven'),
    drift: readInteger(item, 'drift'),
    complete: item.complete?.BOOL === true,
  };
}
