import { expect } from '@jest/globals';
import fc from 'fast-check';
import { calendarEnd } from '../../../lambdas/marketplace/core/subscriptions/period.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { type PlanBody, periodEnd, planRole } from './plans.ts';
import type { SubscriptionBody } from './types.ts';

const seconds = fc.integer({ min: 1_700_000_000, max: 2_100_000_000 });
const interval = fc.constantFrom('month', 'year');

it('the console ends a period of a plan at the same time as the service', () => {
  fc.assert(
    fc.property(interval, seconds, (each, anchor) => {
      expect(periodEnd(each, anchor)).toBe(calendarEnd({ anchor, interval: each, elapsed: 1 }));
    }),
  );
});

const planOf = (id: string, amount: number): PlanBody => ({
  id,
  name: id,
  interval: 'month',
  amount,
  currency: 'USD',
  trial_days: 0,
});

it.each<[string, Partial<SubscriptionBody>, readonly [string | undefined, string | undefined]]>([
  ['the plan of the period', { pending_plan: null }, ['yours', undefined]],
  ['a plan from the next charge', {}, [undefined, 'next']],
  ['no plan from a next charge after a cancellation', { cancel_at_period_end: true }, ['yours', undefined]],
  ['no plan as paid while it is past due', { status: 'past_due' }, [undefined, undefined]],
])('the console marks %s', (_case, change, roles) => {
  const subscription = {
    plan: 'pro',
    interval: 'month',
    amount: 900,
    status: 'active',
    cancel_at_period_end: false,
    pending_plan: { plan: 'basic', interval: 'month', amount: 400 },
    ...change,
  } as SubscriptionBody;
  expect(['pro', 'basic'].map((id, at) => planRole(subscription, planOf(id, at === 0 ? 900 : 400)))).toEqual(
    roles,
  );
});
