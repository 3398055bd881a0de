/**
 * The catalog in DynamoDB: the document compressed and cut into parts, and a pointer to the current version. A new
 * version is written beside the old one before the pointer moves, so readers see the one or the other.
 */
import { createHash } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../contract/tables.ts';
import { type Catalog, type CatalogSource, compileCatalog } from '../../core/inference/catalog/catalog.ts';
import { parseCatalog } from '../../core/inference/catalog/catalog-document.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';
import { type PartTable, readParts, writeParts } from '../dynamodb/parts.ts';
import { readItem } from '../dynamodb/reads.ts';
import { systemClock } from '../system/system.ts';

/** A busy function looks for a new version this often, in the background. */
const REFRESH_MS = 2_000;

/**
 * A function that has slept this long looks before it answers: its first call after the pause is slow anyway,
 * and a new catalog must be live within seconds.
 */
const STALE_MS = 10_000;

const POINTER = 'current';

export interface StoredCatalog {
  readonly version: string;
  /** The document's JSON, as it was applied. */
  readonly json: string;
}

export async function readPointer(client: DynamoDBClient, table: string) {
  const item = await readItem(client, { TableName: table, Key: { part: text(POINTER) } });
  return item === undefined
    ? undefined
    : { version: readText(item, 'version'), parts: readNumber(item, 'parts') };
}

/** The current document, or undefined when none was ever applied. */
export async function readCatalog(client: DynamoDBClient, table: string): Promise<StoredCatalog | undefined> {
  const pointer = await readPointer(client, table);
  return pointer === undefined ? undefined : readVersion(client, table, pointer);
}

/** The document that a pointer names. */
const readVersion = async (
  client: DynamoDBClient,
  table: string,
  { version, parts }: { readonly version: string; readonly parts: number },
): Promise<StoredCatalog> => ({ version, json: await readParts(partsOf(client, table, version), parts) });

const partsOf = (client: DynamoDBClient, table: string, version: string): PartTable => ({
  client,
  table,
  keyOf: (index) => ({ part: text(`${version}#${index}`) }),
});

/** Makes a validated document the current one; the version is derived from its content. */
export async function writeCatalog(client: DynamoDBClient, table: string, json: string): Promise<string> {
  parseCatalog(JSON.parse(json));
  const version = createHash('sha256').update(json).digest('hex').slice(0, 16);
  const { parts } = await writeParts(partsOf(client, table, version), json);
  await client.send(
    new PutItemCommand({
      TableName: table,
      Item: { part: text(POINTER), version: text(version), parts: number(parts) },
    }),
  );
  return version;
}

interface CatalogProbeOptions {
  readonly client: DynamoDBClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The catalog source of a function, from the table that the environment names. */
export function createCatalog({
  client,
  environment,
  log,
}: CatalogProbeOptions & { readonly log: Log }): CatalogSource {
  const table = requireTable(environment, 'catalog');
  return createCatalogSource({ client, table, clock: systemClock, log });
}

/** One read of the catalog's table, never from memory; rejects when the table does not answer. */
export function createCatalogProbe({ client, environment }: CatalogProbeOptions): () => Promise<unknown> {
  const table = requireTable(environment, 'catalog');
  return () => readPointer(client, table);
}

export interface CatalogSourceOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers from memory and refreshes in the background; waits only for the first read and after a long sleep. */
export function createCatalogSource({ client, table, clock, log }: CatalogSourceOptions): CatalogSource {
  let current: Catalog | undefined;
  let checkedMs = 0;
  let refreshing: Promise<Catalog> | undefined;

  async function load(): Promise<Catalog> {
    const pointer = await readPointer(client, table);
    if (current !== undefined && pointer?.version === current.version) return current;
    if (pointer === undefined) throw new Error('no catalog has been applied');
    const stored = await readVersion(client, table, pointer);
    return compileCatalog(stored.version, parseCatalog(JSON.parse(stored.json)));
  }

  function refresh(): Promise<Catalog> {
    refreshing ??= load()
      .then((catalog) => {
        current = catalog;
        checkedMs = clock();
        return catalog;
      })
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  }

  return async () => {
    if (current === undefined) return refresh();
    const age = clock() - checkedMs;
    if (age < REFRESH_MS) return current;
    const refreshed = refresh().catch((failure: unknown) => {
      log.error('catalog refresh failed', { failure: String(failure) });
      return current as Catalog;
    });
    return age < STALE_MS ? current : refreshed;
  };
}
