import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startLoopbackServer } from '../../../tools/simulators/loopback-server.ts';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { createDynamoClients } from '../aws/clients.ts';

const TIMEOUT_MS = 300;

type Client = Pick<DynamoDBClient, 'send' | 'destroy'>;
type Send = (command: object) => Promise<{ readonly $metadata: Readonly<Record<string, unknown>> }>;

const send = (client: Client, command: object) => (client.send as unknown as Send).call(client, command);

const configOf = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

/** Tells of each request, and answers it once it is let: the first at once. */
const ANSWERING_SERVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData: flags } = require('node:worker_threads');
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.on('finish', () => {
      Atomics.store(flags, 0, 2);
      Atomics.notify(flags, 0);
    });
    if (requests > 1) {
      Atomics.store(flags, 0, 1);
      Atomics.wait(flags, 1, 0);
    }
    response.end('{}');
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** The SDK's own client with the service's limits: what ours is compared with. */
const sdkClient = (endpoint: string, maxAttempts: number, requestTimeout: number): Client =>
  new DynamoDBClient({
    ...configOf(endpoint),
    maxAttempts,
    requestHandler: { requestTimeout, throwOnRequestTimeout: true },
  });

const ours = (endpoint: string, requestMs = 20_000) => createDynamoClients(configOf(endpoint), requestMs);

/** Returns what a caller can observe of a result or a failure, except for request ids and the time of retries. */
async function outcome(client: Client, command: object): Promise<unknown> {
  const stableMetadata = ({
    requestId: _id,
    totalRetryDelay: _delay,
    ...rest
  }: Readonly<Record<string, unknown>>) => rest;
  try {
    const { $metadata, ...output } = await send(client, command);
    return { output, metadata: stableMetadata($metadata) };
  } catch (cause) {
    const failure = cause as Error & { readonly $metadata: Readonly<Record<string, unknown>> };
    const { $metadata, ...members } = failure;
    const summary = {
      name: failure.name,
      class: failure.constructor.name,
      metadata: stableMetadata($metadata),
    };
    // Who made the request describes what happened to it; what the database has said must be the same.
    return $metadata.httpStatusCode === undefined
      ? summary
      : { ...summary, message: failure.message, members };
  }
}

describe('the DynamoDB client, on the real engine,', () => {
  let database: TestDatabase;
  let sdk: Client;

  beforeAll(async () => {
    database = await startDatabase();
    sdk = sdkClient(database.endpoint, 3, 20_000);
  });
  afterAll(async () => {
    sdk.destroy();
    await database.stop();
  });

  const TableName = 'wallets';
  const Key = { wallet_id: { S: 'w' } };
  const VALUES = {
    text: { S: 'ä "B": {"B":"x"} \u2028' },
    empty: { S: '' },
    number: { N: '-12345678901234567890.5' },
    yes: { BOOL: true },
    none: { NULL: true as const },
    list: { L: [{ S: 'a' }, { L: [] }] },
    map: { M: { B: { S: 'b' }, __proto: { N: '1' } } },
    texts: { SS: ['a', 'b'] },
    numbers: { NS: ['1', '2'] },
  };
  const bytes = {
    one: { B: new Uint8Array([0, 255, 1]) },
    set: { BS: [new Uint8Array([7]), Buffer.from('x')] },
  };
  const put = (id: string, fields = {}) =>
    new PutItemCommand({ TableName, Item: { wallet_id: { S: id }, ...VALUES }, ...fields });
  const conditionFailure = {
    ConditionExpression: 'attribute_not_exists(wallet_id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const increment = {
    TableName,
    Key,
    UpdateExpression: 'ADD #n :one',
    ExpressionAttributeNames: { '#n': 'number' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  };

  it.each<[string, () => readonly object[]]>([
    [
      'puts and reads',
      () => [put('w'), put('w', { ReturnValues: 'ALL_OLD' }), new GetItemCommand({ TableName, Key })],
    ],
    ['a read of a missing item', () => [new GetItemCommand({ TableName, Key, ConsistentRead: true })]],
    [
      'binary values',
      () => [
        new PutItemCommand({
          TableName,
          Item: { ...Key, ...VALUES, ...bytes, deep: { L: [{ M: bytes }] } },
        }),
        new GetItemCommand({ TableName, Key }),
      ],
    ],
    [
      'updates',
      () => [
        put('w'),
        new UpdateItemCommand({ ...increment, ReturnValues: 'ALL_NEW', ReturnConsumedCapacity: 'TOTAL' }),
        new UpdateItemCommand({ ...increment, ...conditionFailure }),
        new DeleteItemCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }),
        new DeleteItemCommand({ TableName, Key, ConditionExpression: 'attribute_exists(wallet_id)' }),
      ],
    ],
    [
      'conditions that fail on bytes',
      () => [new PutItemCommand({ TableName, Item: { ...Key, ...bytes } }), put('w', conditionFailure)],
    ],
    [
      'listings',
      () => [
        ...['a', 'b', 'c'].map((id) => put(id)),
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'wallet_id = :w',
          ExpressionAttributeValues: { ':w': { S: 'b' } },
        }),
        new ScanCommand({ TableName, Limit: 1 }),
        new ScanCommand({ TableName, Select: 'COUNT' }),
      ],
    ],
    [
      'batches',
      () => [
        new BatchWriteItemCommand({
          RequestItems: { [TableName]: [{ PutRequest: { Item: { ...Key, ...VALUES } } }] },
        }),
        new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }),
      ],
    ],
    [
      'transactions',
      () => [
        new TransactWriteItemsCommand({ TransactItems: [{ Update: increment }] }),
        new TransactWriteItemsCommand({
          TransactItems: [
            { Put: { TableName, Item: Key, ...conditionFailure } },
            { Delete: { TableName, Key: { wallet_id: { S: 'x' } } } },
          ],
        }),
        new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName, Key } }] }),
      ],
    ],
    [
      'invalid requests',
      () => [
        new GetItemCommand({ TableName: 'nowhere', Key }),
        new GetItemCommand({ TableName, Key: { other: { S: 'w' } } }),
        new UpdateItemCommand({ TableName, Key, UpdateExpression: 'SET' }),
      ],
    ],
  ])('returns the results and failures of the SDK: %s', async (_name, commands) => {
    const results = [];
    for (const client of [sdk, database.client]) {
      const observed = [];
      for (const command of commands()) observed.push(await outcome(client, command));
      results.push(observed);
      for (const id of ['a', 'b', 'c', 'w'])
        await sdk.send(new DeleteItemCommand({ TableName, Key: { wallet_id: { S: id } } }));
    }
    expect(results[1]).toEqual(results[0]);
  });
});

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'REQUEST' };

