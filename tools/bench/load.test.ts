import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type CapacityLimits, DYNAMODB_LIMITS } from './harness/database/capacity.ts';
import type { SimulatedLoad } from './ledger/load/simulation.ts';

// Jest binds a built-in module when it is first imported: its timer follows the one that is replaced by a virtual one.
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
let simulate: typeof import('./ledger/load/simulation.ts').simulate;
beforeAll(async () => {
  ({ simulate } = await import('./ledger/load/simulation.ts'));
});

/**
 * A call writes to its account's wallet twice: 80 units a second, more than the one item that a wallet once was may take
 * here, and 20 to each of its four keys. The load grows by a few processes a second, each with a call at a time.
 */
const LOAD: Omit<SimulatedLoad, 'limits'> = {
  accounts: 1,
  keysOfEach: 4,
  phases: [
    { seconds: 10, callsASecond: [4, 40] },
    { seconds: 20, callsASecond: 40 },
    { seconds: 5, callsASecond: 10 },
  ],
  callSeconds: [8, 12],
  seed: 1,
};

/** Items that lie in one partition of this many by chance do so rarely. */
const scaled = (wallets: number): CapacityLimits => ({
  item: { ...DYNAMODB_LIMITS.item, write: 45 },
  partition: { ...DYNAMODB_LIMITS.partition, write: 45 },
  partitions: (table) => (table === 'wallets' ? wallets : 100_000),
});

describe('a load of hundreds of open calls on one account, at a fraction of the limits', () => {
  it('completes without an error, and the ledger is exact to the nano-dollar', async () => {
    const { callCounts, books, heat } = await simulate({ ...LOAD, limits: scaled(100_000) });
    expect(callCounts.calls).toBeGreaterThan(800);
    expect(callCounts.maxOpen).toBeGreaterThan(350);
    expect(callCounts.withoutBalance).toBe(0);
    expect([...callCounts.failures]).toEqual([]);
    expect(books).toMatchObject({ drift: 0n, driftOfShards: 0n, openHolds: 0, records: callCounts.calls });
    expect(books.shards).toBeGreaterThan(40);
    for (const { item } of heat) expect(item?.unitsASecond).toBeLessThanOrEqual(65);
  });

  it('fails with throttling if the whole wallet has the capacity of one item', async () => {
    const { callCounts, counts } = await simulate({ ...LOAD, limits: scaled(1) });
    expect(counts.throttled).toBeGreaterThan(100);
    expect([...callCounts.failures.keys()]).toContain('ThrottlingException');
  });
});
