import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Sale } from '../../../lambdas/marketplace/core/earnings/sale.ts';
import { calendarEnd } from '../../../lambdas/marketplace/core/subscriptions/period.ts';
import { chargedSubscriptionEntry } from '../../../lambdas/marketplace/core/subscriptions/requests.ts';
import {
  amountDue as serviceAmountDue,
  startSubscription,
} from '../../../lambdas/marketplace/core/subscriptions/subscription.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { amountDue, periodEnd } from './plans.ts';
import { parseResponse } from './responses.ts';
import type { ChargedSubscriptionBody } from './types.ts';

const seconds = fc.integer({ min: 1_700_000_000, max: 2_100_000_000 });
const interval = fc.constantFrom('month', 'year');
const cents = fc.integer({ min: 1, max: 100_000 });

it('ends a period when the service does', () => {
  fc.assert(
    fc.property(interval, seconds, (each, anchor) => {
      expect(periodEnd(each, anchor)).toBe(calendarEnd({ anchor, interval: each, elapsed: 1 }));
    }),
  );
});

it('shows the amount due for a change of plan that the service charges at that second', () => {
  const times = { periodEnd: calendarEnd, daySeconds: 86_400 };
  const part = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(
      interval,
      seconds,
      cents,
      cents,
      fc.boolean(),
      part,
      part,
      (each, created, price, newPrice, isTrial, passed, refunded) => {
        const ids = { id: 'sub_1', listingId: 'lst_1', sellerId: 'acc_1', subscriberId: 'acc_2' };
        const plan = { id: 'one', interval: each, cents: price };
        const started = startSubscription({ ...ids, plan, created }, isTrial ? 30 : 0, times);
        const gross = BigInt(price) * 10_000_000n;
        const returned = isTrial ? 0n : (gross * BigInt(refunded)) / 1_000_000n;
        const subscription = { ...started.subscription, returned };
        const sale = { chargeId: 'sub_1#1', gross, returned, created } as Sale;
        const entry = chargedSubscriptionEntry(subscription, isTrial ? [] : [sale]);
        const shown = parseResponse(JSON.stringify(entry)) as ChargedSubscriptionBody;
        const { start, end } = subscription.period;
        const now = start + Math.floor(((end - start) * passed) / 1_000_000);
        const due = serviceAmountDue(subscription, { ...plan, id: 'two', cents: newPrice }, now);
        expect(amountDue(shown, newPrice, now)).toBe(due);
      },
    ),
  );
});