type Answerer = (response: ServerResponse, request: IncomingMessage, attempt: number) => void;

const rejectAll =
  (status: number, type: string, members = {}): Answerer =>
  (response) => {
    const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no', ...members };
    response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
  };

/** A server in place of the database, with the headers and bodies of what came. */
async function startTrouble(respond: Answerer) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const sockets = new Set<Socket>();
  const { url: endpoint, stop } = await startLoopbackServer(async (request, response) => {
    sockets.add(request.socket);
    received.push({ headers: request.headers, body: await textOf(request) });
    respond(response, request, received.length);
  }, 0);
  return { received, endpoint, connections: () => sockets.size, stop };
}

const READ = () => new GetItemCommand({ TableName: 'keys', Key: { key_id: { S: 'k' } } });
const TRANSACTION = () => new TransactWriteItemsCommand({ TransactItems: [] });
const done: Answerer = (response) => void response.writeHead(200, JSON_TYPE).end('{}');
const first =
  (respond: Answerer): Answerer =>
  (response, request, attempt) =>
    (attempt === 1 ? respond : done)(response, request, attempt);
const cut: Answerer = (response) => {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': 100 }).write('{"Item":{');
  setTimeout(() => response.destroy(), 20);
};
const reset: Answerer = (_response, request) => void request.socket.resetAndDestroy();

describe('the DynamoDB client, on a failing server,', () => {
  let trouble: Awaited<ReturnType<typeof startTrouble>> | undefined;
  afterEach(async () => {
    await trouble?.stop();
    trouble = undefined;
  });

  it('waits three seconds for each attempt, and nine for the only one of a request that is sent once', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    trouble = await startTrouble(done);
    const { client, onceClient } = createDynamoClients(configOf(trouble.endpoint));
    for (const each of [client, onceClient]) await each.send(READ());
    const limits = timers.mock.calls.map(([, ms]) => ms).filter((ms) => ms === 3_000 || ms === 9_000);
    timers.mockRestore();
    expect(new Set(limits)).toEqual(new Set([3_000, 9_000]));
    client.destroy();
  });

  const TROUBLES: readonly (readonly [string, Answerer, () => object])[] = [
    ['an internal error', rejectAll(500, 'InternalServerError'), READ],
    ['an unknown error', rejectAll(503, 'Whatever', { reason: 'x' }), READ],
    ['an error that is not JSON', (response) => void response.writeHead(502).end('<html>'), READ],
    ['a throttle', rejectAll(400, 'ProvisionedThroughputExceededException', { ThrottlingReasons: [] }), READ],
    ['another throttle', rejectAll(400, 'ThrottlingException'), READ],
    ['too many requests', rejectAll(400, 'RequestLimitExceeded'), READ],
    ['a lasting refusal', rejectAll(400, 'ValidationException'), READ],
    ['no access', rejectAll(400, 'AccessDeniedException'), READ],
    [
      'a cancelled transaction',
      rejectAll(400, 'TransactionCanceledException', {
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed', Item: { a: { B: 'AP8=' } } },
        ],
      }),
      TRANSACTION,
    ],
    ['a transaction in progress', rejectAll(400, 'TransactionInProgressException'), TRANSACTION],
    ['a reset', reset, READ],
    ['an answer that is cut off', cut, READ],
    ['no answer', () => {}, READ],
    ['a throttle at first', first(rejectAll(400, 'ThrottlingException')), READ],
    ['a reset at first', first(reset), READ],
    ['an answer that is cut off at first', first(cut), TRANSACTION],
  ];

  it('fails with the error of the SDK, after the same number of requests', async () => {
    const played = TROUBLES.map(async ([name, respond, command]) => {
      // Only what never answers is too slow, on any machine.
      const isSilent = name === 'no answer';
      const ms = isSilent ? TIMEOUT_MS : 20_000;
      const failureOf = async (create: (url: string) => Client) => {
        const { endpoint, received, stop } = await startTrouble(respond);
        const client = create(endpoint);
        const observed = { outcome: await outcome(client, command()), requests: received.length };
        // What is given up may not have reached the server: its outcome counts the attempts.
        if (isSilent) observed.requests = 0;
        client.destroy();
        await stop();
        return [name, observed];
      };
      const [sdk, ownClient, sdkOnce, ownOnce] = await Promise.all([
        failureOf((url) => sdkClient(url, 3, ms)),
        failureOf((url) => ours(url, ms).client),
        failureOf((url) => sdkClient(url, 1, 3 * ms)),
        failureOf((url) => ours(url, ms).onceClient),
      ]);
      expect([ownClient, ownOnce]).toEqual([sdk, sdkOnce]);
    });
    await Promise.all(played);
  });

  it('signs its requests and sends nothing that describes the SDK', async () => {
    trouble = await startTrouble(done);
    const { client, onceClient } = ours(trouble.endpoint);
    for (const each of [client, onceClient]) await each.send(READ());
    expect(trouble.received).toHaveLength(2);
    for (const { headers } of trouble.received) {
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
      expect(headers).not.toHaveProperty('user-agent');
      expect(headers).not.toHaveProperty('x-amz-user-agent');
    }
    client.destroy();
  });

  it('repeats a transaction with the token of its first attempt, and sends another token with the next transaction', async () => {
    trouble = await startTrouble(first(cut));
    const { client } = ours(trouble.endpoint);
    await client.send(TRANSACTION());
    await client.send(TRANSACTION());
    const [one, repeated, next] = trouble.received.map(({ body }) => JSON.parse(body).ClientRequestToken);
    expect(one).toMatch(/^[0-9a-f-]{36}$/);
    expect(repeated).toBe(one);
    expect(next).not.toBe(one);
    client.destroy();
  });

  it('reads a response that has arrived in time, even if the process had no CPU until after the timeout', async () => {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const server = new Worker(ANSWERING_SERVER, { eval: true, workerData: flags });
    const [port] = (await once(server, 'message')) as [number];
    const { client } = ours(`http://127.0.0.1:${port}`, 1_000);
    try {
      await client.send(READ());
      flags.fill(0);
      const response = client.send(READ());
      while (flags[0] === 0) await nextTurn();
      const startMs = performance.now();
      Atomics.store(flags, 1, 1);
      Atomics.notify(flags, 1);
      Atomics.wait(flags, 0, 1);
      while (performance.now() - startMs < 1_100);
      expect((await response).$metadata).toMatchObject({ httpStatusCode: 200, attempts: 1 });
    } finally {
      client.destroy();
      await server.terminate();
    }
  });

  it('returns a timeout if a response starts but does not end, although the SDK waits for it', async () => {
    trouble = await startTrouble((response) => void response.writeHead(200, JSON_TYPE).write('{'));
    const { client } = ours(trouble.endpoint, TIMEOUT_MS);
    expect(await outcome(client, READ())).toMatchObject({ name: 'TimeoutError', metadata: { attempts: 3 } });
    client.destroy();
  });

  it('signs with the time of AWS after a rejection shows that its own time is wrong', async () => {
    const future = new Date(Date.now() + 3_600_000);
    trouble = await startTrouble((response, request, attempt) => {
      response.setHeader('date', future.toUTCString());
      (attempt === 1 ? rejectAll(400, 'InvalidSignatureException') : done)(response, request, attempt);
    });
    const { client } = ours(trouble.endpoint);
    await client.send(READ());
    const [before = '', after = ''] = trouble.received.map(({ headers }) => String(headers['x-amz-date']));
    const hour = (time: string) => time.slice(0, 11);
    expect(hour(after)).toBe(hour(future.toISOString().replace(/[-:]/g, '')));
    expect(before < after).toBe(true);
    client.destroy();
  });

  it('opens one connection for both clients, and one for each concurrent request', async () => {
    trouble = await startTrouble(done);
    const { client, onceClient } = ours(trouble.endpoint);
    for (const each of [client, onceClient, client]) await each.send(READ());
    expect(trouble.connections()).toBe(1);
    await Promise.all(Array.from({ length: 8 }, () => client.send(READ())));
    expect(trouble.connections()).toBe(8);
    client.destroy();
  });
});
