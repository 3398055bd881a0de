import { describe, expect, it } from '@jest/globals';
import { QUOTAS } from '../../../lambdas/core/api/quotas.ts';
import type { ActionDependencies } from '../../../lambdas/core/listings/actions.ts';
import type { Purchase } from '../../../lambdas/core/listings/activity.ts';
import type { Listing, Price } from '../../../lambdas/core/listings/listing.ts';
import type { PurchaseStore } from '../../../lambdas/core/listings/ports.ts';
import { type PurchaseCondition, purchase } from '../../../lambdas/core/listings/purchases.ts';
import { etagOf } from '../../../lambdas/core/listings/revision.ts';

const NOW_SECONDS = 1_800_000_000;
const ULID = '01JQ8Z3W4X5Y6Z7A8B9C0D1E2F';
const BUYER = 'acc_buyer';

type StoreAnswer = Awaited<ReturnType<PurchaseStore['purchase']>>;

const listingWith = (price: Price | null, revision = 3): Listing => ({
  id: 'lst_1',
  kind: 'app',
  name: 'A thing',
  slug: 'a-thing',
  summary: 'One.',
  description: '',
  category: 'tools',
  tags: [],
  version: '1.0.0',
  price,
  url: null,
  iconUrl: null,
  ownerId: 'acc_owner',
  installs: 0,
  releases: 1,
  ratings: { sum: 0, count: 0 },
  created: 1,
  updated: 1,
  revision,
});

interface Plan {
  /** The listing each time that it is read; the last one stays. */
  readonly listings: readonly Listing[];
  readonly answer?: StoreAnswer;
  readonly before?: Purchase;
}

/** A purchase against a store that gives one answer, and what the store was asked to write. */
async function buying({ listings, answer = 'done', before }: Plan, seen: Partial<PurchaseCondition>) {
  const written: Parameters<PurchaseStore['purchase']>[] = [];
  let reads = 0;
  const dependencies = {
    store: {
      purchase: async (...purchase: Parameters<PurchaseStore['purchase']>) => {
        written.push(purchase);
        return answer;
      },
      findPurchase: async (listingId: string, buyerId: string) =>
        listingId === 'lst_1' && buyerId === BUYER ? before : undefined,
    },
    listings: { get: async () => listings[Math.min(reads++, listings.length - 1)] },
    clock: () => NOW_SECONDS * 1000 + 999,
    ulid: () => ULID,
  } as unknown as ActionDependencies<PurchaseStore>;
  const result = await purchase(
    dependencies,
    { kind: 'app', id: 'lst_1', accountId: BUYER },
    { state: undefined, price: {}, ...seen },
  ).catch((failure: unknown) => failure);
  return { result, written };
}

const usd = (amount: number): Price => ({ amount, currency: 'USD' });
const PURCHASE: Purchase = {
  ...{ id: `pur_${ULID}`, listingId: 'lst_1', buyerId: BUYER },
  ...{ amount: 150, currency: 'USD', created: NOW_SECONDS },
};

describe('a purchase', () => {
  it('writes what it is, what it costs in nano-dollars and the event for the owner, at once', async () => {
    const listing = listingWith(usd(150));
    const { result, written } = await buying({ listings: [listing] }, { price: { amount: 150 } });
    expect(result).toEqual({ entry: PURCHASE, repeated: false });
    expect(written).toEqual([
      [
        PURCHASE,
        { listing, amount: 1_500_000_000n, unchanged: false },
        expect.objectContaining({ type: 'purchase.completed', accountId: 'acc_owner' }),
        QUOTAS.purchases_per_account_per_day,
      ],
    ]);
    expect(JSON.stringify(written[0]?.[2])).toContain(BUYER);
  });

  it('by the state of the listing needs no price, and is of that state alone', async () => {
    const listings = [listingWith(usd(150))];
    const of3 = await buying({ listings }, { state: (revision) => revision === 3 });
    expect(of3.written[0]?.[1].unchanged).toBe(true);
    const of2 = await buying({ listings }, { state: (revision) => revision === 2 });
    expect(of2.result).toMatchObject({ code: 'price_changed' });
    expect(of2.written).toEqual([]);
  });

  it.each<[string, Plan, Partial<PurchaseCondition>, Record<string, unknown>]>([
    [
      'that names neither state nor price',
      { listings: [listingWith(usd(150))] },
      {},
      { code: 'missing_field', param: 'amount' },
    ],
    [
      'at another price',
      { listings: [listingWith(usd(150))] },
      { price: { amount: 149 } },
      { code: 'price_changed', param: 'amount', headers: { etag: etagOf(3) } },
    ],
    [
      'in another currency',
      { listings: [listingWith(usd(150))] },
      { price: { amount: 150, currency: 'EUR' } },
      { code: 'price_changed' },
    ],
    [
      'of what is not sold in dollars',
      { listings: [listingWith({ amount: 150, currency: 'EUR' })] },
      { price: { amount: 150, currency: 'EUR' } },
      { code: 'invalid_value', param: 'id' },
    ],
    [
      'of what is not sold in dollars, for its least amount',
      { listings: [listingWith({ amount: 1, currency: 'EUR' })] },
      { price: { amount: 1, currency: 'EUR' } },
      { code: 'invalid_value', param: 'id' },
    ],
    [
      'above the buyer’s credit',
      { listings: [listingWith(usd(150))], answer: 'insufficient' },
      { price: { amount: 150 } },
      { code: 'insufficient_credit' },
    ],
    [
      'beyond those of a day',
      { listings: [listingWith(usd(150))], answer: 'full' },
      { price: { amount: 150 } },
      { code: 'purchase_quota' },
    ],
    [
      'that the owner’s change came before, with the state as it is then',
      { listings: [listingWith(usd(150)), listingWith(usd(200), 4)], answer: 'changed' },
      { price: { amount: 150 } },
      { code: 'price_changed', headers: { etag: etagOf(4) }, message: expect.stringContaining('200 (USD') },
    ],
  ])('%s is refused', async (_which, plan, seen, wanted) => {
    expect((await buying(plan, seen)).result).toMatchObject(wanted);
  });

  it('of what is free is made in whatever currency it names', async () => {
    const listings = [listingWith({ amount: 0, currency: 'EUR' })];
    const { result } = await buying({ listings }, { price: { amount: 0, currency: 'JPY' } });
    expect(result).toMatchObject({ entry: { amount: 0 }, repeated: false });
    const unpriced = await buying({ listings: [listingWith(null)] }, { price: { amount: 0 } });
    expect(unpriced.result).toMatchObject({ entry: { amount: 0, currency: 'USD' } });
  });

  it.each<[string, Plan]>([
    ['the price has changed since', { listings: [listingWith(usd(999))] }],
    ['the store knows it', { listings: [listingWith(usd(150))], answer: 'repeated' }],
    ['the listing changes meanwhile', { listings: [listingWith(usd(150))], answer: 'changed' }],
  ])('that was made before is returned: %s', async (_when, plan) => {
    const before = { ...PURCHASE, id: 'pur_before' };
    const { result } = await buying({ ...plan, before }, { price: { amount: 150 } });
    expect(result).toEqual({ entry: before, repeated: true });
  });
});
