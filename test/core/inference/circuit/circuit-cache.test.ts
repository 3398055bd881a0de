import { describe, expect, it } from '@jest/globals';
import { ulid } from 'ulid';
import { callsAt } from '../../../../lambdas/core/inference/circuit/call-window.ts';
import {
  afterFailure,
  type Circuit,
  closedCircuit,
  writtenBy,
} from '../../../../lambdas/core/inference/circuit/circuit.ts';
import {
  type Change,
  type CircuitStore,
  KnownCircuits,
} from '../../../../lambdas/core/inference/circuit/circuit-cache.ts';
import { FakeTime } from '../fake-time.ts';
import { MemoryCircuits, SILENT } from './memory-circuits.ts';

/** An account's own circuit. */
const ID = 'route#0';

/** One process on a store of which a test may replace single operations. */
function known(replaced: (memory: MemoryCircuits, time: FakeTime) => Partial<CircuitStore> = () => ({})) {
  const time = new FakeTime();
  const memory = new MemoryCircuits();
  const told: string[] = [];
  const store: CircuitStore = {
    load: () => memory.load(),
    save: (circuit) => memory.save(circuit),
    ...replaced(memory, time),
  };
  const circuits = new KnownCircuits({
    store,
    clock: time.clock,
    ulid,
    log: SILENT,
    written: (before, after) => {
      if (before.openUntilMs === 0 && after.openUntilMs !== 0) told.push('opened');
      else told.push('written');
    },
  });
  const fail: Change = (circuit) =>
    afterFailure(
      { ...circuit, account: 'a' },
      {
        nowMs: time.clock(),
        begunMs: time.clock(),
        account: 'a',
        failedBefore: true,
        seen: [],
        unreported: [],
      },
    );
  const failures = () => circuits.of(ID).buckets.reduce((sum, bucket) => sum + bucket.failures, 0);
  return { time, memory, circuits, told, fail, failures };
}

const lost = () => Promise.reject<Circuit>(new Error('the answer was lost'));

describe('a look', () => {
  it('that lags behind what the process has written does not undo it', async () => {
    const { circuits, time, memory, fail, failures } = known(() => ({ load: async () => [] }));
    await circuits.change(ID, fail);
    await circuits.look();
    expect(failures()).toBe(1);
    expect(memory.of(ID).version).toBe(1);
    await time.advance(2_000);
    await circuits.change(ID, fail);
    expect(memory).toMatchObject({ writes: 2 });
  });

  it('forgets a circuit that has been deleted, once there is nothing left to know of it', async () => {
    const { circuits, time, memory, fail } = known();
    for (let write = 0; write < 4; write += 1) await circuits.change(ID, fail);
    memory.circuits.delete(ID);
    await time.advance(9_000);
    await circuits.look();
    expect(circuits.of(ID).version).toBe(4);
    await time.advance(2_000);
    await circuits.look();
    expect(circuits.of(ID)).toEqual(closedCircuit(ID));
  });

  it('is due again when the clock has been set back', async () => {
    const { circuits, memory, time } = known();
    await circuits.look();
    expect(circuits.look()).toBeUndefined();
    const clock = time.clock();
    const back = new KnownCircuits({
      store: memory,
      clock: () => (memory.reads === 1 ? clock : clock - 3_600_000),
      ulid,
      log: SILENT,
      written: () => {},
    });
    await back.look();
    expect(back.look()).toBeDefined();
  });

  it('drops what could not be written, and goes by what is there', async () => {
    const { circuits, time, fail, failures } = known(() => ({ save: lost }));
    await circuits.look();
    await circuits.change(ID, fail);
    expect(failures()).toBe(1);
    await time.advance(2_000);
    await circuits.look();
    expect(failures()).toBe(0);
  });
});

describe('a change', () => {
  it('is true here at once, and one write with the others of its turn', async () => {
    const { circuits, memory, fail, failures } = known();
    const changes = Array.from({ length: 4 }, () => circuits.change(ID, fail));
    expect(failures()).toBe(4);
    expect(memory.writes).toBe(0);
    expect(await Promise.all(changes)).toEqual([true, true, true, true]);
    expect(memory.history).toMatchObject([{ version: 1 }]);
  });

  it('that comes to nothing is not written', async () => {
    const { circuits, memory } = known();
    expect(await circuits.change(ID, (circuit) => circuit)).toBe(false);
    expect(memory.writes).toBe(0);
    expect(circuits.settled()).toBeUndefined();
  });

  it('is made again on what another process has left, and comes to nothing if that is so', async () => {
    const { circuits, memory, fail } = known();
    await circuits.look();
    const theirs = writtenBy('them', { ...closedCircuit(ID), buckets: [callsAt(0, { failures: 1 })] });
    await memory.save(theirs);
    const ifFirst: Change = (circuit) => (circuit.version === 0 ? { ...circuit, coolUntilMs: 1 } : circuit);
    expect(await Promise.all([circuits.change(ID, fail), circuits.change(ID, ifFirst)])).toEqual([
      true,
      false,
    ]);
    expect(memory.of(ID)).toMatchObject({ version: 2, coolUntilMs: 0 });
  });

  it('of which the answer is lost is told of when it shows, even under a later write', async () => {
    let answers = 0;
    const { circuits, time, memory, fail, told } = known((stored) => ({
      save: async (circuit) => {
        const found = await stored.save(circuit);
        answers += 1;
        return answers === 5 ? lost() : found;
      },
    }));
    await circuits.look();
    for (let write = 0; write < 5; write += 1) await circuits.change(ID, fail);
    expect(told).toEqual(['written', 'written', 'written', 'written']);
    const theirs = writtenBy('them', { ...memory.of(ID), coolUntilMs: 1 });
    await memory.save(theirs);
    await time.advance(2_000);
    await circuits.look();
    await time.advance(2_000);
    await circuits.look();
    expect(told).toEqual(['written', 'written', 'written', 'written', 'opened']);
  });

  it('is not made twice while a look has brought it and its own answer is on its way', async () => {
    const { circuits, time, fail, failures } = known((memory, clock) => ({
      save: async (circuit) => {
        const found = await memory.save(circuit);
        await clock.sleep(100);
        return found;
      },
    }));
    const changed = circuits.change(ID, fail);
    await time.advance(50);
    await circuits.look();
    expect(failures()).toBe(1);
    await time.until(changed);
    expect(failures()).toBe(1);
  });

  it('whose answer is lost after a look has brought it does not undo what else the look has brought', async () => {
    const { circuits, memory, time, fail, failures } = known((stored, clock) => ({
      save: async (circuit) => {
        await stored.save(circuit);
        await clock.sleep(100);
        return lost();
      },
    }));
    const changed = circuits.change(ID, fail);
    await time.advance(50);
    await memory.save(writtenBy('them', fail(memory.of(ID))));
    await circuits.look();
    expect(await time.until(changed)).toBe(true);
    expect(failures()).toBe(2);
  });

  it('that meets other writers without end is given up after eight tries', async () => {
    const { circuits, memory, fail } = known((stored) => ({
      save: async (circuit) => {
        await stored.save(writtenBy(`them ${stored.writes}`, stored.of(circuit.id)));
        return stored.save(circuit);
      },
    }));
    expect(await circuits.change(ID, fail)).toBe(false);
    expect(memory.history).toHaveLength(8);
  });
});
