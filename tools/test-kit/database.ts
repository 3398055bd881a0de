/** The embedded DynamoDB with the service's tables, in a temporary folder and gone with its bench. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDynamoClients, type DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { DEFAULT_HOLD_TTL_SECONDS, VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { TABLES, type Table } from '../../lambdas/platform/contract/tables.ts';
import { REGION } from '../local/assembly/intrinsics.ts';
import type { TableDescription } from '../local/assembly/tables.ts';
import { createEngineClient, ENGINE_CREDENTIALS } from '../local/dynamodb/client.ts';
import { startEngine } from '../local/dynamodb/engine.ts';
import { ensureTables } from '../local/dynamodb/tables.ts';

export interface Database {
  /** Such as `http://127.0.0.1:40123`. */
  readonly endpoint: string;
  /** The tables' names and the hold's life, as a function gets them. */
  readonly environment: Readonly<Record<string, string>>;
  /** New clients of the database, with the service's own retries; closed with the database. */
  connect(): DynamoClients;
  close(): Promise<void>;
}

/** Returns the tables that calls read in the background: the catalog and the circuits of failing routes. */
export const backgroundTables = ({ environment }: Pick<Database, 'environment'>): (string | undefined)[] => [
  environment[TABLES.catalog.variable],
  environment[TABLES.circuits.variable],
];

/** A folder in memory, on Linux: the disk of this machine is no part of DynamoDB. */
const MEMORY = '/dev/shm';

/** Starts the engine on a file, as the local service does; in memory where the system offers that. */
export async function openDatabase(): Promise<Database> {
  const parent = existsSync(MEMORY) ? MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, 'bench-database-'));
  const { endpoint, stop } = await startEngine({ databaseFile: join(folder, 'dynamodb.sqlite') });
  const opened: DynamoClients[] = [];
  const admin = createEngineClient(endpoint);
  await ensureTables(admin, CONTRACT_TABLES);
  admin.destroy();
  return {
    endpoint,
    environment: {
      ...TABLE_VARIABLES,
      [VARIABLES.holdTtlSeconds]: String(DEFAULT_HOLD_TTL_SECONDS),
    },
    connect() {
      const clients = createDynamoClients({ endpoint, region: REGION, credentials: ENGINE_CREDENTIALS });
      opened.push(clients);
      return clients;
    },
    async close() {
      for (const { client, onceClient } of opened) {
        client.destroy();
        onceClient.destroy();
      }
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey?: string;
}

function describe(name: string, table: Table): TableDescription {
  const indexes = table.indexes ?? [];
  const attributes = new Set(
    [table, ...indexes].flatMap(schemaOf).map(({ AttributeName: attribute }) => attribute),
  );
  return {
    name,
    keySchema: schemaOf(table),
    attributes: [...attributes].map((attribute) => ({
      AttributeName: attribute,
      AttributeType: 'S' as const,
    })),
    indexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: schemaOf(index),
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    })),
  };
}

const schemaOf = ({ partitionKey, sortKey }: KeyNames) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' as const }]),
];

/** The tables of the contract, each under its name there. */
export const CONTRACT_TABLES = Object.entries<Table>(TABLES).map(([name, table]) => describe(name, table));

/** The variables that name those tables to a function. */
export const TABLE_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Table>(TABLES).map(([name, { variable }]) => [variable, name]),
);
