/** The findings of the last audit: one item, in a separate partition in the table of accounts. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Item, text } from '../../platform/dynamodb/attribute-values.ts';
import { asFlag, asInteger, asNumber, codec } from '../../platform/dynamodb/codec.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { putItem } from '../../platform/dynamodb/update-item.ts';
import type { AuditConclusion } from '../core/audit/conclusion.ts';

/** No account has such an id. */
const KEY: Item = { account_id: text('audit'), item: text('audit#last') };

const CONCLUSION = codec<AuditConclusion>({
  ended: asNumber('ended'),
  accounts: asNumber('accounts'),
  unproven: asNumber('unproven'),
  drift: asInteger('drift'),
  complete: asFlag('complete'),
});

/** Replaces what the audit before it found. Safe to repeat. */
export async function writeConclusion(
  client: DynamoDBClient,
  table: string,
  conclusion: AuditConclusion,
): Promise<void> {
  await putItem(client, { TableName: table, Item: { ...KEY, ...CONCLUSION.encode(conclusion) } });
}

/** Undefined before the first audit. */
export async function readConclusion(
  client: DynamoDBClient,
  table: string,
): Promise<AuditConclusion | undefined> {
  const item = await readItem(client, { TableName: table, Key: KEY });
  return item === undefined ? undefined : CONCLUSION.decode(item);
}
