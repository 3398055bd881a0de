import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { addBooks, EMPTY_BOOKS, type LedgerTotals, UNPROVEN_BOOKS } from './books.ts';

const amount = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
const books: fc.Arbitrary<LedgerTotals> = fc.record({
  topUps: amount,
  refunds: amount,
  purchases: amount,
  sales: amount,
  balances: amount,
  held: amount,
  usage: amount,
  owed: amount,
  drift: amount,
  exact: fc.boolean(),
  unproven: fc.nat(),
});

describe('the sum of books', () => {
  it('equals the other books if one is empty', () => {
    fc.assert(
      fc.property(books, (some) => {
        expect(addBooks(some, EMPTY_BOOKS)).toEqual(some);
        expect(addBooks(EMPTY_BOOKS, some)).toEqual(some);
      }),
    );
  });

  it('stays the same in any order', () => {
    fc.assert(
      fc.property(books, books, books, (a, b, c) => {
        expect(addBooks(a, b)).toEqual(addBooks(b, a));
        expect(addBooks(addBooks(a, b), c)).toEqual(addBooks(a, addBooks(b, c)));
      }),
    );
  });

  it('contains every amount of both, and is exact only if both are', () => {
    fc.assert(
      fc.property(books, books, (a, b) => {
        const sum = addBooks(a, b);
        for (const name of Object.keys(sum) as (keyof LedgerTotals)[]) {
          const [left, right] = [a[name], b[name]];
          if (typeof left === 'bigint') expect([name, sum[name]]).toEqual([name, left + (right as bigint)]);
        }
        expect([sum.exact, sum.unproven]).toEqual([a.exact && b.exact, a.unproven + b.unproven]);
      }),
    );
  });

  it('counts an account that was not proven, adds no amount of it, and is not exact', () => {
    fc.assert(
      fc.property(books, (some) => {
        expect(addBooks(some, UNPROVEN_BOOKS)).toEqual({
          ...some,
          exact: false,
          unproven: some.unproven + 1,
        });
      }),
    );
  });
});
