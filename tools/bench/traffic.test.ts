import {
  BatchGetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { type Database, openDatabase } from '../test-kit/database.ts';
import { Traffic } from './harness/service/traffic.ts';

let database: Database;
let clients: DynamoClients;
let traffic: Traffic;

const put = (walletId: string, condition?: string) =>
  new PutItemCommand({
    TableName: 'wallets',
    Item: { wallet_id: { S: walletId }, filler: { S: 'x'.repeat(1500) } },
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
  });

beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  clients = database.connect();
  traffic = new Traffic(clients, ['catalog', 'circuits']);
});
afterAll(() => database.close());

describe('the count of database traffic', () => {
  it('counts concurrent requests as one round, and the next ones as another', async () => {
    await Promise.all([clients.client.send(put('a')), clients.onceClient.send(put('b'))]);
    await clients.client.send(put('a'));
    const { recordedRequests, ...spent } = traffic.take();
    expect(spent).toEqual({
      rounds: 2,
      reads: 0,
      writes: 3,
      rejected: 0,
      writeUnits: 6,
      readUnits: 0,
      repeats: 0,
    });
    expect(recordedRequests.map(({ command, round }) => [command, round])).toEqual([
      ['PutItemCommand', 1],
      ['PutItemCommand', 1],
      ['PutItemCommand', 2],
    ]);
  });

  it('counts a second try as another round, even if a request of the first is still in flight', async () => {
    const twice = clients.client.send(put('a')).then(() => clients.client.send(put('a')));
    clients.onceClient.middlewareStack.add((next) => async (request) => {
      await twice;
      return next(request);
    });
    await Promise.all([twice, clients.onceClient.send(put('b'))]);
    expect(traffic.take()).toMatchObject({ rounds: 2, writes: 3 });
  });

  it('counts a write that fails its condition, which DynamoDB bills', async () => {
    const rejected = clients.client.send(put('a', 'attribute_not_exists(wallet_id) AND filler = wallet_id'));
    await expect(rejected).rejects.toThrow();
    expect(traffic.take()).toMatchObject({ rounds: 1, writes: 1, rejected: 1, writeUnits: 1 });
  });

  it('counts a transaction by all of its items, applied or rejected', async () => {
    const input = (id: string) => put(id).input as { TableName: string; Item: Record<string, { S: string }> };
    const transaction = (condition?: string) =>
      new TransactWriteItemsCommand({
        TransactItems: ['a', 'b'].map((id) => ({
          Put: { ...input(id), ...(condition === undefined ? {} : { ConditionExpression: condition }) },
        })),
      });
    await clients.client.send(transaction());
    expect(traffic.take()).toMatchObject({ writes: 1, rejected: 0, writeUnits: 8 });
    await expect(clients.client.send(transaction('attribute_not_exists(wallet_id)'))).rejects.toThrow();
    expect(traffic.take()).toMatchObject({ writes: 1, rejected: 1, writeUnits: 4 });
    await clients.client.send(
      new BatchGetItemCommand({ RequestItems: { wallets: { Keys: [{ wallet_id: { S: 'a' } }] } } }),
    );
    expect(traffic.take()).toMatchObject({ reads: 1, writes: 0, readUnits: 0.5 });
  });

  it('excludes reads of background tables, and includes all writes to them', async () => {
    await clients.client.send(new ScanCommand({ TableName: 'circuits' }));
    const Keys = [{ route_id: { S: 'a' } }];
    await clients.client.send(new BatchGetItemCommand({ RequestItems: { circuits: { Keys } } }));
    expect(traffic.take()).toMatchObject({ rounds: 0, reads: 0 });
    const Item = { route_id: { S: 'a' } };
    await clients.client.send(new PutItemCommand({ TableName: 'circuits', Item }));
    expect(traffic.take()).toMatchObject({ rounds: 1, writes: 1 });
  });
});
