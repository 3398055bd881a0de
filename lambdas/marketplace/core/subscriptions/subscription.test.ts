import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { eventOf } from './events.ts';
import { calendarEnd } from './period.ts';
import {
  type AgreedPlan,
  amountDue,
  changePlan,
  currentCharge,
  endSubscription,
  MAX_RETRIES,
  markUnpaid,
  type PlanSubscription,
  recordReturn,
  renewSubscription,
  setCancellation,
  startSubscription,
} from './subscription.ts';

const DAY = 86_400;
const CENT = 10_000_000n;
const NOW = Date.parse('2027-01-31T12:00:00Z') / 1000;
const times = { periodEnd: calendarEnd, daySeconds: DAY };

const BASIC: AgreedPlan = { id: 'basic', interval: 'month', cents: 500 };
const PRO: AgreedPlan = { id: 'pro', interval: 'month', cents: 2_000 };
const YEARLY: AgreedPlan = { id: 'yearly', interval: 'year', cents: 5_000 };

const start = (plan = BASIC, trialDays = 0, created = NOW) =>
  startSubscription(
    {
      id: 'sub_1',
      listingId: 'lst_1',
      sellerId: 'acc_seller',
      subscriberId: 'acc_buyer',
      plan,
      created,
    },
    trialDays,
    times,
  );

const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

describe('a subscription', () => {
  it('charges its first period at once, or after the trial', () => {
    expect(start()).toMatchObject({
      charge: 500n * CENT,
      subscription: { status: 'active', charges: 1, period: { start: NOW } },
    });
    const { subscription, charge } = start(BASIC, 14);
    expect(charge).toBeUndefined();
    expect(subscription).toMatchObject({ status: 'trialing', dueAt: NOW + 14 * DAY });
    expect(currentCharge(subscription)).toBeUndefined();
    const renewal = renewSubscription(subscription, NOW + 14 * DAY, times);
    expect(renewal).toMatchObject({
      charge: 500n * CENT,
      subscription: { status: 'active', charges: 1, period: { start: NOW + 14 * DAY } },
    });
    expect(dateOf(renewal.subscription.period.end)).toBe('2027-03-14');
  });

  it('retries an unpaid renewal daily for seven days, and then ends', () => {
    let { subscription } = start();
    const due = subscription.period.end;
    for (let attempt = 0; attempt <= MAX_RETRIES; attempt += 1) {
      const now = due + attempt * DAY;
      const paid = renewSubscription(subscription, now, times).subscription;
      expect([paid.status, paid.period.start]).toEqual(['active', due]);
      subscription = markUnpaid(subscription, now, times);
      if (attempt < MAX_RETRIES) expect(subscription).toMatchObject({ status: 'past_due', dueAt: now + DAY });
    }
    expect(subscription).toMatchObject({
      status: 'canceled',
      cancelReason: 'payment_failed',
      endedAt: due + 7 * DAY,
      dueAt: undefined,
    });
  });

  it('ends only if the price of its current period is returned', () => {
    const { subscription } = start();
    const { subscription: second } = renewSubscription(subscription, subscription.period.end, times);
    const whole = { amount: 500n * CENT };
    expect(recordReturn(second, { ...whole, chargeId: 'sub_1#1' }, NOW)).toBeUndefined();
    const part = { chargeId: 'sub_1#2', amount: 100n * CENT };
    expect(recordReturn(second, part, NOW)).toMatchObject({ status: 'active', returned: 100n * CENT });
    const ended = recordReturn(second, { ...whole, chargeId: 'sub_1#2' }, NOW);
    expect(ended).toMatchObject({ status: 'canceled', cancelReason: 'refunded' });
    expect(recordReturn(ended as PlanSubscription, part, NOW)).toBeUndefined();
    const rest = { chargeId: 'sub_1#2', amount: 400n * CENT };
    expect(recordReturn(recordReturn(second, part, NOW) as PlanSubscription, rest, NOW)).toMatchObject({
      status: 'canceled',
    });
  });

  it('continues if only the charge of a change of plan is returned, and ends if the charges of its current period are', () => {
    const [plan, dearer] = [1_000, 1_001].map((cents) => ({ ...BASIC, id: `of ${cents}`, cents }));
    const { subscription } = changePlan(start(plan).subscription, dearer as AgreedPlan, NOW, times);
    const left = recordReturn(subscription, { chargeId: 'sub_1#2', amount: CENT }, NOW) as PlanSubscription;
    expect(left).toMatchObject({ status: 'active', returned: CENT });
    expect(amountDue(left, PRO, NOW)).toBe(1_000n * CENT);
    const ended = recordReturn(left, { chargeId: 'sub_1#1', amount: 1_000n * CENT }, NOW);
    expect(ended).toMatchObject({ status: 'canceled', cancelReason: 'refunded' });
    const { subscription: renewed } = renewSubscription(left, left.period.end, times);
    expect(recordReturn(renewed, { chargeId: 'sub_1#2', amount: CENT }, NOW)).toBeUndefined();
  });
});

