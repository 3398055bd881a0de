import { expect } from '@jest/globals';
import fc from 'fast-check';
import { calendarEnd } from '../../../lambdas/marketplace/core/subscriptions/period.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { periodEnd } from './plans.ts';

const seconds = fc.integer({ min: 1_700_000_000, max: 2_100_000_000 });
const interval = fc.constantFrom('month', 'year');

it('the console ends a period of a plan at the same time as the service', () => {
  fc.assert(
    fc.property(interval, seconds, (each, anchor) => {
      expect(periodEnd(each, anchor)).toBe(calendarEnd({ anchor, interval: each, elapsed: 1 }));
    }),
  );
});
