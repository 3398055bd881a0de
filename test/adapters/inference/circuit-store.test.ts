import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DynamoCircuitStore } from '../../../lambdas/adapters/inference/circuit-store.ts';
import { systemClock, systemUlid } from '../../../lambdas/adapters/system/system.ts';
import {
  afterTry,
  COOLDOWN_MS,
  closedCircuits,
  type RouteCircuits,
  writtenBy,
} from '../../../lambdas/core/inference/circuit/circuit.ts';
import { CircuitCache } from '../../../lambdas/core/inference/circuit/circuit-cache.ts';
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

const first = (id: string, changes: Partial<RouteCircuits> = {}) =>
  writtenBy('w1', { ...closedCircuits(id), ...changes });

const bucketOf = (calls: number, failedBy: readonly string[] = []) => ({
  startMs: NOW_MS,
  failures: calls,
  successes: calls,
  assumed: calls,
  failedBy,
});

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
    ['failing', { shared: { window: [bucketOf(3, ['aB3_-x', 'Zz09_-'])] } }],
    ['open', { shared: { openUntilMs: NOW_MS + 15_000, probers: ['aB3_-x'] } }],
    ['probed', { shared: { openUntilMs: NOW_MS, probe: { id: 'claim', untilMs: NOW_MS + 65_000 } } }],
    ['open to some', { own: { 'aB3_-x': { openUntilMs: NOW_MS }, 'Zz09_-': { coolUntilMs: NOW_MS } } }],
  ])('that is %s is read as it was written', async (name, changes) => {
    const route = first(`kept ${name}`, changes);
    expect(await store.save(route)).toEqual(route);
    expect(await store.load()).toContainEqual(route);
  });

  it('of an earlier format is taken for one that nobody has written, and is overwritten', async () => {
    const item = {
      route_id: { S: 'earlier' },
      version: { N: '3' },
      writers: { L: [{ S: 'w1' }] },
      open_until_ms: { N: `${NOW_MS}` },
      expires: { N: '1' },
    };
    await database.client.send(new PutItemCommand({ TableName: database.tables.circuits, Item: item }));
    expect((await store.load()).map(({ id }) => id)).not.toContain('earlier');
    expect(await store.save({ ...first('earlier'), version: 7 })).toEqual(closedCircuits('earlier'));
    const route = first('earlier', { shared: { openUntilMs: NOW_MS } });
    expect(await store.save(route)).toEqual(route);
    expect(await store.load()).toContainEqual(route);
  });

  it('that nobody has written is not there', async () => {
    const ids = (await store.load()).map(({ id }) => id);
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
    expect(await store.save(gone)).toEqual(closedCircuits('gone'));
    expect(await store.save(first('gone'))).toMatchObject({ version: 1 });
  });

  it.each([
    ['calls', { window: [bucketOf(1)] }],
    ['an opening', { openUntilMs: NOW_MS }],
    ['a probe', { openUntilMs: NOW_MS - 1, probe: { id: 'claim', untilMs: NOW_MS } }],
    ['a closing', { sinceMs: NOW_MS }],
    ['a limit', { coolUntilMs: NOW_MS }],
  ])(
    'is deleted an hour and a cooldown after the last of its times, if that is of %s',
    async (name, circuit) => {
      const expires = { N: String((NOW_MS + COOLDOWN_MS) / 1000 + 3_600) };
      await store.save(first(`shared ${name}`, { shared: circuit }));
      expect((await itemOf(`shared ${name}`)).expires).toEqual(expires);
      await store.save(first(`own ${name}`, { shared: { sinceMs: NOW_MS - 9 }, own: { 'aB3_-x': circuit } }));
      expect((await itemOf(`own ${name}`)).expires).toEqual(expires);
    },
  );

  it.each([
    ['two write units while one account fails', 1, 2],
    ['four write units with as many accounts and as long a name as there can be', 8, 4],
  ])('is at most %s', async (_, accounts, units) => {
    const probe = { id: systemUlid(), untilMs: NOW_MS };
    const open = {
      openUntilMs: NOW_MS,
      probe,
      probers: ['aB3_-x', 'Zz09_-'],
      sinceMs: NOW_MS,
      coolUntilMs: NOW_MS,
    };
    const failing = { window: Array(5).fill(bucketOf(9_999)), sinceMs: NOW_MS, coolUntilMs: NOW_MS };
    let route = closedCircuits(accounts === 1 ? 'route' : 'r'.repeat(128));
    for (let write = 0; write < 40; write += 1) route = writtenBy(systemUlid().slice(-12), route);
    const own = Object.fromEntries(
      Array.from({ length: accounts }, (_own, index) => [`aB3_-${index}`, index % 2 === 0 ? failing : open]),
    );
    const shared = { ...failing, window: Array(5).fill(bucketOf(9_999, Array(2).fill('aB3_-x'))) };
    await store.save({ ...route, version: 1, shared, own });
    const { ConsumedCapacity } = await database.client.send(
      new PutItemCommand({
        TableName: database.tables.circuits,
        Item: await itemOf(route.id),
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(ConsumedCapacity?.CapacityUnits).toBeLessThanOrEqual(units);
  });
});

describe('eight clients at once', () => {
  const CLIENTS = 8;

  it('of as many first writers one has written, and the others get what that one wrote', async () => {
    const found = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) =>
        store.save(writtenBy(`w${index}`, closedCircuits('raced'))),
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
      let reported = 0;
      // Each adds to what it found, with a client of its own: the SDK gives up repeating after some fifty lost answers.
      const makeChange = async (): Promise<void> => {
        const own = engineClients(database.endpoint);
        if (losing) loseFirstAnswers(own.client);
        let isMade = false;
        const circuits = new CircuitCache({
          store: storeOf(own),
          clock: systemClock,
          ulid: systemUlid,
          log: SILENT,
          written: () => {
            reported += 1;
            isMade = true;
          },
        });
        const change = (route: RouteCircuits) => {
          const { sinceMs = 0 } = route.shared;
          return { ...route, shared: { sinceMs: sinceMs + 1 } };
        };
        // One that has met others eight times begins again.
        while (!isMade) await circuits.change(name, change);
        own.client.destroy();
        own.onceClient.destroy();
      };
      await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          for (let made = 0; made < changes; made += 1) await makeChange();
        }),
      );
      const [route] = (await store.load()).filter(({ id }) => id === name);
      expect(route).toMatchObject({ version: CLIENTS * changes, shared: { sinceMs: CLIENTS * changes } });
      expect(reported).toBe(CLIENTS * changes);
    },
    60_000,
  );

  it('that count failures open the circuit once', async () => {
    let opened = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        const circuits = new CircuitCache({
          store,
          clock: systemClock,
          ulid: systemUlid,
          log: SILENT,
          written: (before, after) => {
            if (before.own.a?.openUntilMs === undefined && after.own.a?.openUntilMs !== undefined)
              opened += 1;
          },
        });
        const nowMs = systemClock();
        const seen = { startMs: nowMs, served: 0, successes: 0, lastFailed: true };
        const permit = { allowed: true, routeId: 'dead', account: 'a', begunMs: nowMs } as const;
        const ended = {
          nowMs,
          outcome: 'failing',
          retryAfterSeconds: undefined,
          seen: { shared: seen, own: seen },
        } as const;
        for (let failure = 0; failure < 5; failure += 1)
          await circuits.change('dead', (route) => afterTry(route, { ...permit, ...ended }));
      }),
    );
    expect(opened).toBe(1);
  });
});
