import { describe, expect, it } from '@jest/globals';
import { coverBoth } from '../../../../lambdas/core/inference/pricing/cost-bound.ts';
import { isTokenCount } from '../../../../lambdas/core/inference/pricing/token-usage.ts';

describe('a bound that covers two', () => {
  it('has the greater amount and the greater ceiling, whichever has them', () => {
    const [a, b] = [
      { amount: 5n, ceiling: 6n },
      { amount: 2n, ceiling: 9n },
    ];
    expect(coverBoth(a, b)).toEqual({ amount: 5n, ceiling: 9n });
    expect(coverBoth(b, a)).toEqual({ amount: 5n, ceiling: 9n });
  });
});

describe('a number of tokens', () => {
  it.each([0, 1, Number.MAX_SAFE_INTEGER])('may be %s', (value) => {
    expect(isTokenCount(value)).toBe(true);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined])('is not %s', (value) => {
    expect(isTokenCount(value)).toBe(false);
  });
});
