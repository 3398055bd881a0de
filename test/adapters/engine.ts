/** A real database for one test file: the embedded DynamoDB with the service's tables, gone when the file is done. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoClients, type DynamoClients } from '../../lambdas/adapters/aws/clients.ts';
import { TABLES, type Table, type TableName } from '../../lambdas/contract/tables.ts';
import { freePort } from '../../local/process/free-port.ts';

export interface TestDatabase extends DynamoClients {
  readonly endpoint: string;
  /** A table's name in this database. */
  readonly tables: Readonly<Record<TableName, string>>;
  /** The variables that name the tables to a function. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const TABLE_NAMES = Object.keys(TABLES) as TableName[];

export const DATABASE_TABLES = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<
  TableName,
  string
>;

/** Ends the engine when this process goes, however it goes: only we hold the other end of its standard input. */
const GUARD = '"$0" "$@" & engine=$!; cat >/dev/null; kill "$engine"; wait "$engine"';

const START_TIMEOUT_MS = 10_000;

/** The engine takes one write after another: on a busy machine the last of a storm waits longer than it would in AWS. */
const PATIENT_MS = 20_000;

/** Clients of the engine at `endpoint`, with the service's own retries. */
export function engineClients(endpoint: string): DynamoClients {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return createDynamoClients({ endpoint, region: 'us-east-1', credentials }, PATIENT_MS);
}

/** Starts an engine on a free port, in memory or on `databaseFile`, and makes the tables. */
export async function startDatabase(databaseFile?: string): Promise<TestDatabase> {
  const binary = createRequire(import.meta.url).resolve(
    `@dynoxide/${process.platform}-${process.arch}/dynoxide`,
  );
  const port = await freePort();
  const options = databaseFile === undefined ? [] : ['--db-path', databaseFile];
  const engine = spawn('sh', ['-c', GUARD, binary, 'serve', '--port', String(port), ...options], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const clients = engineClients(endpoint);
  async function stop(): Promise<void> {
    clients.client.destroy();
    clients.onceClient.destroy();
    const ended = once(engine, 'close');
    engine.stdin.end();
    await ended;
  }
  try {
    await answering(endpoint);
    await Promise.all(TABLE_NAMES.map((name) => createTable(clients.client, name, TABLES[name])));
  } catch (failure) {
    await stop();
    throw failure;
  }
  const environment = Object.fromEntries(TABLE_NAMES.map((name) => [TABLES[name].variable, name]));
  return { ...clients, endpoint, tables: DATABASE_TABLES, environment, stop };
}

async function createTable(client: DynamoDBClient, name: string, table: Table): Promise<void> {
  const keys = ({ partitionKey, sortKey }: { partitionKey: string; sortKey?: string | undefined }) => [
    { AttributeName: partitionKey, KeyType: 'HASH' as const },
    ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' as const }]),
  ];
  const indexes = table.indexes ?? [];
  const attributes = new Set([table, ...indexes].flatMap(keys).map(({ AttributeName }) => AttributeName));
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: keys(table),
      AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      BillingMode: 'PAY_PER_REQUEST',
      ...(indexes.length === 0
        ? {}
        : {
            GlobalSecondaryIndexes: indexes.map((index) => ({
              IndexName: index.name,
              KeySchema: keys(index),
              Projection: { ProjectionType: 'KEYS_ONLY' as const },
            })),
          }),
    }),
  );
}

async function answering(endpoint: string): Promise<void> {
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadlineMs) {
    try {
      await fetch(endpoint, { signal: AbortSignal.timeout(1000) });
      return;
    } catch {
      await sleep(5);
    }
  }
  throw new Error('the embedded DynamoDB did not answer');
}
