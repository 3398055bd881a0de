import { describe, expect, it } from '@jest/globals';
import { ulid } from 'ulid';
import {
  COOLDOWN_MS,
  closedCircuits,
  type RouteCircuits,
  writtenBy,
} from '../../../../lambdas/core/inference/circuit/circuit.ts';
import {
  type Change,
  CircuitCache,
  type CircuitStore,
} from '../../../../lambdas/core/inference/circuit/circuit-cache.ts';
import { FakeTime } from '../fake-time.ts';
import { MemoryCircuits, SILENT } from './memory-circuits.ts';

const ID = 'route';

/** One process on a store of which a test may replace single operations. */
function known(replaced: (memory: MemoryCircuits, time: FakeTime) => Partial<CircuitStore> = () => ({})) {
  const time = new FakeTime();
  const memory = new MemoryCircuits();
  const reported: string[] = [];
  const store: CircuitStore = {
    load: () => memory.load(),
    save: (route) => memory.save(route),
    ...replaced(memory, time),
  };
  const circuits = new CircuitCache({
    store,
    clock: time.clock,
    ulid,
    log: SILENT,
    written: (_, after) => reported.push(`${failuresIn(after)}`),
  });
  /** Counts one more failure. */
  const fail: Change = (route) => {
    const calls = { successes: 0, assumed: 0, failedBy: [] };
    const window = { startMs: time.clock(), failures: failuresIn(route) + 1, ...calls };
    return { ...route, shared: { window: [window] } };
  };
  return { time, memory, circuits, reported, fail, failures: () => failuresIn(circuits.of(ID)) };
}

const failuresIn = ({ shared }: RouteCircuits) => shared.window?.[0]?.failures ?? 0;

/** A change of another kind. */
const close: Change = (route) => ({ ...route, shared: { ...route.shared, sinceMs: 1 } });

const lost = () => Promise.reject<RouteCircuits>(new Error('the answer was lost'));

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
    await time.advance(COOLDOWN_MS - 1);
    await circuits.look();
    expect(circuits.of(ID).version).toBe(4);
    await time.advance(2_000);
    await circuits.look();
    expect(circuits.of(ID)).toEqual(closedCircuits(ID));
  });

  it('is due again when the clock has been set back', async () => {
    const { circuits, memory, time } = known();
    await circuits.look();
    expect(circuits.look()).toBeUndefined();
    const clock = time.clock();
    const back = new CircuitCache({
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
  it('is true here at once, and in the store after those before it', async () => {
    const { circuits, memory, fail, failures } = known();
    const changes = Array.from({ length: 4 }, () => circuits.change(ID, fail));
    expect(failures()).toBe(4);
    expect(memory.writes).toBe(0);
    await Promise.all(changes);
    expect(memory.history.map(failuresIn)).toEqual([1, 2, 3, 4]);
    expect(failures()).toBe(4);
  });

  it('that comes to nothing is not written', async () => {
    const { circuits, memory } = known();
    expect(circuits.change(ID, (route) => route)).toBeUndefined();
    expect(memory.writes).toBe(0);
  });

  it('is made again on what another process has left, and comes to nothing if that is so', async () => {
    const { circuits, memory, fail, failures } = known();
    await circuits.look();
    await memory.save(writtenBy('them', fail(closedCircuits(ID))));
    const ifFirst: Change = (route) => (route.version === 0 ? close(route) : route);
    await Promise.all([circuits.change(ID, fail), circuits.change(ID, ifFirst)]);
    expect(failures()).toBe(2);
    expect(memory.of(ID)).toMatchObject({ version: 2, writers: ['them', expect.any(String)] });
    expect(memory.of(ID).shared.sinceMs).toBeUndefined();
  });

  it('of which the answer is lost is reported when it shows, even under a later write', async () => {
    let answers = 0;
    const { circuits, time, memory, fail, reported } = known((stored) => ({
      save: async (route) => {
        const found = await stored.save(route);
        answers += 1;
        return answers === 5 ? lost() : found;
      },
    }));
    await circuits.look();
    for (let write = 0; write < 5; write += 1) await circuits.change(ID, fail);
    expect(reported).toEqual(['1', '2', '3', '4']);
    await memory.save(writtenBy('them', close(memory.of(ID))));
    await time.advance(2_000);
    await circuits.look();
    await time.advance(2_000);
    await circuits.look();
    expect(reported).toEqual(['1', '2', '3', '4', '5']);
  });

  it('is not made twice while a look has brought it and its own answer is on its way', async () => {
    const { circuits, time, fail, failures } = known((memory, clock) => ({
      save: async (route) => {
        const found = await memory.save(route);
        await clock.sleep(100);
        return found;
      },
    }));
    const changed = Promise.resolve(circuits.change(ID, fail));
    await time.advance(50);
    await circuits.look();
    expect(failures()).toBe(1);
    await time.until(changed);
    expect(failures()).toBe(1);
  });

  it('that meets other writers without end is given up after eight tries', async () => {
    const { circuits, memory, fail } = known((stored) => ({
      save: async (route) => {
        await stored.save(writtenBy(`them ${stored.writes}`, stored.of(route.id)));
        return stored.save(route);
      },
    }));
    await circuits.change(ID, fail);
    expect(memory.history).toHaveLength(8);
  });
});
