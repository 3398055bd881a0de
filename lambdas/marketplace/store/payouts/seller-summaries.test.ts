import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { pageBody } from '../../../platform/core/api/paging.ts';
import { NANO_PER_CENT, type NanoUsd } from '../../../platform/core/money.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { applyPayoutFact, type Payout, type PayoutFact } from '../../core/payouts/payout.ts';
import { cancelPayout, requestPayout } from '../../core/payouts/requests.ts';
import { sellerSummaryEntry, sellersQuery } from '../../core/payouts/seller-summary.ts';
import { FEE_BASIS_POINTS, MarketWorld } from '../../testing/market-world.ts';
import { createPayoutStore } from '../create-payouts.ts';
import { createSellerSummaries } from './seller-summaries.ts';

const database = fileDatabase();
let world: MarketWorld;

beforeAll(() => {
  world = new MarketWorld(database);
});

const usd = (amount: NanoUsd): number => Number(amount) / 1e9;
/** The seller's part of a price. */
const net = (cents: number): number =>
  usd(BigInt(cents - Math.floor((cents * FEE_BASIS_POINTS) / 10_000)) * NANO_PER_CENT);

const payoutStore = () => createPayoutStore({ clients: database, environment: database.environment });

const system = () => ({
  store: payoutStore(),
  clock: () => world.nowSeconds * 1000,
  ulid: world.ulid,
  maturitySeconds: 7 * 86_400,
});

/** A seller, and a sale that somebody has paid for. */
async function sell(cents: number) {
  const [seller, buyer] = await Promise.all([world.open(), world.open()]);
  const order = await world.pay(buyer, cents);
  const charge = await world.buy(buyer, await world.list(seller, cents));
  return { seller, buyer, order, charge };
}

async function pageOf(query: string) {
  const { limit, cursor } = sellersQuery.parse(Object.fromEntries(new URLSearchParams(query)));
  const page = await createSellerSummaries(database)({ limit, after: cursor });
  const sent = JSON.stringify(pageBody(page, sellerSummaryEntry));
  return JSON.parse(sent) as {
    readonly data: readonly { readonly id: string }[];
    readonly next_cursor: string | null;
  };
}

/** Every seller by pages of that size. */
async function allBy(limit: number) {
  const pages = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(
      `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    pages.push(page.data);
    cursor = page.next_cursor;
  }
  return pages;
}

async function note(payout: Payout, fact: PayoutFact): Promise<void> {
  const noted = { ...applyPayoutFact(payout, fact), version: payout.version + 1 };
  expect(await payoutStore().change(payout, noted, { event: undefined, transaction: undefined })).toBe(true);
}

describe('the operator’s list of sellers', () => {
  it('contains no seller before the first sale', async () => {
    expect(await pageOf('')).toMatchObject({ data: [], next_cursor: null });
  });

  it('sums the sales of each seller with what is held and returned, and the payouts by status', async () => {
    const paid = await sell(9_000);
    const disputed = await sell(4_000);
    const returned = await sell(2_000);
    await world.refund(returned.seller, { charge: returned.charge, cents: 500 });
    await world.refund(disputed.seller, { charge: disputed.charge, cents: 300 });
    await world.reverse(disputed.buyer, disputed.order, 'dp_1', 4_000);
    world.day += 15;
    await world.processDue();
    const waiting = await sell(1_000);

    await payoutStore().saveAccount({
      sellerId: paid.seller,
      providerId: 'acct_1',
      country: 'DE',
      schedule: 'manual',
      minimum: 1_000,
      dueAt: undefined,
    });
    const request = (cents: number) => requestPayout(system(), paid.seller, BigInt(cents) * NANO_PER_CENT);
    await cancelPayout(system(), await request(1_000));
    await note(await request(1_500), { kind: 'paid', at: world.nowSeconds });
    await note(await request(1_100), { kind: 'paid', at: world.nowSeconds });
    await request(2_000);
    await payoutStore().pause(disputed.seller, true);
    await payoutStore().setMaturity(disputed.seller, 30);

    const sellers = new Map((await pageOf('limit=100')).data.map((each) => [each.id, each]));
    expect(sellers.size).toBe(4);
    const nothing = { in_transit: 0, paid_out: 0, transferred: 0, payouts: [] };
    expect(sellers.get(paid.seller)).toEqual({
      ...nothing,
      id: paid.seller,
      object: 'seller_summary',
      payouts_paused: false,
      maturity_days: null,
      pending: 0,
      available: net(9_000) - 46,
      in_transit: 20,
      paid_out: 26,
      sold: 90,
      held: 0,
      returned: 0,
      payouts: expect.arrayContaining([
        { status: 'canceled', count: 1, total: 10 },
        { status: 'paid', count: 2, total: 26 },
        { status: 'pending', count: 1, total: 20 },
      ]),
    });
    expect(sellers.get(disputed.seller)).toMatchObject({
      ...nothing,
      payouts_paused: true,
      maturity_days: 30,
      // Of a fee of 500 cents 37 are returned with 300 of 4,000.
      pending: 32.37,
      available: 0,
      sold: 40,
      held: 37,
      returned: 3,
    });
    expect(sellers.get(waiting.seller)).toMatchObject({
      pending: net(1_000),
      sold: 10,
      held: 0,
      returned: 0,
    });
    expect(sellers.get(returned.seller)).toMatchObject({
      ...nothing,
      payouts_paused: false,
      pending: 0,
      available: 13.12,
      sold: 20,
      held: 0,
      returned: 5,
    });
  });

  it('lists each seller once by pages of any size, also if a page reads nothing but other items', async () => {
    await Promise.all(Array.from({ length: 5 }, () => sell(1_000)));
    // More than one response reads, in a partition of no seller.
    const owner = 'lst_1';
    for (let index = 0; index < 16; index += 1)
      await database.client.send(
        new PutItemCommand({
          TableName: database.tables.market,
          Item: {
            owner_id: { S: owner },
            item: { S: `sale#${index}` },
            filling: { S: 'x'.repeat(390_000) },
          },
        }),
      );
    const all = (await allBy(100)).flat();
    expect(new Set(all.map(({ id }) => id)).size).toBe(9);
    for (const limit of [1, 3, 100]) {
      const pages = await allBy(limit);
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
      expect(pages.flat()).toEqual(all);
    }
    expect((await allBy(100)).length).toBeGreaterThan(1);
  });

  it.each(['x', 'Zm9v', Buffer.from('acc_1 sale#1\n').toString('base64url')])(
    'rejects a cursor that no page has returned: %s',
    (cursor) => {
      expect(sellersQuery.safeParse({ cursor }).success).toBe(false);
    },
  );
});
