/**
 * The search index in DynamoDB: compressed and split into parts, with a pointer to the current version. A version is
 * written next to the one before it, and then the pointer moves.
 */
import { DeleteItemCommand, type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { UlidSource } from '../../../platform/core/ports.ts';
import {
  type Item,
  number,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { type PartTable, readParts, writeParts } from '../../../platform/dynamodb/parts.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { putNextVersion } from '../../../platform/dynamodb/update-item.ts';
import type { IndexStore } from '../../core/discovery/search-build.ts';
import type { StoredIndex } from '../../core/discovery/search-source.ts';

const PARTITION = text('index');

/** Sorts after the parts, which begin with a digit. */
const POINTER: Item = { part: PARTITION, entry: text('pointer') };

export class DynamoSearchStore implements IndexStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #ulid: UlidSource;

  constructor(client: DynamoDBClient, table: string, ulid: UlidSource) {
    this.#client = client;
    this.#table = table;
    this.#ulid = ulid;
  }

  async read(knownVersion?: number): Promise<StoredIndex | undefined> {
    const pointer = await readItem(this.#client, { TableName: this.#table, Key: POINTER });
    if (pointer === undefined) return undefined;
    const version = readNumber(pointer, 'version');
    if (version === knownVersion) return undefined;
    const json = await readParts(this.#parts(readText(pointer, 'parts_of')), readNumber(pointer, 'parts'));
    return { version, builtMs: readNumber(pointer, 'built_ms'), json };
  }

  async write({ version, builtMs, json }: StoredIndex): Promise<number | undefined> {
    // Two writers of the same version do not overwrite each other's parts.
    const name = `${sortable(version)}#${this.#ulid()}`;
    const { fragments, bytes } = await writeParts(this.#parts(name), json);
    const Item = {
      ...POINTER,
      parts_of: text(name),
      parts: number(fragments),
      built_ms: number(builtMs),
    };
    if (!(await putNextVersion(this.#client, { TableName: this.#table, Item }, version - 1)))
      return undefined;
    await this.#removeBefore(version - 1);
    return bytes;
  }

  /**
   * Removes the parts of earlier versions, also of those that never became current. Those of the replaced version stay,
   * because functions may be reading them.
   */
  async #removeBefore(version: number): Promise<void> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#table,
        KeyConditionExpression: 'part = :index AND entry < :version',
        ExpressionAttributeValues: { ':index': PARTITION, ':version': text(sortable(version)) },
        ProjectionExpression: 'part, entry',
      },
    );
    for await (const { Items: keys = [] } of pages)
      for (const Key of keys) await this.#client.send(new DeleteItemCommand({ TableName: this.#table, Key }));
  }

  #parts(name: string): PartTable {
    const keyOf = (index: number): Item => ({ part: PARTITION, entry: text(`${name}#${index}`) });
    return { client: this.#client, table: this.#table, keyOf };
  }
}

/** Ten digits, so that versions sort as texts. */
const sortable = (version: number): string => String(version).padStart(10, '0');
