/**
 * The catalogs that have been current, and the time of each: an item per catalog, counted in the pointer, so that they
 * are read by their keys and the table is not scanned. Documents stay in the table, so each can be read again.
 */
import { createHash } from 'node:crypto';
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../platform/core/ports.ts';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { writeParts } from '../../platform/dynamodb/parts.ts';
import { readItem, readMany } from '../../platform/dynamodb/reads.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import { systemClock } from '../../platform/system/system.ts';
import { parseCatalog } from '../core/catalog/catalog-document.ts';
import type { LatestCatalogs } from '../core/catalog/catalog-view.ts';
import { POINTER, partsOf, pointerKey, readVersion, type StoredCatalog } from './catalog-store.ts';

export interface AppliedVersion {
  readonly version: string;
  /** The number of items that store the document. */
  readonly parts: number;
  /** Milliseconds since the epoch. */
  readonly appliedMs: number;
}

/** DynamoDB's most for one batch of reads. */
const BATCH = 100;

const keyOf = (position: number) => ({ part: text(`applied#${String(position).padStart(8, '0')}`) });

/** Returns the number of entries that the pointer counts. */
const lengthOf = (pointer: Item | undefined): number =>
  pointer === undefined ? 0 : readNumber(pointer, 'applied');

/**
 * Returns the entry that a new version adds to the history, and the length with it. The write fails if another process has
 * written that entry. The version that is current already adds nothing.
 */
function nextInHistory(
  table: string,
  pointer: Item | undefined,
  { version, parts, appliedMs }: AppliedVersion,
): { readonly length: number; readonly entries: readonly TransactWriteItem[] } {
  const length = lengthOf(pointer);
  if (pointer !== undefined && readText(pointer, 'version') === version) return { length, entries: [] };
  const entry = {
    TableName: table,
    Item: {
      ...keyOf(length + 1),
      version: text(version),
      parts: number(parts),
      applied_ms: number(appliedMs),
    },
    ConditionExpression: 'attribute_not_exists(part)',
  };
  return { length: length + 1, entries: [{ Put: entry }] };
}

/** Returns the entries that the pointer lists, the oldest first. */
async function readHistory(
  client: DynamoDBClient,
  table: string,
  pointer: Item | undefined,
): Promise<readonly AppliedVersion[]> {
  const length = lengthOf(pointer);
  const entries: Item[] = [];
  for (let first = 1; first <= length; first += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, length - first + 1) }, (_, at) => keyOf(first + at));
    entries.push(...(await readMany(client, table, keys)));
  }
  return entries.sort((a, b) => readText(a, 'part').localeCompare(readText(b, 'part'))).map(decodeEntry);
}

const decodeEntry = (entry: Item): AppliedVersion => ({
  version: readText(entry, 'version'),
  parts: readNumber(entry, 'parts'),
  appliedMs: readNumber(entry, 'applied_ms'),
});

/** Returns the last `count` entries that the pointer lists, the newest first, each by its key. */
async function readLatest(
  client: DynamoDBClient,
  table: string,
  pointer: Item | undefined,
  count: number,
): Promise<readonly AppliedVersion[]> {
  const length = lengthOf(pointer);
  const keys = Array.from({ length: Math.min(count, length) }, (_, at) => keyOf(length - at));
  const entries = await Promise.all(keys.map((Key) => readItem(client, { TableName: table, Key })));
  return entries.flatMap((entry) => (entry === undefined ? [] : [decodeEntry(entry)]));
}

/**
 * Makes a validated document the current one, and notes that in the history; the version is derived
 * from its content. Of two operators at once, one is after the other. Throws if `expected` is not the current version any
 * more: the document was compared with that one.
 */
export async function writeCatalog(
  client: DynamoDBClient,
  table: string,
  json: string,
  { clock = systemClock, expected }: { readonly clock?: Clock; readonly expected?: string | undefined } = {},
): Promise<string> {
  parseCatalog(JSON.parse(json));
  const version = createHash('sha256').update(json).digest('hex').slice(0, 16);
  const { fragments } = await writeParts(partsOf(client, table, version), json);
  for (;;) {
    const current = await readItem(client, pointerKey(table));
    if (expected !== undefined && (current === undefined || readText(current, 'version') !== expected))
      throw new Error('another catalog was applied meanwhile: nothing is changed, run the command again');
    const history = nextInHistory(table, current, { version, parts: fragments, appliedMs: clock() });
    const pointer = {
      Put: {
        TableName: table,
        Item: {
          part: text(POINTER),
          version: text(version),
          parts: number(fragments),
          applied: number(history.length),
        },
      },
    };
    const { done } = await transact(client, [pointer, ...history.entries]);
    if (done) return version;
  }
}

/** Every version that was the current one, the oldest first. */
export const readVersions = async (
  client: DynamoDBClient,
  table: string,
): Promise<readonly AppliedVersion[]> =>
  readHistory(client, table, await readItem(client, pointerKey(table)));

/** The document of a version that was applied once; undefined when none was. */
export async function readCatalogVersion(
  client: DynamoDBClient,
  table: string,
  version: string,
): Promise<StoredCatalog | undefined> {
  const appliedVersion = (await readVersions(client, table)).find((each) => each.version === version);
  return appliedVersion === undefined ? undefined : readVersion(client, table, appliedVersion);
}

/** The current document and the one that was current before it. */
export async function readLatestCatalogs(client: DynamoDBClient, table: string): ReturnType<LatestCatalogs> {
  const pointer = await readItem(client, pointerKey(table));
  const [current, before] = await Promise.all(
    (await readLatest(client, table, pointer, 2)).map(async (appliedVersion) => ({
      ...(await readVersion(client, table, appliedVersion)),
      appliedMs: appliedVersion.appliedMs,
    })),
  );
  return { current, before };
}
