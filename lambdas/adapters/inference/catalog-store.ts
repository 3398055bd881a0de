/**
 * The catalog in DynamoDB: the document compressed and cut into parts, and a pointer to the current version. A new
 * version is written beside the old one before the pointer moves, so readers see the one or the other.
 *
 * Every process looks at the pointer: the more often, the more processes there are, because one that has a call every
 * ten seconds looks at every call. So there are `COPIES` of the document and its pointer, and a process reads one by
 * chance. At 10,000 calls a second, each with a look (half a unit, eventually consistent), a pointer takes
 * 10,000 / 16 * 0.5 = 313 of the 3,000 read units a second that DynamoDB gives an item; the bound is 96,000 looks a
 * second. A new document of S KB is read once by each process: 10,000 / 16 * S / 8 units a second and copy, which is
 * 2,350 for 30 KB. One of 240 KB, which is 5,000 models, is 30 units, so that the copies give it to 1,600 processes a
 * second: 10,000 have it after 6 seconds, and use the one before until then. Applying it writes 16 * S units, 3,800 of
 * the 4,000 a second that a new table takes at once.
 */
import { createHash } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../contract/tables.ts';
import { type Catalog, type CatalogSource, openCatalog } from '../../core/inference/catalog/catalog.ts';
import { parseCatalog } from '../../core/inference/catalog/catalog-document.ts';
import type { Clock, Log, RandomSource } from '../../core/ports.ts';
import { type Item, number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';
import { type PartTable, readParts, writeCopies } from '../dynamodb/parts.ts';
import { readItem, readRecentItem } from '../dynamodb/reads.ts';
import { transact } from '../dynamodb/transaction.ts';
import { systemClock, systemRandom } from '../system/system.ts';
import { type AppliedVersion, nextInHistory, readHistory } from './catalog-history.ts';

/** A busy function looks for a new version in the background, by chance after this time up to twice of it. */
const REFRESH_MS = 2_000;

/**
 * A function that has slept this long looks before it answers: its first call after the pause is slow anyway,
 * and a new catalog must be live within seconds.
 */
const STALE_MS = 10_000;

/** After a failed look, the next is by chance after this time up to twice of it: a throttled table is not asked at every call. */
const RETRY_MS = 5_000;

export const COPIES = 16;

const POINTER = 'current';

/** The first copy is the one that versions before this one read and write. */
const pointerOf = (copy: number): string => (copy === 0 ? POINTER : `${POINTER}#${copy}`);

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

export const pointerKey = (table: string, copy: number) => ({
  TableName: table,
  Key: { part: text(pointerOf(copy)) },
});

/** The pointer as the last apply left it; of the first copy where a version before this one wrote no other. */
export async function readPointer(
  client: DynamoDBClient,
  table: string,
  copy = 0,
): Promise<(Pointer & { readonly copy: number }) | undefined> {
  const pointer = decodePointer(await readItem(client, pointerKey(table, copy)));
  if (pointer !== undefined) return { ...pointer, copy };
  return copy === 0 ? undefined : readPointer(client, table);
}

/** The current document, or undefined when none was ever applied. */
export async function readCatalog(client: DynamoDBClient, table: string): Promise<StoredCatalog | undefined> {
  const pointer = await readPointer(client, table);
  return pointer === undefined ? undefined : readVersion(client, table, pointer);
}

/** The document that a pointer names. */
export const readVersion = async (
  client: DynamoDBClient,
  table: string,
  { version, parts, copy }: Pointer & { readonly copy: number },
): Promise<StoredCatalog> => ({
  version,
  json: await readParts(partsOf(client, table, version, copy), parts),
});

const partsOf = (client: DynamoDBClient, table: string, version: string, copy: number): PartTable => ({
  client,
  table,
  keyOf: (index) => ({ part: text(copy === 0 ? `${version}#${index}` : `${version}#${index}#${copy}`) }),
});

/**
 * Makes a validated document the current one, in all copies at once, and notes that in the history; the version is derived
 * from its content. Of two operators at once, one is after the other.
 */
export async function writeCatalog(
  client: DynamoDBClient,
  table: string,
  json: string,
  clock: Clock = systemClock,
): Promise<string> {
  parseCatalog(JSON.parse(json));
  const version = createHash('sha256').update(json).digest('hex').slice(0, 16);
  const copies = Array.from({ length: COPIES }, (_, copy) => copy);
  const { parts } = await writeCopies(
    copies.map((copy) => partsOf(client, table, version, copy)),
    json,
  );
  for (;;) {
    const current = await readItem(client, pointerKey(table, 0));
    const history = nextInHistory(table, current, { version, parts, appliedMs: clock() });
    const pointers = copies.map((copy) => ({
      Put: {
        TableName: table,
        Item: {
          part: text(pointerOf(copy)),
          version: text(version),
          parts: number(parts),
          applied: number(history.length),
        },
      },
    }));
    const { done } = await transact(client, [...pointers, ...history.entries]);
    if (done) return version;
  }
}

/** Every version that was the current one, the oldest first. */
export const readVersions = async (
  client: DynamoDBClient,
  table: string,
): Promise<readonly AppliedVersion[]> =>
  readHistory(client, table, await readItem(client, pointerKey(table, 0)));

/** The document of a version that was applied once; undefined when none was. */
export async function readCatalogVersion(
  client: DynamoDBClient,
  table: string,
  version: string,
): Promise<StoredCatalog | undefined> {
  const found = (await readVersions(client, table)).find((each) => each.version === version);
  return found === undefined ? undefined : readVersion(client, table, { ...found, copy: 0 });
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
    const copy = Math.floor(random() * COPIES);
    if (current !== undefined) {
      const recent = await readRecentItem(client, pointerKey(table, copy));
      if (decodePointer(recent)?.version === current.version) return current;
    }
    // Another version: an older one may be what a read has lagged behind.
    const pointer = await readPointer(client, table, copy);
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
