import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { regionalArn } from '../assembly/identities.ts';
import { createDynamoDbService } from '../aws/dynamodb-service.ts';
import { startAwsEndpoint } from '../aws/endpoint.ts';
import { createEngineClient } from '../dynamodb/client.ts';
import { startEngine } from '../dynamodb/engine.ts';
import { ensureTables } from '../dynamodb/tables.ts';
import { Queues } from '../messaging/queues.ts';
import { openMessagingStore } from '../messaging/store.ts';
import { temporaryFolder } from '../testing/fixture/synthesize.ts';
import { startStreams } from './streams.ts';

const TABLE = 'followed';
const FUNCTION = { name: 'follower', arn: regionalArn('lambda', 'function:follower'), roleArn: '' };

/** Far below the time after which a follower looks without a notice. */
const SOON_MS = 1_000;

const releases: (() => Promise<void> | void)[] = [];
const arrived = new Map<string, () => void>();
let endpoint: string;
let engineEndpoint: string;

beforeAll(async () => {
  const stateDir = await temporaryFolder('streams');
  releases.push(() => rm(stateDir, { recursive: true }));
  const engine = await startEngine({ databaseFile: join(stateDir, 'dynamodb.sqlite') });
  releases.push(() => engine.stop());
  engineEndpoint = engine.endpoint;
  const admin = client(engineEndpoint);
  await ensureTables(admin, [
    {
      name: TABLE,
      indexes: [],
      stream: 'NEW_IMAGE',
      keySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      attributes: [{ AttributeName: 'id', AttributeType: 'S' }],
    },
  ]);
  const writes = new EventEmitter();
  const dynamodb = createDynamoDbService(engineEndpoint, writes);
  releases.push(dynamodb.close);
  const services = { DynamoDB_20120810: dynamodb.service };
  const aws = await startAwsEndpoint({ services, authorizeAs: () => () => {}, log: () => {} });
  releases.push(() => aws.close());
  endpoint = aws.url;
  releases.push(await follow(stateDir, writes));
});

afterAll(async () => {
  for (const release of releases.reverse()) await release();
});

function client(address: string): DynamoDBClient {
  const engineClient = createEngineClient(address);
  releases.push(() => engineClient.destroy());
  return engineClient;
}

async function follow(stateDir: string, writes: EventEmitter): Promise<() => Promise<void>> {
  const store = openMessagingStore(':memory:');
  releases.push(() => store.close());
  const mapping = {
    functionName: FUNCTION.name,
    tableName: TABLE,
    batchSize: 10,
    bisect: false,
    maxRetries: 0,
    streamArn: regionalArn('dynamodb', `table/${TABLE}/stream/local`),
    deadQueueArn: undefined,
  };
  return startStreams({
    assembly: {
      streamMappings: [mapping],
      functions: [FUNCTION],
      roles: [],
    },
    stateDir,
    engineEndpoint,
    writes,
    allWritesNoticed: true,
    queues: new Queues({ descriptions: [], store, clock: Date.now }),
    enforceIam: false,
    async invoke(_arn, event) {
      const { Records } = event as { Records: { dynamodb: { Keys: { id: { S: string } } } }[] };
      for (const { dynamodb } of Records) arrived.get(dynamodb.Keys.id.S)?.();
    },
    log: () => {},
  });
}

/** Milliseconds from a write to its record's arrival at the follower. */
async function delay(writer: DynamoDBClient, id: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  arrived.set(id, resolve);
  const startedMs = performance.now();
  await writer.send(new PutItemCommand({ TableName: TABLE, Item: { id: { S: id } } }));
  await promise;
  return performance.now() - startedMs;
}

describe('the follower of a table', () => {
  it('receives each write of a function soon, also after a pause', async () => {
    const writer = client(endpoint);
    const delays: number[] = [];
    for (let write = 0; write < 20; write += 1) {
      delays.push(await delay(writer, `noticed-${write}`));
      await sleep(20 * (write % 5));
    }
    expect(Math.max(...delays)).toBeLessThan(SOON_MS);
  });

  it('also receives a write that bypasses the runtime, but later', async () => {
    await sleep(300);
    const late = await delay(client(engineEndpoint), 'unnoticed');
    expect(late).toBeGreaterThan(SOON_MS);
  });
});
