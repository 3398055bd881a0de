/**
 * The search index in DynamoDB: compressed and split into fragments, with a pointer to the current one, and the changes
 * recorded since. A new index is written next to the old one before the pointer moves.
 */
import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { decodeTime, encodeTime } from 'ulid';
import type { UlidSource } from '../../platform/core/ports.ts';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { type PartTable, readParts, writeParts } from '../../platform/dynamodb/parts.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import type { IndexBuildStore } from '../core/discovery/search-build.ts';
import type { IndexChange } from '../core/discovery/search-index.ts';
import type { NumberedChange, SearchStore, StoredIndex } from '../core/discovery/search-source.ts';

/** Longer than anything follows the changes without reading a stored index in between. */
const CHANGE_SECONDS = 3 * 24 * 3600;

const POINTER = { part: text('index'), entry: text('pointer') };
const CHANGES = 'changes';

interface Pointer {
  readonly version: string;
  readonly parts: number;
  readonly sinceMs: number;
  readonly builtMs: number;
}

export class DynamoSearchStore implements SearchStore, IndexBuildStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #ulid: UlidSource;

  constructor(client: DynamoDBClient, table: string, ulid: UlidSource) {
    this.#client = client;
    this.#table = table;
    this.#ulid = ulid;
  }

  async read(): Promise<StoredIndex | undefined> {
    const pointer = await this.#pointer();
    if (pointer === undefined) return undefined;
    const json = await readParts(this.#parts(pointer.version), pointer.parts);
    return { json, sinceMs: pointer.sinceMs };
  }

  async *changes(sinceMs: number): AsyncGenerator<NumberedChange, void> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#table,
        KeyConditionExpression: 'part = :changes AND entry >= :since',
        ExpressionAttributeValues: {
          ':changes': text(CHANGES),
          ':since': text(encodeTime(Math.max(0, sinceMs), 10)),
        },
        ConsistentRead: true,
      },
    );
    for await (const { Items: items = [] } of pages) {
      for (const item of items)
        yield { id: readText(item, 'entry'), change: JSON.parse(readText(item, 'change')) as IndexChange };
    }
  }

  /** Records changes in sequence: a reader that reads one has also read those before it. */
  async recordChanges(changes: readonly IndexChange[]): Promise<void> {
    for (const change of changes) {
      const entry = this.#ulid();
      const item = {
        part: text(CHANGES),
        entry: text(entry),
        change: text(JSON.stringify(change)),
        expires: number(Math.floor(decodeTime(entry) / 1000) + CHANGE_SECONDS),
      };
      await this.#client.send(new PutItemCommand({ TableName: this.#table, Item: item }));
    }
  }

  async builtMs(): Promise<number | undefined> {
    return (await this.#pointer())?.builtMs;
  }

  async lastChangeMs(): Promise<number | undefined> {
    const { Items: items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: 'part = :changes',
        ExpressionAttributeValues: { ':changes': text(CHANGES) },
        ProjectionExpression: 'entry',
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: 1,
      }),
    );
    return items[0] === undefined ? undefined : decodeTime(readText(items[0], 'entry'));
  }

  async write({ json, sinceMs }: StoredIndex, builtMs: number): Promise<number> {
    const version = this.#ulid();
    const { fragments, bytes } = await writeParts(this.#parts(version), json);
    const { Attributes: replaced } = await this.#client.send(
      new PutItemCommand({
        TableName: this.#table,
        Item: {
          ...POINTER,
          version: text(version),
          parts: number(fragments),
          since_ms: number(sinceMs),
          built_ms: number(builtMs),
        },
        ReturnValues: 'ALL_OLD',
      }),
    );
    if (replaced !== undefined) await this.#remove(decodePointer(replaced));
    return bytes;
  }

  /**
   * Removes the fragments of an index. A function that is reading them fails, and reads the new ones at its next
   * request.
   */
  async #remove({ version, parts }: Pointer): Promise<void> {
    for (let index = 0; index < parts; index += 1) {
      await this.#client.send(
        new DeleteItemCommand({ TableName: this.#table, Key: partKey(version, index) }),
      );
    }
  }

  #parts(version: string): PartTable {
    return { client: this.#client, table: this.#table, keyOf: (index) => partKey(version, index) };
  }

  async #pointer(): Promise<Pointer | undefined> {
    const item = await readItem(this.#client, { TableName: this.#table, Key: POINTER });
    return item === undefined ? undefined : decodePointer(item);
  }
}

const partKey = (version: string, index: number): Item => ({
  part: text(`index#${version}`),
  entry: text(String(index)),
});

const decodePointer = (item: Item): Pointer => ({
  version: readText(item, 'version'),
  parts: readNumber(item, 'parts'),
  sinceMs: readNumber(item, 'since_ms'),
  builtMs: readNumber(item, 'built_ms'),
});
