import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { engineClients, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../tools/test-kit/lost-answers.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { DynamoUnbilledStore } from '../../ledger/store/usage/unbilled-store.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { type Circuit, type CircuitChange, COOLDOWN_MS, MAX_MEMBERS } from '../core/circuit/circuit.ts';
import { changed } from '../testing/circuit/memory-circuits.ts';
import { DynamoCircuitStore } from './circuit-store.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);

const database = fileDatabase();
let store: DynamoCircuitStore;

beforeAll(async () => {
  store = storeOf(database);
});

const storeOf = ({ client }: Pick<TestDatabase, 'client'>) =>
  new DynamoCircuitStore(client, database.tables.circuits, () => NOW_MS);

const failure = (member: string): CircuitChange => ({
  when: { absent: 'open_until', atMost: { since: NOW_MS }, notFull: ['a1'] },
  add: { a1: member, f1: 1, s1: 0 },
});

const opening = (id: string): CircuitChange => ({
  when: { absent: 'open_until' },
  set: { open_until: NOW_MS + COOLDOWN_MS, opened_by: id },
});

const TIMES = ['open_until', 'since', 'cool_until'];
const COUNTS = ['f1', 's1', 't2'];
const SETS = ['a1', 'a2', 'b1'];
const strings = fc.constantFrom('one', 'two', 'three');

const pairs = <T>(names: readonly string[], values: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 2 }).map(Object.fromEntries);

/** Changes of every shape, of few attributes and values, so that conditions hold at times. */
const changes: fc.Arbitrary<CircuitChange> = fc
  .record({
    absent: fc.option(fc.constantFrom(...TIMES, ...SETS), { nil: undefined, freq: 1 }),
    equal: pairs(['probe'], strings),
    atMost: pairs(TIMES, fc.nat(5)),
    notFull: fc.subarray(SETS),
    set: fc.tuple(pairs(TIMES, fc.nat(5)), pairs(['probe'], strings)).map(([a, b]) => ({ ...a, ...b })),
    add: fc
      .tuple(pairs(SETS, strings), pairs(COUNTS, fc.integer({ min: -1, max: 3 })))
      .map(([a, b]) => ({ ...a, ...b })),
    remove: fc.constantFrom([], [], ['a9', 'probers'], ['t9']),
  })
  .map(({ absent, equal, atMost, notFull, ...rest }) => ({
    when: { ...(absent === undefined ? { absent: 'never' } : { absent }), equal, atMost, notFull },
    ...rest,
  }));

describe('a change', () => {
  it('leaves the same circuit here as in a model of the database, whatever it is', async () => {
    let circuits = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 12 }), async (steps) => {
        circuits += 1;
        const key = `random-${circuits}`;
        let model: Circuit = {};
        for (const step of steps) {
          model = changed(model, step);
          expect(await store.write(key, step)).toEqual(model);
        }
        expect((await store.read([key])).get(key) ?? {}).toEqual(model);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('adds nothing to a set if it is sent again after a lost response, and recognizes its own opening', async () => {
    const { client } = engineClients(database.endpoint);
    loseFirstResponses(client);
    const lossy = storeOf({ client });
    expect((await lossy.write('lost', failure('one'))).a1).toEqual(new Set(['one']));
    expect(await lossy.write('lost', opening('mine'))).toMatchObject({ opened_by: 'mine' });
  });

  it('opens a circuit once for concurrent writers, and keeps each set within its bound', async () => {
    const members = Array.from({ length: 3 * MAX_MEMBERS }, (_, at) => `m${at}`);
    await Promise.all(members.map((member) => store.write('full', failure(member))));
    const openings = await Promise.all(members.map((member) => store.write('full', opening(member))));
    const circuit = (await store.read(['full'])).get('full');
    expect(circuit?.a1?.size).toBe(MAX_MEMBERS);
    expect(openings.filter(({ opened_by: by }, at) => by === members[at])).toHaveLength(1);
    expect(await store.write('full', failure('late'))).toEqual(circuit);
  });

  it('leaves the item an hour to live', async () => {
    await store.write('expires', failure('one'));
    const Key = { route_id: { S: 'expires' } };
    const { Item } = await database.client.send(
      new GetItemCommand({ TableName: database.tables.circuits, Key, ConsistentRead: true }),
    );
    expect(Item?.expires).toEqual({ N: String(NOW_MS / 1000 + 3_600) });
  });
});

it('a read returns the stored circuits among those requested, and a list returns all circuits and nothing else of the table', async () => {
  const unbilled = new DynamoUnbilledStore(database.client, database.tables.circuits, () => NOW_MS);
  await unbilled.add('listed', { amount: 1n, factor: 2 });
  await store.write('listed', opening('one'));
  await store.write('listed~account', failure('one'));
  expect([...(await store.read(['listed', 'absent', 'listed~account'])).keys()].sort()).toEqual([
    'listed',
    'listed~account',
  ]);
  const listed = await store.list();
  expect([...listed.keys()].filter((key) => key.includes('listed')).sort()).toEqual([
    'listed',
    'listed~account',
  ]);
  expect(listed.get('listed')).toEqual({ open_until: NOW_MS + COOLDOWN_MS, opened_by: 'one' });
});
