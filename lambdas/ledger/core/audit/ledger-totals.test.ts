import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { addTotals, EMPTY_TOTALS, type LedgerTotals, UNPROVEN_TOTALS } from './ledger-totals.ts';

const amount = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
const totals: fc.Arbitrary<LedgerTotals> = fc.record({
  topUps: amount,
  refunds: amount,
  purchases: amount,
  purchaseRefunds: amount,
  transfers: amount,
  pending: amount,
  available: amount,
  inTransit: amount,
  paidOut: amount,
  fees: amount,
  balances: amount,
  held: amount,
  usage: amount,
  owed: amount,
  drift: amount,
  salesOverdue: fc.nat(),
  exact: fc.boolean(),
  unproven: fc.nat(),
});

describe('the sum of ledgers', () => {
  it('equals the other ledger if one is empty', () => {
    fc.assert(
      fc.property(totals, (some) => {
        expect(addTotals(some, EMPTY_TOTALS)).toEqual(some);
        expect(addTotals(EMPTY_TOTALS, some)).toEqual(some);
      }),
    );
  });

  it('stays the same in any order', () => {
    fc.assert(
      fc.property(totals, totals, totals, (a, b, c) => {
        expect(addTotals(a, b)).toEqual(addTotals(b, a));
        expect(addTotals(addTotals(a, b), c)).toEqual(addTotals(a, addTotals(b, c)));
      }),
    );
  });

  it('contains every amount of both, and is exact only if both are', () => {
    fc.assert(
      fc.property(totals, totals, (a, b) => {
        const sum = addTotals(a, b);
        for (const name of Object.keys(sum) as (keyof LedgerTotals)[]) {
          const [left, right] = [a[name], b[name]];
          if (typeof left === 'bigint') expect([name, sum[name]]).toEqual([name, left + (right as bigint)]);
        }
        expect([sum.exact, sum.unproven]).toEqual([a.exact && b.exact, a.unproven + b.unproven]);
      }),
    );
  });

  it('counts an unverified account, adds no amount of it, and is not exact', () => {
    fc.assert(
      fc.property(totals, (some) => {
        expect(addTotals(some, UNPROVEN_TOTALS)).toEqual({
          ...some,
          exact: false,
          unproven: some.unproven + 1,
        });
      }),
    );
  });
});
