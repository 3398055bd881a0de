/** Compares the items of two tables with the same key. */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../lambdas/platform/contract/tables.ts';
import { type Item, readText, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { readMany } from '../../lambdas/platform/dynamodb/reads.ts';

/** The most keys that one read takes. */
const PAGE_ITEMS = 100;

/** Yields each item of the table `from` with the item of its key in the table `other`. */
export async function* pairsOf(
  client: DynamoDBClient,
  spec: Table,
  { from, other }: { readonly from: string; readonly other: string },
): AsyncGenerator<readonly [Item, Item | undefined]> {
  const idOf = (item: Item) => JSON.stringify(keyIn(spec, item));
  for await (const page of pagesOf(client, from)) {
    const keys = page.map((item) => keyIn(spec, item));
    const items = await readMany(client, other, keys);
    const itemsById = new Map(items.map((item) => [idOf(item), item]));
    for (const item of page) yield [item, itemsById.get(idOf(item))];
  }
}

export async function* pagesOf(client: DynamoDBClient, table: string): AsyncGenerator<readonly Item[]> {
  const pages = paginateScan({ client }, { TableName: table, Limit: PAGE_ITEMS, ConsistentRead: true });
  for await (const { Items: items = [] } of pages) if (items.length > 0) yield items;
}

export function keyIn({ partitionKey, sortKey }: Table, item: Item): Item {
  const names = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return Object.fromEntries(names.map((name) => [name, text(readText(item, name))]));
}
