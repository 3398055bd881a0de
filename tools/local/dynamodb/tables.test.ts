import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TableDescription } from '../assembly/tables.ts';
import { temporaryFolder } from '../testing/fixture/synthesize.ts';
import { createEngineClient } from './client.ts';
import { type DynamoEngine, startEngine } from './engine.ts';
import { ensureTables } from './tables.ts';
import { sweepExpired } from './ttl-sweeper.ts';

let stateDir: string;
let engine: DynamoEngine;
let client: DynamoDBClient;

beforeAll(async () => {
  stateDir = await temporaryFolder('tables');
  engine = await startEngine({ databaseFile: join(stateDir, 'dynamodb.sqlite') });
  client = createEngineClient(engine.endpoint);
});

afterAll(async () => {
  client.destroy();
  await engine.stop();
  await rm(stateDir, { recursive: true });
});

const described = (name: string, fields: Partial<TableDescription> = {}): TableDescription => ({
  name,
  keySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  attributes: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
    { AttributeName: 'owner', AttributeType: 'S' },
  ],
  indexes: [
    {
      IndexName: 'by-owner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  ...fields,
});

describe('tables of the templates', () => {
  it('appear with their keys and indexes, and stay unchanged if they exist', async () => {
    await ensureTables(client, [described('made')]);
    await client.send(new PutItemCommand({ TableName: 'made', Item: { pk: { S: 'a' }, sk: { N: '1' } } }));
    await ensureTables(client, [described('made')]);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'made' }));
    expect(Table).toMatchObject({
      KeySchema: [{ AttributeName: 'pk' }, { AttributeName: 'sk' }],
      GlobalSecondaryIndexes: [{ IndexName: 'by-owner', Projection: { ProjectionType: 'KEYS_ONLY' } }],
    });
    expect((await client.send(new ScanCommand({ TableName: 'made' }))).Count).toBe(1);
  });

  it('cause an error with a solution if the state folder has other keys', async () => {
    await client.send(
      new CreateTableCommand({
        TableName: 'other',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await expect(ensureTables(client, [described('other')])).rejects.toThrow(
      /table other .* its key is \(pk S\), not \(pk S, sk N\).*npm run local:reset/,
    );
  });

  it('cause an error if an existing table lacks an index', async () => {
    await ensureTables(client, [
      described('bare', { indexes: [], attributes: described('').attributes.slice(0, 2) }),
    ]);
    await expect(ensureTables(client, [described('bare')])).rejects.toThrow('it has no index by-owner');
  });
});

describe('the sweeper', () => {
  it('deletes what has expired, and nothing else, and gives notice of it', async () => {
    const table = described('expiring', { ttlAttribute: 'ttl' });
    await ensureTables(client, [table]);
    const now = Math.floor(Date.now() / 1000);
    const ttls = {
      past: { N: String(now - 5) },
      future: { N: String(now + 60) },
      text: { S: '1' },
      ancient: { N: '1' },
    };
    for (const [pk, ttl] of Object.entries(ttls)) {
      await client.send(
        new PutItemCommand({ TableName: 'expiring', Item: { pk: { S: pk }, sk: { N: '1' }, ttl } }),
      );
    }
    await client.send(
      new PutItemCommand({ TableName: 'expiring', Item: { pk: { S: 'none' }, sk: { N: '1' } } }),
    );
    const writes = new EventEmitter();
    const noticed: string[] = [];
    for (const name of ['expiring', 'made']) writes.on(name, () => noticed.push(name));
    expect(await sweepExpired(client, [table, described('made')], writes)).toBe(1);
    expect(noticed).toEqual(['expiring']);
    const deletedTable = await client.send(
      new GetItemCommand({ TableName: 'expiring', Key: { pk: { S: 'past' }, sk: { N: '1' } } }),
    );
    expect(deletedTable.Item).toBeUndefined();
    expect((await client.send(new ScanCommand({ TableName: 'expiring' }))).Count).toBe(4);
  });
});

describe('the engine', () => {
  it('uses another DynamoDB if an endpoint is given', async () => {
    const other = await startEngine({ endpoint: engine.endpoint });
    expect(other.endpoint).toBe(engine.endpoint);
    await other.stop();
    expect((await client.send(new ScanCommand({ TableName: 'made' }))).Count).toBe(1);
  });
});
