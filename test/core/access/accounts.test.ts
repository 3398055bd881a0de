import { describe, expect, it } from '@jest/globals';
import { type AccountStore, Accounts } from '../../../lambdas/core/access/accounts.ts';

/** A million dollars in nano-dollars. */
const MAX_TOP_UP = 10n ** 15n;

type TopUp = Parameters<AccountStore['topUp']>[0];

/** Accounts on a store that credits whatever it is asked to; `credited` is what that was. */
function accountsOf() {
  const credited: TopUp[] = [];
  const store = {
    topUp: async (entry: TopUp) => {
      credited.push(entry);
      return 'credited' as const;
    },
  } as unknown as AccountStore;
  const accounts = new Accounts({ store, clock: () => 1_999, ulid: () => 'fresh' });
  return { accounts, credited };
}

describe('a top-up', () => {
  it.each([1n, MAX_TOP_UP])('may be of %d nano-dollars', async (amount) => {
    const { accounts, credited } = accountsOf();
    await accounts.topUp({ accountId: 'acc_1', amount, source: 'grant' });
    expect(credited).toEqual([{ accountId: 'acc_1', id: 'fresh', amount, created: 1, source: 'grant' }]);
  });

  it.each([0n, -1n, MAX_TOP_UP + 1n])('is never of %d nano-dollars', async (amount) => {
    const { accounts, credited } = accountsOf();
    const asked = accounts.topUp({ accountId: 'acc_1', amount, source: 'grant' });
    await expect(asked).rejects.toThrow('more than 0');
    expect(credited).toEqual([]);
  });

  it('has the id that it was given, so that a repetition is known', async () => {
    const { accounts, credited } = accountsOf();
    await accounts.topUp({ accountId: 'acc_1', amount: 5n, source: 'order', id: 'ord_1' });
    expect(credited).toMatchObject([{ id: 'ord_1' }]);
  });
});
