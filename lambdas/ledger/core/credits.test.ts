import { describe, expect, it } from '@jest/globals';
import { type CreditStore, Credits, MAX_TOP_UP, type TopUp } from './credits.ts';

/** Credits on a store that credits every entry, and those entries. */
function creditsOf() {
  const credited: TopUp[] = [];
  const store = {
    topUp: async (entry: TopUp) => {
      credited.push(entry);
      return 'credited' as const;
    },
  } as unknown as CreditStore;
  const credits = new Credits({ store, clock: () => 1_999, ulid: () => 'fresh' });
  return { credits, credited };
}

describe('a top-up', () => {
  it('allows at most a million dollars', () => {
    expect(MAX_TOP_UP).toBe(10n ** 15n);
  });

  it.each([1n, MAX_TOP_UP])('accepts an amount of %d nano-dollars', async (amount) => {
    const { credits, credited } = creditsOf();
    await credits.topUp({ accountId: 'acc_1', amount, source: 'grant' });
    expect(credited).toEqual([{ accountId: 'acc_1', id: 'fresh', amount, created: 1, source: 'grant' }]);
  });

  it.each([0n, -1n, MAX_TOP_UP + 1n])('rejects an amount of %d nano-dollars', async (amount) => {
    const { credits, credited } = creditsOf();
    const topUp = credits.topUp({ accountId: 'acc_1', amount, source: 'grant' });
    await expect(topUp).rejects.toThrow('more than 0');
    expect(credited).toEqual([]);
  });

  it('stores the id from its caller, so that a repetition is detected', async () => {
    const { credits, credited } = creditsOf();
    await credits.topUp({ accountId: 'acc_1', amount: 5n, source: 'order', id: 'ord_1' });
    expect(credited).toMatchObject([{ id: 'ord_1' }]);
  });
});
