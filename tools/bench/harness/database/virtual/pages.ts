/** Pages of a query or a scan: at most `Limit` items, or 1 MB. */
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';
import { textOf } from '../requests.ts';
import { bytesOf, readUnits } from '../units.ts';
import { isMet } from './conditions.ts';
import { type OperationInput, type OperationResult, projected, scopeOf } from './operation.ts';
import type { VirtualTable } from './tables.ts';

const MAX_BYTES = 1024 * 1024;

/** One page, after `ExclusiveStartKey`. */
export function readPage(
  table: VirtualTable,
  operation: 'Query' | 'Scan',
  input: OperationInput,
): OperationResult {
  const items = operation === 'Scan' ? table.all() : inOrder(queried(table, input), input);
  const page: Item[] = [];
  let [bytes, at] = [0, startOf(table, items, input)];
  const { Limit: limit = Number.POSITIVE_INFINITY } = input;
  while (at < items.length && page.length < limit && bytes < MAX_BYTES) {
    const item = items[at] ?? {};
    page.push(item);
    bytes += bytesOf(item);
    at += 1;
  }
  const last = page.at(-1);
  const { FilterExpression: filter } = input;
  const matching = filter === undefined ? page : page.filter((item) => isMet(filter, scopeOf(item, input)));
  return {
    output: {
      Items: matching.map((item) => projected(item, input)),
      Count: matching.length,
      ScannedCount: page.length,
      // As DynamoDB: a page that is full has a next one, which may be empty.
      ...(last === undefined || (at === items.length && page.length < limit)
        ? {}
        : { LastEvaluatedKey: table.keyOf(last) }),
    },
    units: [readUnits(bytes, input.ConsistentRead === true)],
  };
}

/** The items of the partition key that the condition names, which meet all of it. */
function queried(table: VirtualTable, input: OperationInput): readonly Item[] {
  const { KeyConditionExpression: condition = '', ExpressionAttributeValues: values = {} } = input;
  const placeholder = /=\s*(:\w+)/.exec(condition)?.[1] ?? '';
  const partition = textOf(values[placeholder]);
  const items =
    input.IndexName === undefined ? table.collection(partition) : table.indexed(input.IndexName, partition);
  return items.filter((item) => isMet(condition, scopeOf(item, input)));
}

const inOrder = (items: readonly Item[], { ScanIndexForward: forward }: OperationInput): readonly Item[] =>
  forward === false ? items.toReversed() : items;

/** The place after the start key, whether or not its item is still there. */
function startOf(table: VirtualTable, items: readonly Item[], input: OperationInput): number {
  const { ExclusiveStartKey: start } = input;
  if (start === undefined) return 0;
  const names = Object.keys(table.keyOf(start));
  const matching = items.findIndex((item) => names.every((name) => item[name]?.S === start[name]?.S));
  if (matching >= 0) return matching + 1;
  const { sortKey } = table.schema;
  if (sortKey === undefined || input.IndexName !== undefined)
    throw new Error('the start of the page is gone');
  const sign = input.ScanIndexForward === false ? -1 : 1;
  const after = textOf(start[sortKey]);
  const next = items.findIndex((item) => sign * (textOf(item[sortKey]) < after ? -1 : 1) > 0);
  return next < 0 ? items.length : next;
}
