/**
 * The catalog in DynamoDB: the document compressed and split into fragments, and a pointer to the current version. A
 * new version is written next to the old one before the pointer moves, so readers get one or the other.
 *
 * Every process checks the pointer, and more processes mean more checks: one with a call every ten seconds checks at
 * every call. A check costs half a read unit (eventually consistent). DynamoDB allows 3,000 read units a second for an
 * item, so the limit is 6,000 checks a second. Beyond it, checks are throttled, and processes use their current
 * document and check again later. Calls continue, and a new catalog is live later. A starting process then waits for
 * its first read, which the client retries. Each process reads a new document of S KB once, for S / 8 units. The limit
 * is 800 processes a second for 30 KB, and 100 for 240 KB, which is 5,000 models.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock, Log, RandomSource } from '../../platform/core/ports.ts';
import { type Item, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { type PartTable, readParts } from '../../platform/dynamodb/parts.ts';
import { readItem, readRecentItem } from '../../platform/dynamodb/reads.ts';
import { systemClock, systemRandom } from '../../platform/system/system.ts';
import { type Catalog, type CatalogSource, openCatalog } from '../core/catalog/catalog.ts';

/**
 * The interval of background checks for a new version while a function is busy. The actual interval is random, up to
 * twice this value.
 */
const REFRESH_MS = 2_000;

/**
 * The idle time after which a function checks before it responds. Its first call after the pause is slow anyway, and a
 * new catalog must be live within seconds.
 */
const STALE_MS = 10_000;

/**
 * The interval after a failed check, random up to twice this value. A throttled table is therefore not read at every
 * call.
 */
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

/**
 * Returns a function that reads the catalog's table once, never from memory. It rejects if the table does not respond.
 */
export function createCatalogProbe({ client, environment }: CatalogProbeOptions): () => Promise<unknown> {
  const table = requireTable(environment, 'catalog');
  return () => readPointer(client, table);
}

/** A deployment has no catalog yet. */
export class MissingCatalog extends Error {}

export interface CatalogSourceOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

/**
 * Returns the catalog from memory and refreshes it in the background. Waits only for the first read and after a long
 * idle time. After a failed check, the last document stays in use. The failure is logged once until a check succeeds.
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

  const scheduleRefresh = (ms: number): void => {
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
    if (pointer === undefined) throw new MissingCatalog('no catalog has been applied');
    const stored = await readVersion(client, table, pointer);
    return openCatalog(stored.version, JSON.parse(stored.json), (fault) =>
      log.warn('a model of the catalog cannot be read by this version', { failure: String(fault) }),
    );
  }

  function refresh(): Promise<Catalog> {
    refreshing ??= load()
      .then((catalog) => {
        current = catalog;
        checkedMs = clock();
        isFailing = false;
        scheduleRefresh(REFRESH_MS);
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
      scheduleRefresh(RETRY_MS);
      return current as Catalog;
    });
    return clock() - checkedMs < STALE_MS ? current : refreshed;
  };
}
