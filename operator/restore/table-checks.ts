/**
 * Compares the tables in use with those that the code needs. A restored table is no part of the stack, so a version that
 * needs another index or stream changes the tables of the stack alone, and calls on the restored ones fail.
 */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { createDynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { TABLES, type Table, type TableName, tablesOf } from '../../lambdas/platform/contract/tables.ts';
import type { Config } from '../../lib/config/config.ts';
import type { OperatorTarget } from '../target.ts';
import type { RestoredTables } from './tables.ts';

/** A table that differs from what the code needs. */
export interface DifferentTable {
  readonly table: TableName;
  readonly name: string;
  readonly differences: readonly string[];
}

type TableNames = Readonly<Partial<Record<TableName, string>>>;

/** Returns the tables in use that differ. The local service has no expiry, recovery and protection. */
export function checkTables(
  client: DynamoDBClient,
  { environment, client: { endpoint } }: OperatorTarget,
): Promise<readonly DifferentTable[]> {
  return differentTables(client, tablesOf(environment), endpoint === undefined);
}

/** Throws if a table of the setting `restoredTables` differs from what the code needs: no deployment would change it. */
export async function requireRestoredTables({
  restoredTables,
}: Pick<Config, 'restoredTables'>): Promise<void> {
  if (Object.keys(restoredTables).length === 0) return;
  const { client, onceClient } = createDynamoClients({});
  try {
    const different = await checkRestoredTables(client, restoredTables);
    if (different.length > 0)
      throw new Error(
        [
          'no deployment changes restored tables, and this version needs others:',
          ...different,
          'Bring them back into the stack with the version that is deployed: "tables return" in docs/operate/backup.md',
        ].join('\n'),
      );
  } finally {
    for (const each of [client, onceClient]) each.destroy();
  }
}

/** Returns a line for each table of the setting `restoredTables` that differs from what the code needs. */
export async function checkRestoredTables(
  client: DynamoDBClient,
  restored: RestoredTables,
): Promise<readonly string[]> {
  const names = Object.fromEntries(Object.entries(restored).map(([table, { name }]) => [table, name]));
  const different = await differentTables(client, names, true);
  return different.map(
    ({ table, name, differences }) => `restored table ${table} (${name}): ${differences.join(', ')}`,
  );
}

async function differentTables(
  client: DynamoDBClient,
  names: TableNames,
  isDeployed: boolean,
): Promise<readonly DifferentTable[]> {
  const checked = await Promise.all(
    (Object.keys(TABLES) as TableName[]).map(async (table) => {
      const name = names[table];
      if (name === undefined) return { table, name: '', differences: [] };
      return { table, name, differences: await differencesOf(client, name, TABLES[table], isDeployed) };
    }),
  );
  return checked.filter(({ differences }) => differences.length > 0);
}

async function differencesOf(
  client: DynamoDBClient,
  name: string,
  needed: Table,
  isDeployed: boolean,
): Promise<readonly string[]> {
  const live = await describe(client, name);
  if (live === undefined) return ['does not exist'];
  return [
    ...layoutDifferences(live, needed),
    ...(isDeployed ? await expiryDifferences(client, name, needed) : []),
    ...(isDeployed ? await safetyDifferences(client, name, live) : []),
  ];
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (failure) {
    if (failure instanceof ResourceNotFoundException) return undefined;
    throw failure;
  }
}

const keyText = (keys: readonly KeySchemaElement[] = []): string =>
  keys.map(({ AttributeName: name, KeyType: type }) => `${name} ${type}`).join(', ');

const neededKey = ({ partitionKey, sortKey }: Pick<Table, 'partitionKey' | 'sortKey'>): string =>
  [`${partitionKey} HASH`, ...(sortKey === undefined ? [] : [`${sortKey} RANGE`])].join(', ');

function layoutDifferences(live: TableDescription, needed: Table): readonly string[] {
  const differences: string[] = [];
  const compare = (what: string, actual: string, expected: string) => {
    if (actual !== expected) differences.push(`${what} is ${actual}, not ${expected}`);
  };
  compare('the key', keyText(live.KeySchema), neededKey(needed));
  for (const { name, ...keys } of needed.indexes ?? []) {
    const index = live.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
    if (index === undefined) differences.push(`the index ${name} is missing`);
    else compare(`the key of the index ${name}`, keyText(index.KeySchema), neededKey(keys));
  }
  if (needed.stream !== undefined)
    compare('the stream', live.StreamSpecification?.StreamViewType ?? 'off', 'NEW_AND_OLD_IMAGES');
  return differences;
}

async function expiryDifferences(
  client: DynamoDBClient,
  name: string,
  { ttl }: Table,
): Promise<readonly string[]> {
  if (ttl === undefined) return [];
  const { TimeToLiveDescription: expiry } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: name }),
  );
  const isOn = expiry?.TimeToLiveStatus === 'ENABLED' || expiry?.TimeToLiveStatus === 'ENABLING';
  const actual = isOn ? `by ${expiry?.AttributeName}` : 'off';
  return actual === `by ${ttl}` ? [] : [`expiry is ${actual}, not by ${ttl}`];
}

/** Returns the missing measures against loss: recovery to a point in time, and protection against deletion. */
async function safetyDifferences(
  client: DynamoDBClient,
  name: string,
  { DeletionProtectionEnabled: isProtected }: TableDescription,
): Promise<readonly string[]> {
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: name }),
  );
  const status = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return [
    ...(status === 'ENABLED' ? [] : ['point-in-time recovery is off']),
    ...(isProtected === true ? [] : ['deletion protection is off']),
  ];
}
