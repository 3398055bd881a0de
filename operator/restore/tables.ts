/**
 * Restores the related tables as of a time, each next to the current one under another name. Adds the settings that
 * DynamoDB omits in a restored table (API reference, RestoreTableToPointInTime): its expiry, its stream, its recovery,
 * its protection and its tags, by which budgets count it. Safe to repeat: an existing table is only completed.
 */
import {
  type ContinuousBackupsDescription,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  type Tag,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TABLES, type Table, type TableName, tablesOf } from '../../lambdas/platform/contract/tables.ts';
import type { OperatorTarget } from '../target.ts';

/** An entry of the setting `restoredTables`. */
interface RestoredTable {
  readonly name: string;
  readonly streamArn?: string | undefined;
}

export type RestoredTables = Readonly<Partial<Record<TableName, RestoredTable>>>;

/**
 * Tables that need no restore: the catalog is applied again, circuits close by themselves, and an older response that
 * is replayed costs nothing.
 */
const NOT_RESTORED: ReadonlySet<TableName> = new Set(['catalog', 'circuits', 'replays']);

export const RESTORED: readonly TableName[] = (Object.keys(TABLES) as TableName[]).filter(
  (name) => !NOT_RESTORED.has(name),
);

/** A table of any size is restored within it (developer guide: from minutes to several hours). */
const LONGEST_RESTORE_SECONDS = 24 * 3_600;
const POLL_DELAYS = { minDelay: 1, maxDelay: 20 } as const;

/** The longest name of a table (API reference, CreateTable). */
const MAX_NAME = 255;

/** Such as `prod-wallets-at-20261121T093000Z`. Throws when the name would be too long. */
function restoredName(table: string, at: Date): string {
  const plain = table.replace(/-at-\d{8}T\d{6}Z$/, '');
  const name = `${plain}-at-${at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')}`;
  if (name.length > MAX_NAME) throw new Error(`the name of ${table} leaves no place for the time`);
  return name;
}

/** Resolves when every table exists and is complete; throws DynamoDB's error, also for a time out of its range. */
export async function restoreTables(
  client: DynamoDBClient,
  { environment }: OperatorTarget,
  at: Date,
): Promise<RestoredTables> {
  const sources = tablesOf(environment);
  const restored = await Promise.all(
    RESTORED.map(async (name) => {
      const source = sources[name];
      if (source === undefined) return [];
      return [[name, await restoreTable(client, { source, spec: TABLES[name], at })] as const];
    }),
  );
  return Object.fromEntries(restored.flat());
}

interface Restoring {
  readonly source: string;
  readonly spec: Table;
  readonly at: Date;
}

async function restoreTable(client: DynamoDBClient, { source, spec, at }: Restoring): Promise<RestoredTable> {
  const name = restoredName(source, at);
  const days = await recoveryDaysOf(client, source);
  await client
    .send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: source,
        TargetTableName: name,
        RestoreDateTime: at,
      }),
    )
    .catch((failure) => {
      if (!(failure instanceof TableAlreadyExistsException)) throw failure;
    });
  await untilActive(client, name);
  await update(client, { TableName: name, DeletionProtectionEnabled: true });
  await client.send(
    new UpdateContinuousBackupsCommand({
      TableName: name,
      PointInTimeRecoverySpecification: {
        PointInTimeRecoveryEnabled: true,
        ...(days === undefined ? {} : { RecoveryPeriodInDays: days }),
      },
    }),
  );
  await copyTags(client, source, name);
  if (spec.ttl !== undefined) await expireBy(client, name, spec.ttl);
  return spec.stream === undefined ? { name } : { name, streamArn: await streamOf(client, name) };
}

async function recoveryDaysOf(client: DynamoDBClient, table: string): Promise<number | undefined> {
  const { ContinuousBackupsDescription: description } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: table }),
  );
  const backups: Partial<ContinuousBackupsDescription> = description ?? {};
  return backups.PointInTimeRecoveryDescription?.RecoveryPeriodInDays;
}

async function copyTags(client: DynamoDBClient, source: string, table: string): Promise<void> {
  const tags: Tag[] = [];
  let next: string | undefined;
  do {
    const { Tags: page = [], NextToken: token } = await client.send(
      new ListTagsOfResourceCommand({ ResourceArn: await arnOf(client, source), NextToken: next }),
    );
    // AWS sets those with its prefix itself, and accepts them from no caller.
    tags.push(...page.filter(({ Key: key = '' }) => !key.startsWith('aws:')));
    next = token;
  } while (next !== undefined);
  if (tags.length === 0) return;
  await client.send(new TagResourceCommand({ ResourceArn: await arnOf(client, table), Tags: tags }));
}

async function arnOf(client: DynamoDBClient, table: string): Promise<string> {
  const { Table: description } = await client.send(new DescribeTableCommand({ TableName: table }));
  if (description?.TableArn === undefined) throw new Error(`${table} has no ARN`);
  return description.TableArn;
}

async function expireBy(client: DynamoDBClient, table: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription: description } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: table }),
  );
  // DynamoDB rejects a request to enable a setting that is enabled.
  if (description?.TimeToLiveStatus === 'ENABLED' || description?.TimeToLiveStatus === 'ENABLING') return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: table,
      TimeToLiveSpecification: { AttributeName: attribute, Enabled: true },
    }),
  );
}

async function streamOf(client: DynamoDBClient, table: string): Promise<string> {
  const readStreamArn = async () =>
    (await client.send(new DescribeTableCommand({ TableName: table }))).Table?.LatestStreamArn;
  const existingArn = await readStreamArn();
  if (existingArn !== undefined) return existingArn;
  await update(client, {
    TableName: table,
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  const newArn = await readStreamArn();
  if (newArn === undefined) throw new Error(`${table} has no stream`);
  return newArn;
}

async function update(client: DynamoDBClient, change: UpdateTableCommandInput): Promise<void> {
  await client.send(new UpdateTableCommand(change));
  await untilActive(client, change.TableName ?? '');
}

async function untilActive(client: DynamoDBClient, table: string): Promise<void> {
  await waitUntilTableExists(
    { client, maxWaitTime: LONGEST_RESTORE_SECONDS, ...POLL_DELAYS },
    { TableName: table },
  );
}
