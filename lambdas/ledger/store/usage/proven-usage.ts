/** The usage of an account that an audit has verified, in one item of the account. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Item, readInteger, readNumber, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { NO_PROVEN_USAGE, type ProvenUsage } from '../../core/audit/ports.ts';

/** Returns the key of the audit's item in an account's partition: the usage that it has verified. */
export const provenKey = (accountId: string): Item => ({
  account_id: text(accountId),
  item: text('audit#usage'),
});

export async function readProvenUsage(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): Promise<ProvenUsage> {
  const item = await readItem(client, { TableName: table, Key: provenKey(accountId) });
  if (item === undefined) return NO_PROVEN_USAGE;
  const [through, version] = [readNumber(item, 'through'), readNumber(item, 'version')];
  return { through, version, cost: readInteger(item, 'usage') };
}
