/** Makes the tables of the templates in the engine, and refuses a state folder that was made for others. */
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type TableDescription as LiveTable,
  paginateListTables,
  type StreamSpecification,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableDescription } from '../assembly/tables.ts';

/** Creates the tables that are missing; throws when one that exists has other keys or lacks an index. */
export async function ensureTables(
  client: DynamoDBClient,
  tables: readonly TableDescription[],
): Promise<void> {
  const existing = new Set(await listTables(client));
  await Promise.all(
    tables.map((table) => (existing.has(table.name) ? verify(client, table) : create(client, table))),
  );
}

async function listTables(client: DynamoDBClient): Promise<string[]> {
  const names: string[] = [];
  for await (const { TableNames: page = [] } of paginateListTables({ client }, {})) names.push(...page);
  return names;
}

async function create(client: DynamoDBClient, table: TableDescription): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: table.name,
      KeySchema: table.keySchema,
      AttributeDefinitions: table.attributes,
      BillingMode: 'PAY_PER_REQUEST',
      ...(table.stream === undefined
        ? {}
        : { StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream } }),
      ...(table.indexes.length === 0 ? {} : { GlobalSecondaryIndexes: [...table.indexes] }),
    }),
  );
}

async function verify(client: DynamoDBClient, table: TableDescription): Promise<void> {
  const { Table: live } = await client.send(new DescribeTableCommand({ TableName: table.name }));
  const difference = live === undefined ? 'it is gone' : findDifference(table, live);
  if (difference === undefined) return switchStream(client, table, live);
  throw new Error(
    `table ${table.name} in the state folder does not fit the templates: ${difference}. ` +
      'Run `npm run local:reset` to begin with empty tables.',
  );
}

/** Switches a stream as an update of the stack does: what was written before is in no stream. */
async function switchStream(
  client: DynamoDBClient,
  table: TableDescription,
  live?: LiveTable,
): Promise<void> {
  const stream = live?.StreamSpecification?.StreamViewType;
  if (stream === table.stream) return;
  const update = (StreamSpecification: StreamSpecification) =>
    client.send(new UpdateTableCommand({ TableName: table.name, StreamSpecification }));
  if (stream !== undefined) await update({ StreamEnabled: false });
  if (table.stream !== undefined) await update({ StreamEnabled: true, StreamViewType: table.stream });
}

function findDifference(table: TableDescription, live: LiveTable): string | undefined {
  const expected = keyText(table.keySchema, table.attributes);
  const actual = keyText(live.KeySchema ?? [], live.AttributeDefinitions ?? []);
  if (expected !== actual) return `its key is ${actual}, not ${expected}`;
  for (const index of table.indexes) {
    const liveIndex = live.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.IndexName);
    if (liveIndex === undefined) return `it has no index ${index.IndexName}`;
    const keyDescription = keyText(index.KeySchema, table.attributes);
    const has = keyText(liveIndex.KeySchema ?? [], live.AttributeDefinitions ?? []);
    if (keyDescription !== has)
      return `the key of its index ${index.IndexName} is ${has}, not ${keyDescription}`;
  }
  return undefined;
}

/** Such as `(account_id S, item S)`, the partition key first. */
function keyText(
  schema: readonly KeySchemaElement[],
  attributes: readonly { AttributeName?: string | undefined; AttributeType?: string | undefined }[],
): string {
  const hashFirst = [...schema].sort((a, b) => String(a.KeyType).localeCompare(String(b.KeyType)));
  const parts = hashFirst.map(({ AttributeName: name }) => {
    const type = attributes.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
    return `${name} ${type}`;
  });
  return `(${parts.join(', ')})`;
}
