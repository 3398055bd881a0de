/**
 * A real database for one test file: the embedded DynamoDB with the service's tables, gone when the file is done. Where
 * `TEST_DYNAMODB_ENDPOINT` names another DynamoDB, it is used instead, for one file after another: its tables are
 * deleted first.
 */
import { DeleteTableCommand, type DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { createDynamoClients, type DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import type { TableName } from '../../lambdas/platform/contract/tables.ts';
import { ENGINE_CREDENTIALS } from '../local/dynamodb/client.ts';
import { startEngine } from '../local/dynamodb/engine.ts';
import { ensureTables } from '../local/dynamodb/tables.ts';
import { CONTRACT_TABLES, TABLE_VARIABLES } from './database.ts';

export interface TestDatabase extends DynamoClients {
  readonly endpoint: string;
  /** A table's name in this database. */
  readonly tables: Readonly<Record<TableName, string>>;
  /** The variables that name the tables to a function. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const DATABASE_TABLES = Object.fromEntries(
  CONTRACT_TABLES.map(({ name }) => [name, name]),
) as Readonly<Record<TableName, string>>;

/** The engine takes one write after another: on a busy machine the last of a storm waits longer than it would in AWS. */
const REQUEST_MS = 20_000;

/** Clients of the engine at `endpoint`, with the service's own retries. */
export const engineClients = (endpoint: string): DynamoClients =>
  createDynamoClients({ endpoint, region: 'us-east-1', credentials: ENGINE_CREDENTIALS }, REQUEST_MS);

async function deleteTables(client: DynamoDBClient): Promise<void> {
  for await (const { TableNames: names = [] } of paginateListTables({ client }, {}))
    await Promise.all(names.map((TableName) => client.send(new DeleteTableCommand({ TableName }))));
}

/** Starts an engine on a free port, in memory or on `databaseFile`, and makes the tables. */
export async function startDatabase(databaseFile?: string): Promise<TestDatabase> {
  const other = process.env.TEST_DYNAMODB_ENDPOINT;
  const engine = await startEngine(databaseFile === undefined ? { endpoint: other } : { databaseFile });
  const { endpoint } = engine;
  const clients = engineClients(endpoint);
  async function stop(): Promise<void> {
    clients.client.destroy();
    clients.onceClient.destroy();
    await engine.stop();
  }
  try {
    if (endpoint === other) await deleteTables(clients.client);
    await ensureTables(clients.client, CONTRACT_TABLES);
  } catch (failure) {
    await stop();
    throw failure;
  }
  return { ...clients, endpoint, tables: DATABASE_TABLES, environment: TABLE_VARIABLES, stop };
}
