import { describe, expect, it } from '@jest/globals';
import { simulateNight } from '../../testing/simulated-night.ts';

const HEALTHY = { failing: [], drifting: [], moving: [] };

describe('a night’s audit, by the workflow’s own definition', () => {
  it('verifies every account once, in as many steps as its time allows', async () => {
    const night = await simulateNight({ ...HEALTHY, accounts: 8_000, readMs: 1000 });
    expect(night.result).toMatchObject({ balanced: true, complete: true, accounts: 8_000 });
    expect(night.audited).toMatchObject({
      accounts: 8_000,
      books: { exact: true, topUps: 8_000_000n, balances: 8_000_000n },
    });
    expect(night.named).toEqual([]);
    // Each of the 8 segments takes more than the 600 s of a step.
    expect(night.steps).toBe(24);
    expect(night.longestStepSeconds).toBeLessThan(610);
  });

  it('names the accounts that are unreadable, in use or drifting, and verifies all others', async () => {
    const population = { accounts: 5_000, failing: [17, 4_000], moving: [18], drifting: [2_500] };
    const night = await simulateNight(population);
    expect(night.result).toEqual({ failed: expect.stringContaining('names the accounts') });
    expect(night.named.toSorted()).toEqual(['acc_00000017', 'acc_00000018', 'acc_00002500', 'acc_00004000']);
    expect(night.audited).toMatchObject({
      accounts: 5_000,
      books: { drift: 1n, unproven: 3, exact: false, topUps: 4_997_000n },
    });
  });

  it('succeeds with unverified accounts, which have a separate alarm', async () => {
    const night = await simulateNight({ ...HEALTHY, accounts: 100, failing: [3] });
    expect(night.result).toMatchObject({
      balanced: true,
      complete: true,
      books: { unproven: 1, exact: false },
    });
  });

  it('finishes the other segments when the accounts of one cannot be listed, and fails then', async () => {
    const night = await simulateNight({ ...HEALTHY, accounts: 8_000, brokenSegment: 5 });
    expect(night.result).toEqual({ failed: expect.stringContaining('could not be listed') });
    expect(night.audited?.accounts).toBe(7_000);
  });
});
