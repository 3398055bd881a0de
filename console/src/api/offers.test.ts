import { describe, expect, it } from '@jest/globals';
import { holdingOf, isBySubscriptionOnly, isFree, missingOf, offerText } from './offers.ts';
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

  it('states its price, and the plan with the smallest charge', () => {
    const year = { ...PLAN, id: 'year', interval: 'year', amount: 300 } as const;
    expect(offerText({ price: price(199), plans: [PLAN, year] })).toBe('$1.99 or from $3.00 a year');
    expect(offerText({ price: null, plans: [PLAN] })).toBe('from $4.99 a month');
    expect(offerText({ price: null, plans: [] })).toBe('free');
  });

  const paid = { price: price(199), plans: [] };
  const subscribed = { price: null, plans: [PLAN] };
  const free = { price: null, plans: [] };
  const own = (installed: number | null, purchased: number | null) => ({ installed, purchased });

  it.each<[string, Parameters<typeof holdingOf>, string | undefined, string | undefined]>([
    ['new', [paid, undefined, false], undefined, 'buy'],
    ['bought', [paid, own(null, 1), false], undefined, 'install'],
    ['bought and installed', [paid, own(1, 1), false], 'Bought and installed', undefined],
    ['refunded in full and still installed', [paid, own(1, null), false], 'Installed, not bought', 'buy'],
    ['subscribed to', [paid, own(1, null), true], 'Installed', 'buy'],
    ['free', [free, undefined, false], undefined, 'install'],
    ['free and installed', [{ ...free, price: price(0) }, own(1, null), false], 'Installed', undefined],
    ['sold by subscription', [subscribed, undefined, false], undefined, undefined],
    ['a new subscription', [subscribed, undefined, true], undefined, 'install'],
    ['an ended subscription', [subscribed, own(1, 1), false], 'Installed, not subscribed to', undefined],
  ])('shows whether it is owned, and offers the next step, if it is %s', (_case, holding, state, step) => {
    const { isUsable, ...shown } = holdingOf(...holding);
    expect([shown.state, shown.step]).toEqual([state, step]);
    if (state?.includes('not')) expect(isUsable).toBe(false);
  });
});

describe('a charge', () => {
  it('misses what the balance does not cover once the debt is paid', () => {
    expect(missingOf(20n, { balance: 0n, owed: 0n })).toBe(20n);
    expect(missingOf(20n, { balance: 15n, owed: 0n })).toBe(5n);
    expect(missingOf(20n, { balance: 0n, owed: 7n })).toBe(27n);
    expect(missingOf(20n, { balance: 20n, owed: 0n })).toBe(0n);
    expect(missingOf(20n, { balance: 90n, owed: 0n })).toBe(0n);
  });
});
