/**
 * The way of restored tables back into the stack. Gives the tables of the stack, which nothing uses while restored ones are
 * in their places, the items of these. The settings can then leave `restoredTables` out, and CloudFormation changes the
 * tables in use again. The restored tables stay unchanged. Safe to repeat: only what differs is written.
 */
import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { accountOf } from '../../lambdas/ledger/store/wallet/item.ts';
import {
  replacedVariable,
  requireTable,
  TABLES,
  type Table,
  type TableName,
} from '../../lambdas/platform/contract/tables.ts';
import { CLOSED_WITHIN_MS } from '../../lambdas/platform/core/stage-check.ts';
import { type Item, number, readText } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { writeBatches } from '../../lambdas/platform/dynamodb/write-batches.ts';
import { keyIn, pairsOf } from './pairs.ts';
import type { RestoreDependencies } from './restore.ts';

export interface CopyBack {
  readonly tables: readonly TableName[];
  /** The number of items that were written or deleted. */
  readonly changes: number;
}

/** A deployment without open calls is still after two: one that copies, and one that finds nothing more. */
const MAX_PASSES = 5;

/** Resolves once the tables are equal. Throws if no table is restored, if calls are open, or if the restored tables do not stop changing. */
export async function copyBack({
  client,
  target: { environment },
  maintenance,
  clock,
  sleep,
}: RestoreDependencies): Promise<CopyBack> {
  const restored = (Object.keys(TABLES) as TableName[]).flatMap((table) => {
    const to = environment[replacedVariable(TABLES[table].variable)];
    return to === undefined ? [] : [{ table, from: requireTable(environment, table), to }];
  });
  if (restored.length === 0) throw new Error('the deployment uses no restored table');
  const { since } = await maintenance.close('copy back');
  await sleep(Math.max(0, Date.parse(since) + CLOSED_WITHIN_MS - clock()));
  await requireNoOpenCalls(client, requireTable(environment, 'wallets'));
  const tables = restored.map(({ table }) => table);
  let changes = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const counts = await Promise.all(
      restored.map(({ table, from, to }) => copyTable(client, TABLES[table], from, to)),
    );
    const changesOfPass = counts.reduce((sum, count) => sum + count, 0);
    if (changesOfPass === 0) return { tables, changes };
    changes += changesOfPass;
  }
  throw new Error('the restored tables still change: wait, and repeat the command');
}

/** A stream writes nothing for minutes before it settles in the restored tables. A closed service opens no call. */
async function requireNoOpenCalls(client: DynamoDBClient, table: string): Promise<void> {
  const scan = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: 'size(holds) > :none',
    ExpressionAttributeValues: { ':none': number(0) },
    ProjectionExpression: 'wallet_id',
  };
  for await (const { Items: [item] = [] } of paginateScan({ client }, scan))
    if (item !== undefined)
      throw new Error(
        `calls are open, such as of ${accountOf(readText(item, 'wallet_id'))}: wait until they end, run "sweep", and repeat the command`,
      );
}

/** Writes the items that differ, and deletes those that the other table does not have. Returns how many. */
async function copyTable(client: DynamoDBClient, spec: Table, from: string, to: string): Promise<number> {
  const deletions = async function* () {
    for await (const [item, source] of pairsOf(client, spec, { from: to, other: from }))
      if (source === undefined) yield { DeleteRequest: { Key: keyIn(spec, item) } };
  };
  const puts = async function* () {
    for await (const [item, copy] of pairsOf(client, spec, { from, other: to }))
      if (!isSame(item, copy)) yield { PutRequest: { Item: item } };
  };
  return (await writeBatches(client, to, deletions())) + (await writeBatches(client, to, puts()));
}

/** DynamoDB returns the values of a set in any order. */
const isSame = (item: Item, copy: Item | undefined): boolean =>
  copy !== undefined && isDeepStrictEqual(withSortedSets(item), withSortedSets(copy));

const withSortedSets = (item: Item): unknown =>
  JSON.parse(
    JSON.stringify(item, (key, value) =>
      (key === 'SS' || key === 'NS') && Array.isArray(value) ? value.toSorted() : value,
    ),
  );
