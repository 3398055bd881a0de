import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DynamoCircuitStore } from '../../../lambdas/adapters/inference/circuit-store.ts';
import { systemClock, systemUlid } from '../../../lambdas/adapters/system/system.ts';
import { callsAt } from '../../../lambdas/core/inference/circuit/call-window.ts';
import {
  afterFailure,
  type Circuit,
  closedCircuit,
  writtenBy,
} from '../../../lambdas/core/inference/circuit/circuit.ts';
import { KnownCircuits } from '../../../lambdas/core/inference/circuit/circuit-cache.ts';
import { SILENT } from '../../core/inference/circuit/memory-circuits.ts';
import { engineClients, startDatabase, type TestDatabase } from '../engine.ts';
import { loseFirstAnswers } from '../lost-answers.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);

let database: TestDatabase;
let store: DynamoCircuitStore;

beforeAll(async () => {
  database = await startDatabase();
  store = storeOf(database);
});
afterAll(() => database.stop());

const storeOf = ({ client }: Pick<TestDatabase, 'client'>) =>
  new DynamoCircuitStore(client, database.tables.circuits);

const first = (id: string, changes: Partial<Circuit> = {}) =>
  writtenBy('w1', { ...closedCircuit(id), ...changes });

const mark = (account: string) => ({ account, atMs: NOW_MS });

const itemOf = async (id: string) => {
  const { Item } = await database.client.send(
    new GetItemCommand({
      TableName: database.tables.circuits,
      Key: { route_id: { S: id } },
      ConsistentRead: true,
    }),
  );
  if (Item === undefined) throw new Error('there is no such item');
  return Item;
};

