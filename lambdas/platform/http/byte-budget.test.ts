import { describe, expect } from '@jest/globals';
import * as fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { ByteBudget } from './byte-budget.ts';

const MAX_BYTES = 1_000;

describe('a budget of bytes', () => {
  it('never gives more than there is, but to one that is alone', () => {
    const step = fc.record({ take: fc.boolean(), bytes: fc.integer({ min: 1, max: 1_500 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new ByteBudget(MAX_BYTES);
        const reservations: number[] = [];
        for (const { take, bytes } of steps) {
          const before = reservations.reduce((sum, each) => sum + each, 0);
          if (!take) budget.give(reservations.pop() ?? 0);
          else if (budget.reserve(bytes)) {
            expect(before === 0 || before + bytes <= MAX_BYTES).toBe(true);
            reservations.push(bytes);
          } else expect(before + bytes).toBeGreaterThan(MAX_BYTES);
        }
      }),
    );
  });
});
