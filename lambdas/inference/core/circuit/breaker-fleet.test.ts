import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../../tools/test-kit/seed.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { ACCOUNT, DEAD, Fleet, PAYING, ROUTE } from '../../testing/circuit/fleet.ts';
import { MemoryCircuits } from '../../testing/circuit/memory-circuits.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import { isOpen } from './circuit.ts';

interface Traffic {
  readonly processes: number;
  /** The share of all calls that fail. */
  readonly failing: number;
  /** On average. */
  readonly callMs: number;
  /** True if each process calls for a separate account; otherwise all call for one. */
  readonly apart?: boolean;
  readonly pauseMs: number;
  readonly turn?: number;
}

const SECONDS = 60;

/** A minute of calls, each process one at a time, as functions make them. */
async function traffic({ processes, failing, callMs, pauseMs, apart = false, turn = 0 }: Traffic) {
  const store = new MemoryCircuits();
  const fleet = new Fleet(processes, () => store);
  const { time } = fleet;
  const random = drawsOf(`a minute of calls: ${processes} ${failing} ${callMs} ${pauseMs} ${apart} ${turn}`);
  const counts = { completed: 0, failed: 0, skipped: 0 };
  let isOver = false;
  const run = async (process: number) => {
    await time.sleep(random() * (callMs + pauseMs));
    while (!isOver) {
      const failure = random() < failing ? DEAD : undefined;
      const takesMs = callMs * (0.5 + random());
      counts[await fleet.call(process, { failure, takesMs, account: apart ? `acc_${process}` : ACCOUNT })] +=
        1;
      await time.sleep(1 + pauseMs * 2 * random());
    }
  };
  for (let process = 0; process < processes; process += 1) void run(process);
  await time.advance(SECONDS * 1_000);
  isOver = true;
  const opened = store.history.filter(({ before, after }) => !isOpen(before) && isOpen(after));
  const sharedOpenings = opened.filter(({ key }) => key === ROUTE.id).length;
  const { openings, probes } = fleet;
  const metrics = { ...counts, openings, sharedOpenings, probes, writes: store.writes, reads: store.reads };
  return metrics;
}

const LONG = { processes: 100, callMs: 5_000, pauseMs: 2_500 };
const SHORT = { processes: 100, callMs: 100, pauseMs: 2_000 };
const RARE = { processes: 100, callMs: 1_000, pauseMs: 9_000 };
const SHAPES = { 'long calls': LONG, 'short calls': SHORT, 'rare calls': RARE };

/** Shares of calls that fail. A plain run tries the ends, which bound the last one; `THOROUGH=2` and more tries all. */
const FAILING = [0.02, 0.33, 0.2].slice(0, Math.max(2, rounds(2)));

describe.each(Object.entries(SHAPES))('a route with %s of a hundred processes for a minute', (_, shape) => {
  it.each(FAILING)('keeps its circuit closed if a share of %s of its calls fails', async (failing) => {
    for (let turn = 0; turn < rounds(1); turn += 1) {
      const { openings, skipped, completed, failed } = await traffic({ ...shape, failing, turn });
      expect({ openings, skipped }).toEqual({ openings: 0, skipped: 0 });
      expect(failed / (completed + failed)).toBeCloseTo(failing, 1);
    }
  });

  it('causes a few writes for each failure if one call in fifty fails', async () => {
    const { writes, failed } = await traffic({ ...shape, failing: 0.02 });
    // Of the shared circuit, and of the account's own.
    expect(writes / failed).toBeLessThan(6);
  });
});

describe.each(Object.entries(SHAPES))('a route with %s of a hundred accounts for a minute', (_, shape) => {
  const apart = { ...shape, apart: true };

  it('keeps its shared circuit closed if a third of its calls fails', async () => {
    const { sharedOpenings, skipped, completed } = await traffic({ ...apart, failing: 0.33 });
    expect(sharedOpenings).toBe(0);
    // An account that makes few calls may meet five failures in a row, and takes another route for a while.
    expect(skipped).toBeLessThan(completed / 25);
  });
});

describe('a route that is down', () => {
  it.each([
    ['long calls', 8, 16],
    ['short calls', 8, 22],
    ['rare calls', 8, 13],
    ['long calls', 100, 145],
    ['short calls', 100, 228],
    ['rare calls', 100, 85],
  ] as const)('costs %s of %i processes at most %i attempts', async (shape, processes, maxAttempts) => {
    for (const apart of [false, true]) {
      const { failed, skipped, openings, sharedOpenings, probes, writes } = await traffic({
        ...SHAPES[shape],
        processes,
        failing: 1,
        apart,
      });
      expect(failed - probes).toBeLessThanOrEqual(maxAttempts);
      expect(skipped).toBeGreaterThan(failed);
      if (apart) expect(sharedOpenings).toBeGreaterThan(0);
      else expect(openings).toBe(1);
      // Opening, and then one probe each cooldown.
      if (!apart) expect(writes / processes).toBeLessThan(6);
    }
  });

  it.each([
    [1, 5],
    [2, 5],
    [4, 8],
    [8, 16],
  ])(
    'loses all callers of %i processes after %i failures of paying accounts',
    async (processes, maxAttempts) => {
      for (const accounts of [3, 4, 5, 8, 12]) {
        const memory = new MemoryCircuits();
        const fleet = new Fleet(processes, () => memory);
        const isUsed = () => !isOpen(memory.of(ROUTE.id));
        for (let call = 0; call < 100 && isUsed(); call += 1) {
          const outcome = { failure: DEAD, account: `acc_${call % accounts}` };
          await fleet.time.until(fleet.call(call % processes, outcome));
          await fleet.time.advance(20);
        }
        expect([accounts, fleet.tries]).toEqual([accounts, maxAttempts]);
      }
    },
  );
});

describe('successes', () => {
  it('reach the store before a function can freeze, after a separate read if the call was long', async () => {
    const store = new MemoryCircuits();
    const fleet = new Fleet(2, (time) => ({
      read: async (keys) => {
        await time.sleep(20);
        return store.read(keys);
      },
      write: async (key, change) => {
        await time.sleep(20);
        return store.write(key, change);
      },
    }));
    const long = fleet.call(0, { takesMs: 3_000 });
    await fleet.time.advance(500);
    await fleet.time.advance(0);
    void fleet.call(1, { failure: DEAD });
    await fleet.time.until(long);
    // The flush is over, and so are the look and the write.
    const [, ...changes] = store.history.filter(({ key }) => key === ROUTE.id);
    expect(changes).toHaveLength(1);
  });

  it('do not make the failure of a broken stream the first one, whether they precede or follow it', async () => {
    const fleet = new Fleet(1);
    const breaker = fleet.breaker(0);
    const interrupted = new UpstreamFailure('interrupted');
    let streams = 0;
    for (; streams < 20; streams += 1) {
      const pass = await breaker.admit(ROUTE, { accountId: ACCOUNT, spentAmount: PAYING });
      if (!pass.allowed) break;
      breaker.broke(interrupted, breaker.succeeded(pass));
      await breaker.flush();
    }
    // The first one is taken for one of three calls, and the fifth opens the circuit all the same.
    expect(streams).toBe(5);
  });
});
