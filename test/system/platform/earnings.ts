/** The earnings of sellers, through the service's own routes, with payments of the payment provider's simulator. */
import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { until } from '../../../tools/test-kit/waiting.ts';
import { type CreatedOrder, Owner } from '../owner.ts';
import { errorOf } from '../payer.ts';
import { service } from './service.ts';

/** Each operator's command is a process: on a busy machine it takes seconds. */
interface Earnings {
  readonly pending: number;
  readonly available: number;
  readonly transferred: number;
  readonly received: number;
  readonly fees: number;
}

interface TransactionPage {
  readonly data: readonly {
    readonly type: string;
    readonly amount: number;
    readonly charge: string;
    readonly sale: { readonly status: string; readonly reason: string | null; readonly payable: boolean };
  }[];
}

const earningsOf = (seller: Owner) => seller.json<Earnings>('/api/v1/earnings');
const linesOf = async (seller: Owner) =>
  (await seller.json<TransactionPage>('/api/v1/earnings/transactions')).data;

const balanceOf = async ({ id }: Owner) =>
  Number((await service.admin<{ balance: unknown }>('wallet', 'show', '--account', id)).balance);

/** Returns the id of the charge. */
const sell = async (seller: Owner, buyer: Owner, cents: number): Promise<string> =>
  (await sellListing(seller, buyer, cents)).charge;

async function sellListing(seller: Owner, buyer: Owner, cents: number) {
  const price = { amount: cents, currency: 'USD' };
  const fields = { name: `Earner ${cents} ${seller.id}`, summary: 'One.', category: 'tools', price };
  const { id } = (await (await seller.send('POST', '/apps', fields)).json()) as { readonly id: string };
  const response = await buyer.send('POST', `/apps/${id}/purchase`, price);
  expect(response.status).toBe(201);
  return { listingId: id, charge: ((await response.json()) as { readonly id: string }).id };
}

const post = (seller: Owner, path: string, body: object, key?: string) =>
  seller.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });

/** Processes due sales until one of the seller has another state. */
const processUntil = (seller: Owner, isReached: (earnings: Earnings) => boolean) =>
  until(async () => {
    await service.admin('market', 'run');
    return earningsOf(seller);
  }, isReached);

/** The payment of an order at the simulator, by Stripe's own client. */
async function paymentOf({ checkout_url: checkoutUrl }: CreatedOrder) {
  const url = new URL(checkoutUrl);
  const stripe = new Stripe('sk_test', { host: url.hostname, port: url.port, protocol: 'http' });
  const session = await stripe.checkout.sessions.retrieve(url.pathname.split('/').at(-1) ?? '');
  return { stripe, payment: String(session.payment_intent) };
}