describe('a circuit', () => {
  it.each([
    ['closed', {}],
    ['failing', { buckets: [callsAt(NOW_MS, { failures: 3, successes: 2, assumed: 1 })] }],
    ['open', { openUntilMs: NOW_MS + 15_000 }],
    ['probed', { openUntilMs: NOW_MS, probe: { id: 'claim', untilMs: NOW_MS + 65_000 } }],
    ['cooling', { coolUntilMs: NOW_MS + 30_000, sinceMs: NOW_MS }],
    ['an account’s own', { account: 'aB3_-x', openUntilMs: NOW_MS }],
    ['failing for some', { failed: [mark('aB3_-x'), mark('Zz09_-')] }],
    ['limiting some', { limited: [mark('aB3_-x')] }],
    ['probed by some', { openUntilMs: NOW_MS, probers: ['aB3_-x', 'Zz09_-'] }],
  ])('that is %s is read as it was written', async (name, changes) => {
    const circuit = first(`kept ${name}`, changes);
    expect(await store.save(circuit)).toEqual(circuit);
    expect(await store.load()).toContainEqual(circuit);
  });

  it('of an earlier version, which knew nothing of accounts, is read as one that all share', async () => {
    const item = {
      route_id: { S: 'earlier' },
      version: { N: '3' },
      writers: { L: [{ S: 'w1' }] },
      stretches: {
        L: [
          {
            M: {
              start_ms: { N: `${NOW_MS}` },
              failures: { N: '2' },
              successes: { N: '1' },
              benefit: { N: '2' },
            },
          },
        ],
      },
      open_until_ms: { N: '0' },
      since_ms: { N: '0' },
      cool_until_ms: { N: `${NOW_MS}` },
      expires: { N: '1' },
    };
    await database.client.send(new PutItemCommand({ TableName: database.tables.circuits, Item: item }));
    const [found] = (await store.load()).filter(({ id }) => id === 'earlier');
    expect(found).toEqual({
      ...closedCircuit('earlier'),
      version: 3,
      writers: ['w1'],
      buckets: [callsAt(NOW_MS, { failures: 2, successes: 1, assumed: 2 })],
      coolUntilMs: NOW_MS,
    });
  });

  it('that nobody has written is not there', async () => {
    const ids = (await store.load()).map(({ id }) => id);
    expect(ids).toContain('earlier');
    expect(ids).not.toContain('never written');
  });

  it('is written on the version before it and on no other, and whoever comes second gets what is there', async () => {
    const one = first('versions');
    const two = writtenBy('w2', one);
    await store.save(one);
    expect(await store.save({ ...one, writers: ['late'] })).toEqual(one);
    expect(await store.save(writtenBy('early', two))).toEqual(one);
    expect(await store.save(two)).toEqual(two);
    expect(await store.save({ ...two, writers: ['late'] })).toEqual(two);
  });

  it('that has been deleted since is begun anew', async () => {
    const gone = { ...first('gone'), version: 7 };
    expect(await store.save(gone)).toEqual(closedCircuit('gone'));
    expect(await store.save(first('gone'))).toMatchObject({ version: 1 });
  });

  it('is deleted an hour after the last thing that it says', async () => {
    const seconds = (ms: number) => String(ms / 1000 + 3_600);
    await store.save(first('calls', { buckets: [callsAt(NOW_MS, { failures: 1 })] }));
    expect((await itemOf('calls')).expires).toEqual({ N: seconds(NOW_MS) });
    const probe = { id: 'claim', untilMs: NOW_MS + 65_000 };
    await store.save(first('probe', { openUntilMs: NOW_MS, probe, coolUntilMs: NOW_MS + 5_000 }));
    expect((await itemOf('probe')).expires).toEqual({ N: seconds(probe.untilMs) });
    await store.save(first('closed again', { sinceMs: NOW_MS }));
    expect((await itemOf('closed again')).expires).toEqual({ N: seconds(NOW_MS) });
    await store.save(first('limits', { limited: [{ account: 'aB3_-x', atMs: NOW_MS + 60_000 }] }));
    expect((await itemOf('limits')).expires).toEqual({ N: seconds(NOW_MS + 60_000) });
    await store.save(first('cool', { coolUntilMs: NOW_MS + 60_000 }));
    expect((await itemOf('cool')).expires).toEqual({ N: seconds(NOW_MS + 60_000) });
  });

  it('is one write unit, the largest with the longest name too', async () => {
    let circuit: Circuit = closedCircuit('r'.repeat(128));
    for (let write = 0; write < 40; write += 1) circuit = writtenBy(systemUlid().slice(-16), circuit);
    await store.save({
      ...circuit,
      version: 1,
      buckets: [0, 2, 4, 6, 8].map((seconds) =>
        callsAt(NOW_MS + seconds * 1_000, { failures: 9_999, successes: 9_999, assumed: 9_999 }),
      ),
      failed: Array.from({ length: 6 }, () => mark('aB3_-x')),
      limited: Array.from({ length: 3 }, () => mark('aB3_-x')),
      openUntilMs: NOW_MS,
      probe: { id: systemUlid(), untilMs: NOW_MS },
      probers: ['aB3_-x', 'Zz09_-'],
      sinceMs: NOW_MS,
      coolUntilMs: NOW_MS,
    });
    const { ConsumedCapacity } = await database.client.send(
      new PutItemCommand({
        TableName: database.tables.circuits,
        Item: await itemOf(circuit.id),
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(ConsumedCapacity?.CapacityUnits).toBe(1);
  });
});

describe('eight clients at once', () => {
  const CLIENTS = 8;

  it('of as many first writers one has written, and the others get what that one wrote', async () => {
    const found = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) =>
        store.save(writtenBy(`w${index}`, closedCircuit('raced'))),
      ),
    );
    expect(new Set(found.map(({ writers }) => writers.join())).size).toBe(1);
  });

  it.each([
    ['and every change is made once', false],
    ['and every change is made once though the first answer to each write is lost', true],
  ])(
    'change a circuit together, %s',
    async (name, losing) => {
      const changes = 12;
      const clients = Array.from({ length: CLIENTS }, () => engineClients(database.endpoint));
      let reported = 0;
      await Promise.all(
        clients.map(async (own) => {
          if (losing) loseFirstAnswers(own.client);
          const circuits = new KnownCircuits({
            store: storeOf(own),
            clock: systemClock,
            ulid: systemUlid,
            log: SILENT,
            written: () => {
              reported += 1;
            },
          });
          for (let made = 0; made < changes; ) {
            // Each adds to what it found; one that has met others eight times begins again.
            const change = (circuit: Circuit) => ({ ...circuit, sinceMs: circuit.sinceMs + 1 });
            if (await circuits.change(name, change)) made += 1;
          }
        }),
      );
      const [circuit] = (await store.load()).filter(({ id }) => id === name);
      expect(circuit).toMatchObject({ version: CLIENTS * changes, sinceMs: CLIENTS * changes });
      expect(reported).toBe(CLIENTS * changes);
      for (const own of clients) {
        own.client.destroy();
        own.onceClient.destroy();
      }
    },
    60_000,
  );

  it('that count failures open the circuit once', async () => {
    let opened = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        const circuits = new KnownCircuits({
          store,
          clock: systemClock,
          ulid: systemUlid,
          log: SILENT,
          written: (before, after) => {
            if (before.openUntilMs === 0 && after.openUntilMs !== 0) opened += 1;
          },
        });
        const nowMs = systemClock();
        const failed = { nowMs, begunMs: nowMs, account: 'a', failedBefore: true, seen: [], unreported: [] };
        for (let failure = 0; failure < 5; failure += 1)
          await circuits.change('dead', (circuit) => afterFailure({ ...circuit, account: 'a' }, failed));
      }),
    );
    expect(opened).toBe(1);
  });
});
