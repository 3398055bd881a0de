/** What the audit has proven of an account's usage: one item of its partition in the table of accounts. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NOTHING_PROVEN, type ProvenUsage } from '../../core/ledger/audit/ports.ts';
import { type Item, number, readInteger, readNumber, text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { putItem } from '../dynamodb/update-item.ts';

const keyOf = (accountId: string): Item => ({ account_id: text(accountId), item: text('audit#usage') });

export async function readProven(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): Promise<ProvenUsage> {
  const item = await readItem(client, { TableName: table, Key: keyOf(accountId) });
  return item === undefined ? NOTHING_PROVEN : decodeProven(item);
}

/**
 * Returns false when another version than `proven.version` is stored. It may do so for this very write, when the SDK
 * has sent it twice: then the next audit removes the costs by day that it replaces.
 */
export async function writeProven(
  client: DynamoDBClient,
  table: string,
  accountId: string,
  proven: ProvenUsage,
): Promise<boolean> {
  const { version } = proven;
  const found = await putItem(client, {
    TableName: table,
    Item: { ...keyOf(accountId), ...encodeProven(proven) },
    ConditionExpression: version === 0 ? 'attribute_not_exists(account_id)' : '#version = :found',
    ...(version === 0
      ? {}
      : {
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':found': number(version) },
        }),
  });
  return found === undefined;
}

const encodeProven = ({ through, cost, version }: ProvenUsage): Item => ({
  through: number(through),
  usage: number(cost),
  version: number(version + 1),
});

const decodeProven = (item: Item): ProvenUsage => ({
  through: readNumber(item, 'through'),
  cost: readInteger(item, 'usage'),
  version: readNumber(item, 'version'),
});