describe('a change of plan', () => {
  const { subscription } = start();
  const middle = (subscription.period.start + subscription.period.end) / 2;

  it('charges the difference at once, and starts a new period', () => {
    const change = changePlan(setCancellation(subscription, true, NOW), PRO, middle, times);
    expect(change).toMatchObject({
      charge: 1_750n * CENT,
      subscription: { plan: PRO, charges: 2, cancelAtPeriodEnd: false, period: { start: middle } },
    });
    expect(change.subscription.canceledAt).toBeUndefined();
  });

  it('waits for the renewal if nothing is due, and can be undone until then', () => {
    const { subscription: pro } = start(PRO);
    const { subscription: waiting, charge } = changePlan(pro, BASIC, NOW + DAY, times);
    expect([charge, waiting.plan, waiting.pendingPlan]).toEqual([undefined, PRO, BASIC]);
    const back = changePlan(waiting, PRO, NOW + 2 * DAY, times);
    expect([back.charge, back.subscription.pendingPlan]).toEqual([undefined, undefined]);
    const renewal = renewSubscription(waiting, waiting.period.end, times);
    expect(renewal).toMatchObject({
      charge: 500n * CENT,
      subscription: { plan: BASIC, pendingPlan: undefined, period: { anchor: NOW } },
    });
  });

  it('counts the periods of another interval from the renewal', () => {
    const { subscription: yearly } = start(YEARLY);
    const { subscription: waiting } = changePlan(yearly, BASIC, NOW, times);
    const { period } = renewSubscription(waiting, waiting.period.end, times).subscription;
    expect([period.start, dateOf(period.end)]).toEqual([waiting.period.end, '2028-02-29']);
  });

  it('credits no trial, and nothing that was returned', () => {
    const { subscription: trial } = start(BASIC, 14);
    expect(amountDue(trial, PRO, NOW + DAY)).toBe(2_000n * CENT);
    expect(amountDue({ ...subscription, returned: 300n * CENT }, PRO, NOW)).toBe(1_800n * CENT);
  });

  it('charges an unpaid period from its start: days past due are not free', () => {
    const { end } = subscription.period;
    const unpaid = markUnpaid(subscription, end, times);
    for (const plan of [BASIC, PRO])
      expect(changePlan(unpaid, plan, end + 6 * DAY, times)).toMatchObject({
        charge: BigInt(plan.cents) * CENT,
        subscription: { status: 'active', period: { start: end } },
      });
  });

  it('charges whole cents: what the time is worth, and more by under a cent a change', () => {
    const plans = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      interval: fc.constantFrom('month', 'year'),
      cents: fc.integer({ min: 1, max: 100_000 }),
    }) as fc.Arbitrary<AgreedPlan>;
    const step = fc.record({ plan: plans, wait: fc.integer({ min: 0, max: 60 * DAY }) });
    let changed = 0;
    fc.assert(
      fc.property(plans, fc.array(step, { minLength: 1, maxLength: 12 }), (first, steps) => {
        let current = start(first);
        let now = NOW;
        // Sums over one denominator would need fractions: the worth of each change is compared by itself.
        for (const { plan, wait } of steps) {
          now += wait;
          while (current.subscription.period.end <= now)
            current = renewSubscription(current.subscription, current.subscription.period.end, times);
          const { period, plan: agreed, charges } = current.subscription;
          const next = changePlan(current.subscription, plan, now, times);
          if (next.charge !== undefined) {
            changed += 1;
            const seconds = BigInt(period.end - period.start);
            const used = BigInt(agreed.cents) * CENT * BigInt(now - period.start);
            // Paid for the period that ends, less the credit, against the worth of the time that was used of it.
            const credit = BigInt(plan.cents) * CENT - next.charge;
            const kept = (BigInt(agreed.cents) * CENT - credit) * seconds;
            expect(next.charge % CENT).toBe(0n);
            expect(kept >= used && kept < used + CENT * seconds).toBe(true);
            expect(next.subscription.charges).toBe(charges + 1);
          }
          current = next;
        }
      }),
      { numRuns: rounds(300) },
    );
    expect(changed).toBeGreaterThan(100);
  });
});

describe('the event of a change', () => {
  const { subscription } = start();

  it('reports a creation, what an update has changed, or the reason of an end', () => {
    expect(eventOf('evt_1', undefined, subscription)).toMatchObject({
      type: 'subscription.created',
      accountId: 'acc_seller',
      data: { subscription_id: 'sub_1', plan: 'basic', amount: 500, charge_id: 'sub_1#1' },
    });
    const canceling = setCancellation(subscription, true, NOW);
    expect(eventOf('evt_2', subscription, canceling)).toMatchObject({
      type: 'subscription.updated',
      data: { cancel_at_period_end: true, previous: { cancel_at_period_end: false } },
    });
    expect(eventOf('evt_3', canceling, endSubscription(canceling, 'requested', NOW + 9))).toMatchObject({
      type: 'subscription.canceled',
      data: { reason: 'requested', canceled_at: NOW, ended_at: NOW + 9 },
    });
  });

  it('does not exist for a further retry', () => {
    const unpaid = markUnpaid(subscription, NOW, times);
    expect(eventOf('evt_1', subscription, unpaid)?.data.previous).toEqual({ status: 'active' });
    expect(eventOf('evt_2', unpaid, markUnpaid(unpaid, NOW, times))).toBeUndefined();
  });
});
