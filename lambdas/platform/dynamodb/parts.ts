/** Content that may exceed an item, as parts in several. */
import { promisify } from 'node:util';
import { gunzip, gzip, type ZlibOptions } from 'node:zlib';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute-values.ts';
import { readItem, readRecentItem } from './reads.ts';

/** DynamoDB's items are at most 400 KB (DynamoDB quotas). */
const PART_BYTES = 350 * 1024;

/** The bytes that are decompressed in one step. Each step is a turn of the event loop and a separate job. */
const CHUNK_BYTES = 1024 * 1024;

/** The storage of the fragments, by their index. */
export interface PartTable {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly keyOf: (index: number) => Item;
}

export const splitBytes = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, index) =>
    bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  );

interface Written {
  readonly fragments: number;
  readonly bytes: number;
}

/**
 * Writes a compressed text; returns the number of parts and bytes. The text must not be published to readers before.
 */
export async function writeParts({ client, table, keyOf }: PartTable, text: string): Promise<Written> {
  const compressed = await promisify(gzip)(text);
  const fragments = splitBytes(compressed);
  for (const [index, bytes] of fragments.entries())
    await client.send(
      new PutItemCommand({ TableName: table, Item: { ...keyOf(index), bytes: { B: bytes } } }),
    );
  return { fragments: fragments.length, bytes: compressed.length };
}

/**
 * Reads the parts of a text. Parts never change, so only a part that is not yet visible is read consistently. Throws if
 * a part is missing.
 */
export async function readParts({ client, table, keyOf }: PartTable, count: number): Promise<string> {
  const fragments = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const key = { TableName: table, Key: keyOf(index) };
      const item = (await readRecentItem(client, key)) ?? (await readItem(client, key));
      if (item?.bytes?.B === undefined) throw new Error(`part ${index} of ${count} is missing in ${table}`);
      return item.bytes.B;
    }),
  );
  return (
    await promisify<Buffer, ZlibOptions, Buffer>(gunzip)(Buffer.concat(fragments), { chunkSize: CHUNK_BYTES })
  ).toString('utf8');
}
