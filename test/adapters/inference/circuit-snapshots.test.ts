import { type GetItemCommand, PutItemCommand, type ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { CircuitSnapshots } from '../../../lambdas/adapters/inference/circuit-snapshots.ts';
import { DynamoCircuitStore } from '../../../lambdas/adapters/inference/circuit-store.ts';
import { closedCircuits, writtenBy } from '../../../lambdas/core/inference/circuit/circuit.ts';
import { aroundSend } from '../../core/ledger/failing-process.ts';
import { it } from '../../search.ts';
import { drawsOf } from '../../seed.ts';
import { startDatabase, type TestDatabase } from '../engine.ts';

const OPEN = { sinceMs: 0, openUntilMs: Date.UTC(2100, 0) };

/** As if each were another process's: a look keeps nothing. */
const LOOKS = 480;

let database: TestDatabase;
let nowMs = Date.UTC(2026, 6, 15, 12);
let reads: { readonly isScan: boolean; readonly key: string; readonly isConsistent: boolean }[] = [];

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const random = drawsOf('looks');

function open() {
  const table = database.tables.circuits;
  const client = aroundSend(database.client, (command, send) => {
    const { Key, ConsistentRead = false } = (command as GetItemCommand).input;
    const isScan = Key === undefined && 'TableName' in (command as ScanCommand).input;
    if (!(command instanceof PutItemCommand))
      reads.push({ isScan, key: String(Key?.route_id?.S), isConsistent: ConsistentRead });
    return send(command);
  });
  return new CircuitSnapshots({
    ...{ client, table, clock: () => nowMs, random },
    store: new DynamoCircuitStore(client, table),
  });
}

it('many looks within a second are spread over the snapshots, and few of them scan the table', async () => {
  await open().save(writtenBy('w1', { ...closedCircuits('dead'), shared: OPEN }));
  reads = [];
  const snapshots = open();
  for (let look = 0; look < LOOKS; look += 1)
    expect((await snapshots.load()).map(({ id, shared }) => ({ id, shared }))).toEqual([
      { id: 'dead', shared: OPEN },
    ]);
  const looks = reads.filter(({ isScan }) => !isScan);
  expect(looks).toHaveLength(LOOKS);
  expect(reads.some(({ isConsistent }) => isConsistent)).toBe(false);
  const most = Math.max(
    ...Map.groupBy(looks, ({ key }) => key)
      .values()
      .map(({ length }) => length),
  );
  expect(most).toBeLessThan(LOOKS / 8);
  // 8 for each of 16 on average.
  expect(reads.length - looks.length).toBeLessThan(LOOKS / 2);
}, 60_000);

it('a change is seen by every process a second later', async () => {
  await open().save(writtenBy('w1', { ...closedCircuits('next'), shared: OPEN }));
  nowMs += 1_000;
  for (let look = 0; look < 50; look += 1)
    expect((await open().load()).map(({ id }) => id).sort()).toEqual(['dead', 'next']);
});

it('a snapshot that cannot be written keeps no look from its answer', async () => {
  nowMs += 60_000;
  const refusing = aroundSend(database.client, async (command, send) => {
    if (command instanceof PutItemCommand) throw new Error('throttled');
    return send(command);
  });
  const table = database.tables.circuits;
  const store = new DynamoCircuitStore(database.client, table);
  const snapshots = new CircuitSnapshots({
    ...{ client: refusing, table, store, clock: () => nowMs, random: () => 0 },
  });
  expect(await snapshots.load()).toHaveLength(2);
});
