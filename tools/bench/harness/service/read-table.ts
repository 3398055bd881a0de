/** Every item of a table. */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../lambdas/platform/dynamodb/attribute-values.ts';

export async function readTable(client: DynamoDBClient, table: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  const pages = paginateScan({ client }, { TableName: table, ConsistentRead: true });
  for await (const { Items: page = [] } of pages) items.push(...page);
  return items;
}
