/**
 * The search index in DynamoDB: compressed and cut into parts, with a pointer to the one in force, and the changes that
 * were written down since. A new index is written beside the old one before the pointer moves.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { decodeTime, encodeTime } from 'ulid';
import type { IndexBuildStore } from '../../core/listings/discovery/search-build.ts';
import type { Change } from '../../core/listings/discovery/search-index.ts';
import type {
  NumberedChange,
  SearchStore,
  StoredIndex,
} from '../../core/listings/discovery/search-source.ts';
import type { UlidSource } from '../../core/ports.ts';
import { type Item, number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';

/** DynamoDB's items are at most 400 KB (DynamoDB quotas). */
const PART_BYTES = 350 * 1024;

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
    const pieces = await Promise.all(
      Array.from({ length: pointer.parts }, async (_, index) => {
        const key = partKey(pointer.version, index);
        const { Item: item } = await this.#client.send(
          new GetItemCommand({ TableName: this.#table, Key: key }),
        );
        if (item?.bytes?.B === undefined) throw new Error(`part ${index} of the search index is missing`);
        return item.bytes.B;
      }),
    );
    const json = await promisify(gunzip)(Buffer.concat(pieces));
    return { json: json.toString('utf8'), sinceMs: pointer.sinceMs };
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
        yield { id: readText(item, 'entry'), change: JSON.parse(readText(item, 'change')) as Change };
    }
  }

  /** Writes changes down, one after the other: a reader that sees one has seen those before it. */
  async recordChanges(changes: readonly Change[]): Promise<void> {
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
    const bytes = await promisify(gzip)(json);
    const version = this.#ulid();
    const parts = Math.ceil(bytes.length / PART_BYTES);
    for (let index = 0; index < parts; index += 1) {
      const piece = bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
      const item = { ...partKey(version, index), bytes: { B: piece } };
      await this.#client.send(new PutItemCommand({ TableName: this.#table, Item: item }));
    }
    const { Attributes: replaced } = await this.#client.send(
      new PutItemCommand({
        TableName: this.#table,
        Item: {
          ...POINTER,
          version: text(version),
          parts: number(parts),
          since_ms: number(sinceMs),
          built_ms: number(builtMs),
        },
        ReturnValues: 'ALL_OLD',
      }),
    );
    if (replaced !== undefined) await this.#remove(decodePointer(replaced));
    return bytes.length;
  }

  /** A function that is reading these very parts fails, and reads the new ones when it is asked again. */
  async #remove({ version, parts }: Pointer): Promise<void> {
    for (let index = 0; index < parts; index += 1) {
      await this.#client.send(
        new DeleteItemCommand({ TableName: this.#table, Key: partKey(version, index) }),
      );
    }
  }

  async #pointer(): Promise<Pointer | undefined> {
    const { Item: item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#table, Key: POINTER, ConsistentRead: true }),
    );
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
