import { expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../core/event.ts';
import type { Subscription } from '../core/subscription.ts';
import { decodeSubscription, encodeSubscription } from './subscription-item.ts';

it('a stored subscription keeps every type of event, also those that a later version takes', () => {
  const subscription: Subscription = {
    accountId: 'acc_1',
    id: 'wh_1',
    url: 'https://example.com/hook',
    events: [...EVENT_TYPES],
    description: undefined,
    status: 'active',
    disabledReason: undefined,
    created: 1_795_000_000,
    failingSinceMs: undefined,
    notice: undefined,
  };
  expect(subscription.events).toContain('balance.low');
  expect(decodeSubscription(encodeSubscription(subscription))).toEqual(subscription);
});
