/**
 * The reference prices in DynamoDB, next to the catalog: a compressed document, split into fragments like a catalog,
 * and a pointer to it. Calls never read it, so there is one copy.
 */
import { createHash } from 'node:crypto';
import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { type PartTable, readParts, writeParts } from '../../platform/dynamodb/parts.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { parseCatalog } from '../core/catalog/catalog-document.ts';

export interface ReferencePrices {
  readonly version: string;
  /** The document's JSON, as it was given. */
  readonly json: string;
  /** The time at which the document was stored, in seconds since the epoch. */
  readonly given: number;
}

/** Apart from the pointers and parts of the catalog, which may be the same document. */
const POINTER = { part: text('reference-prices') };

const partsOf = (client: DynamoDBClient, table: string, version: string): PartTable => ({
  client,
  table,
  keyOf: (index) => ({ part: text(`reference-prices#${version}#${index}`) }),
});

/** Those that were given last; undefined when there are none. */
export async function readReferencePrices(
  client: DynamoDBClient,
  table: string,
): Promise<ReferencePrices | undefined> {
  const item = await readItem(client, { TableName: table, Key: POINTER });
  if (item === undefined) return undefined;
  const version = readText(item, 'version');
  const json = await readParts(partsOf(client, table, version), readNumber(item, 'parts'));
  return { version, json, given: readNumber(item, 'given') };
}

/** They take the place of those before. Throws when the document is not a valid catalog. Returns their version. */
export async function writeReferencePrices(
  client: DynamoDBClient,
  table: string,
  { json, given }: Pick<ReferencePrices, 'json' | 'given'>,
): Promise<string> {
  parseCatalog(JSON.parse(json));
  const version = createHash('sha256').update(json).digest('hex').slice(0, 16);
  const { fragments } = await writeParts(partsOf(client, table, version), json);
  const item = { ...POINTER, version: text(version), parts: number(fragments), given: number(given) };
  await client.send(new PutItemCommand({ TableName: table, Item: item }));
  return version;
}

/** Ends the comparison. */
export async function deleteReferencePrices(client: DynamoDBClient, table: string): Promise<void> {
  await client.send(new DeleteItemCommand({ TableName: table, Key: POINTER }));
}