describe('earnings', () => {
  it('mature, become credit of the seller once for a key, and pay refunds as long as they are there', async () => {
    const [seller, buyer, stranger] = [
      await Owner.open(service),
      await Owner.open(service),
      await Owner.open(service),
    ];
    await buyer.buy(10);
    const charge = await sell(seller, buyer, 800);
    expect(await earningsOf(seller)).toMatchObject({ pending: 8, available: 0 });
    expect(await errorOf(await post(seller, '/api/v1/earnings/transfer', { amount: 1 }))).toMatchObject({
      status: 402,
      type: 'billing_error',
      code: 'insufficient_earnings',
    });
    await processUntil(seller, ({ available }) => available === 8);
    const [line] = await linesOf(seller);
    expect(line?.sale).toMatchObject({ listing_name: `Earner 800 ${seller.id}` });
    for (const amount of ['0.015', 1.001])
      expect(await errorOf(await post(seller, '/api/v1/earnings/transfer', { amount }))).toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'amount',
      });
    const transfer = () => post(seller, '/api/v1/earnings/transfer', { amount: '3.5' }, 'transfer 1');
    expect((await transfer()).status).toBe(400);
    const transfers = await Promise.all(
      Array.from({ length: 5 }, () => post(seller, '/api/v1/earnings/transfer', { amount: '3.5' }, 'key-1')),
    );
    const bodies = await Promise.all(transfers.map((response) => response.json()));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(await balanceOf(seller)).toBe(3.5);
    expect(await errorOf(await post(stranger, '/api/v1/refunds', { charge }))).toMatchObject({ status: 404 });
    expect(await errorOf(await post(seller, '/api/v1/refunds', { charge }))).toMatchObject({
      code: 'insufficient_earnings',
    });
    expect(await errorOf(await post(seller, '/api/v1/refunds', { charge, amount: 801 }))).toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'amount',
    });
    const refund = await post(seller, '/api/v1/refunds', { charge, amount: 250 }, 'key-1');
    expect([refund.status, await refund.json()]).toMatchObject([
      201,
      { object: 'refund', charge, amount: 250 },
    ]);
    expect(await balanceOf(buyer)).toBe(4.5);
    expect(await earningsOf(seller)).toMatchObject({ available: 2, transferred: 3.5, received: 5.5 });
    expect((await linesOf(seller)).map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', -2.5],
      ['transfer', -3.5],
      ['sale', 8],
    ]);
    expect(await service.admin('audit', '--whole')).toMatchObject({ exact: true, drift: 0 });
  });

  it('stay pending while the payment behind them is reversed, and a refund by the seller pays the debt', async () => {
    const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
    const order = await buyer.buy(5);
    const charge = await sell(seller, buyer, 490);
    const { stripe, payment } = await paymentOf(order);
    await stripe.refunds.create({ payment_intent: payment });
    await until(
      () => buyer.json<{ owed: number }>('/api/v1/credits'),
      ({ owed }) => owed === 4.9,
    );
    await until(
      async () => {
        await service.admin('market', 'run');
        return (await linesOf(seller))[0];
      },
      (line) => line?.sale.reason === 'buyer_owes',
    );
    expect(await linesOf(seller)).toMatchObject([{ type: 'sale', charge, sale: { status: 'pending' } }]);
    expect(await earningsOf(seller)).toMatchObject({ pending: 4.9, available: 0, transferred: 0 });
    expect(await balanceOf(seller)).toBe(0);
    expect(await errorOf(await post(seller, '/api/v1/earnings/transfer', { amount: 0.01 }))).toMatchObject({
      code: 'insufficient_earnings',
    });
    // The seller gives the goods back, which pays the debt.
    expect((await post(seller, '/api/v1/refunds', { charge })).status).toBe(201);
    expect(await buyer.json('/api/v1/credits')).toMatchObject({ balance: 0, owed: 0 });
    expect(await service.admin('audit', '--whole')).toMatchObject({ exact: true, drift: 0 });
  });

  it('wait if the listing was removed before they matured, until an operator returns the price', async () => {
    const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
    await buyer.buy(5);
    const { listingId, charge } = await sellListing(seller, buyer, 500);
    expect((await seller.send('DELETE', `/apps/${listingId}`)).status).toBe(200);
    await until(
      async () => {
        await service.admin('market', 'run');
        return (await linesOf(seller))[0];
      },
      (line) => line?.sale.reason === 'listing_removed',
    );
    expect(await earningsOf(seller)).toMatchObject({ pending: 5, available: 0 });
    const command = ['sale', 'return', '--charge', charge, '--reason', 'nothing was delivered'];
    const by = 'operator of the local service';
    const note = { by, reason: 'nothing was delivered' };
    expect(await service.admin(...command)).toMatchObject({
      seller: seller.id,
      buyer: buyer.id,
      returned: 5,
      ...note,
    });
    expect(await earningsOf(seller)).toMatchObject({ pending: 0, available: 0, received: 0 });
    expect(await balanceOf(buyer)).toBe(5);
    const { entries } = await service.admin<{ entries: unknown }>('credit', 'list', '--account', buyer.id);
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'purchase_refund', amount: 5, ...note }));
    await expect(service.admin(...command)).rejects.toThrow('The whole price has been returned');
    expect(await service.admin('audit', '--whole')).toMatchObject({ exact: true, drift: 0 });
  });

  it('become credit if granted credit paid: two accounts with a grant make no money', async () => {
    const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
    await service.admin('credit', 'grant', '--account', buyer.id, '--amount', '10');
    await sell(seller, buyer, 1000);
    expect(await linesOf(seller)).toMatchObject([{ sale: { payable: false } }]);
    expect(await processUntil(seller, ({ pending }) => pending === 0)).toMatchObject({
      available: 0,
      transferred: 10,
    });
    expect(await balanceOf(seller)).toBe(10);
    // The credit moves on, and still is none that could leave the service.
    await sell(buyer, seller, 999);
    expect(await processUntil(buyer, ({ pending }) => pending === 0)).toMatchObject({ available: 0 });
  });
});
