/** The kinds of the items in the tables of a stage. */
import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { LAYOUTS } from '../../lambdas/platform/contract/layouts.ts';
import { TABLES, type Table } from '../../lambdas/platform/contract/tables.ts';

const KINDS = Object.keys(LAYOUTS).map((kind) => {
  const [place = '', start = ''] = kind.split('/');
  return { kind, place, start };
});

/** Returns the kind of an item with these values of its key; undefined if the contract has none for it. */
const kindOf = (table: string, keys: readonly string[]): string | undefined =>
  KINDS.filter(({ place, start }) => place === table && keys.some((key) => key.startsWith(start))).sort(
    (a, b) => b.start.length - a.start.length,
  )[0]?.kind;

/** Returns the kinds that are stored, and the keys of items that have none. */
export async function storedKinds(
  client: DynamoDBClient,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly kinds: ReadonlySet<string>; readonly unknown: readonly string[] }> {
  const kinds = new Set<string>();
  const unknown: string[] = [];
  for (const [table, { variable, partitionKey, sortKey }] of Object.entries<Table>(TABLES)) {
    for await (const { Items: items = [] } of paginateScan(
      { client },
      { TableName: environment[variable] },
    )) {
      for (const item of items as readonly Record<string, AttributeValue>[]) {
        const keys = [partitionKey, ...(sortKey === undefined ? [] : [sortKey])].map(
          (name) => item[name]?.S ?? '',
        );
        const kind = kindOf(table, keys);
        if (kind === undefined) unknown.push(`${table}: ${keys.join(' ')}`);
        else kinds.add(kind);
      }
    }
  }
  return { kinds, unknown };
}
