import { describe, expect, it } from '@jest/globals';
import { isBySubscriptionOnly, isFree } from './offers.ts';
import type { ListingBody } from './types.ts';

const PLAN = {
  id: 'pro',
  name: 'Pro',
  interval: 'month',
  amount: 499,
  currency: 'USD',
  trial_days: 0,
} as const;
const price = (amount: number) => ({ amount, currency: 'USD' });

describe('a listing', () => {
  it.each<[string, Pick<ListingBody, 'price' | 'plans'>, boolean, boolean]>([
    ['neither price nor plans', { price: null, plans: [] }, true, false],
    ['a price of 0', { price: price(0), plans: [] }, true, false],
    ['a price', { price: price(199), plans: [] }, false, false],
    ['plans', { price: null, plans: [PLAN] }, false, true],
    ['a price and plans', { price: price(199), plans: [PLAN] }, false, false],
  ])('offers the buttons of its way of sale if it has %s', (_case, listing, free, onlySubscribed) => {
    expect([isFree(listing), isBySubscriptionOnly(listing)]).toEqual([free, onlySubscribed]);
  });
});
