/**
 * The catalog in DynamoDB: the document compressed and cut into parts, and a pointer to the current version. A new
 * version is written beside the old one before the pointer moves, so readers see the one or the other.
 *
 * Every process looks at the pointer: the more often, the more processes there are, because one that has a call every
 * ten seconds looks at every call. A look is half a unit (eventually consistent) of the 3,000 read units a second that
 * DynamoDB gives an item: the limit is 6,000 looks a second. Beyond it looks are throttled, processes keep the document
 * that they have and look again later, so calls go on and a new catalog is live later. A process that starts then waits
 * for its first read, which the client retries. A new document of S KB is read once by each process, S / 8 units: 800
 * processes a second for 30 KB, 100 for 240 KB, which is 5,000 models.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock, Log, RandomSource } from '../../platform/core/ports.ts';
import { type Item, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { type PartTable, readParts } from '../../platform/dynamodb/parts.ts';
import { readItem, readRecentItem } from '../../platform/dynamodb/reads.ts';
import { systemClock, systemRandom } from '../../platform/system/system.ts';
import { type Catalog, type CatalogSource, openCatalog } from '../core/catalog/catalog.ts';

/** A busy function looks for a new version in the background, by chance after this time up to twice of it. */
const REFRESH_MS = 2_000;

/**
 * A function that has slept this long looks before it answers: its first call after the pause is slow anyway,
 * and a new catalog must be live within seconds.
 */
const STALE_MS = 10_000;

/** After a failed look, the next is by chance after this time up to twice of it: a throttled table is not asked at every call. */
const RETRY_MS = 5_000;

export const POINTER = 'current';

export interface StoredCatalog {
  readonly version: string;
  /** The document's JSON, as it was applied. */
  readonly json: string;
}

interface Pointer {
  readonly version: string;
  readonly parts: number;
}

const decodePointer = (item: Item | undefined): Pointer | undefined =>
  item === undefined ? undefined : { version: readText(item, 'version'), parts: readNumber(item, 'parts') };

export const pointerKey = (table: string) => ({ TableName: table, Key: { part: text(POINTER) } });

/** The pointer as the last apply left it. */
export const readPointer = async (client: DynamoDBClient, table: string): Promise<Pointer | undefined> =>
  decodePointer(await readItem(client, pointerKey(table)));

/** The current document, or undefined when none was ever applied. */
export async function readCatalog(client: DynamoDBClient, table: string): Promise<StoredCatalog | undefined> {
  const pointer = await readPointer(client, table);
  return pointer === undefined ? undefined : readVersion(client, table, pointer);
}

/** The document that a pointer names. */
export const readVersion = async (
  client: DynamoDBClient,
  table: string,
  { version, parts }: Pointer,
): Promise<StoredCatalog> => ({
  version,
  json: await readParts(partsOf(client, table, version), parts),
});

export const partsOf = (client: DynamoDBClient, table: string, version: string): PartTable => ({
  client,
  table,
  keyOf: (index) => ({ part: text(`${version}#${index}`) }),
});

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
  return createCatalogSource({ client, table, clock: systemClock, random: systemRandom, log });
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
  readonly random: RandomSource;
  readonly log: Log;
}

/**
 * Answers from memory and refreshes in the background; waits only for the first read and after a long sleep. A look that
 * fails leaves the last document in use, and is logged once until one succeeds.
 */
export function createCatalogSource({
  client,
  table,
  clock,
  random,
  log,
}: CatalogSourceOptions): CatalogSource {
  let current: Catalog | undefined;
  let checkedMs = 0;
  let nextMs = 0;
  let isFailing = false;
  let refreshing: Promise<Catalog> | undefined;

  const lookAgainAfter = (ms: number): void => {
    nextMs = clock() + ms * (1 + random());
  };

  async function load(): Promise<Catalog> {
    if (current !== undefined) {
      const recent = await readRecentItem(client, pointerKey(table));
      if (decodePointer(recent)?.version === current.version) return current;
    }
    // Another version: an older one may be what a read has lagged behind.
    const pointer = await readPointer(client, table);
    if (pointer?.version === current?.version && current !== undefined) return current;
    if (pointer === undefined) throw new Error('no catalog has been applied');
    const stored = await readVersion(client, table, pointer);
    return openCatalog(stored.version, JSON.parse(stored.json));
  }

  function refresh(): Promise<Catalog> {
    refreshing ??= load()
      .then((catalog) => {
        current = catalog;
        checkedMs = clock();
        isFailing = false;
        lookAgainAfter(REFRESH_MS);
        return catalog;
      })
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  }

  return async () => {
    if (current === undefined) return refresh();
    if (clock() < nextMs) return current;
    const refreshed = refresh().catch((failure: unknown) => {
      if (!isFailing) log.error('catalog refresh failed', { failure: String(failure) });
      isFailing = true;
      lookAgainAfter(RETRY_MS);
      return current as Catalog;
    });
    return clock() - checkedMs < STALE_MS ? current : refreshed;
  };
}
