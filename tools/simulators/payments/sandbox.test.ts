import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { type PaymentSandbox, startPaymentSandbox } from './sandbox.ts';

const SECRET = 'whsec_of_this_test';

let folder: string;
let sandbox: PaymentSandbox;
let stripe: Stripe;
let receiver: Server;
let received: Stripe.Event[];
/** The statuses that the receiver returns; the last one stays. */
let statuses: number[];

const start = async () => {
  sandbox = await startPaymentSandbox({
    preferredPort: 0,
    file: join(folder, 'books.json'),
    log: () => {},
  });
  const { hostname, port } = new URL(sandbox.url);
  stripe = new Stripe('sk_test', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
};

const connect = () =>
  sandbox.connect({
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    secret: SECRET,
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  received = [];
  statuses = [200];
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const status = statuses.length > 1 ? (statuses.shift() ?? 200) : (statuses[0] ?? 200);
    if (status === 200) {
      const signature = String(request.headers['stripe-signature']);
      received.push(stripe.webhooks.constructEvent(Buffer.concat(chunks), signature, SECRET));
    }
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await start();
});
afterEach(async () => {
  await sandbox.stop();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  rmSync(folder, { recursive: true });
});

const checkout = (cents = 500) =>
  stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: cents, product_data: { name: 'Credits' } } },
    ],
    metadata: { order_id: 'o' },
    payment_intent_data: { metadata: { order_id: 'o' } },
    success_url: 'https://example.com/paid',
  });

const pay = (url: string | null) => fetch(url ?? '', { method: 'POST', redirect: 'manual' });
const types = () => received.map(({ type }) => type);

it('a payment happens once, and allows refunds up to its amount', async () => {
  connect();
  const { id, url } = await checkout(1_000);
  expect((await pay(url)).status).toBe(303);
  expect((await pay(url)).status).toBe(400);
  const { payment_intent } = await stripe.checkout.sessions.retrieve(id);
  const payment = String(payment_intent);
  expect((await stripe.paymentIntents.retrieve(payment)).metadata).toEqual({ order_id: 'o' });
  await stripe.refunds.create({ payment_intent: payment, amount: 300 });
  await expect(stripe.refunds.create({ payment_intent: payment, amount: 701 })).rejects.toThrow('greater');
  await stripe.refunds.create({ payment_intent: payment });
  await expect(stripe.refunds.create({ payment_intent: payment })).rejects.toThrow('already');
  expect(types()).toEqual(['checkout.session.completed', 'refund.created', 'refund.created']);
});

it.each([
  ['too small an amount', () => checkout(49)],
  ['an unknown parameter', () => stripe.checkout.sessions.create({ mode: 'payment', locale: 'de' })],
  ['a page of more than a hundred', () => stripe.refunds.list({ limit: 101 })],
  ['a page after what is not there', () => stripe.refunds.list({ starting_after: 're_none' })],
  ['a filter of other lists', () => stripe.disputes.list({ status: 'lost' } as object)],
  ['an unknown field to expand', () => stripe.refunds.list({ expand: ['data.invoice'] })],
  ['a session that is not there', () => stripe.checkout.sessions.retrieve('cs_test_none')],
])('an invalid request causes Stripe’s error: %s', async (_what, request) => {
  await expect(request()).rejects.toMatchObject({ type: 'StripeInvalidRequestError' });
});

it('a list contains the objects that were created since a time, newest first, page by page', async () => {
  const opened = [await checkout(), await checkout(), await checkout()];
  await pay(opened[1]?.url ?? null);
  const ids = async (params: Stripe.Checkout.SessionListParams) => {
    const { data, has_more: hasMore } = await stripe.checkout.sessions.list(params);
    return [...data.map(({ id }) => opened.findIndex((each) => each.id === id)), hasMore];
  };
  expect(await ids({})).toEqual([2, 1, 0, false]);
  expect(await ids({ limit: 2 })).toEqual([2, 1, true]);
  expect(await ids({ limit: 2, starting_after: opened[1]?.id ?? '' })).toEqual([0, false]);
  expect(await ids({ status: 'complete' })).toEqual([1, false]);
  const { created = 0 } = opened[0] ?? {};
  expect(await ids({ created: { gte: created } })).toEqual([2, 1, 0, false]);
  expect(await ids({ created: { gte: created + 3_600 } })).toEqual([false]);
});

describe('an event', () => {
  it('arrives again until the receiver accepts it', async () => {
    statuses = [500, 503, 200];
    connect();
    await pay((await checkout()).url);
    for (let waits = 0; waits < 50 && received.length === 0; waits += 1) await sleep(100);
    expect(types()).toEqual(['checkout.session.completed']);
  });

  it('waits over a restart for somebody to take it, as checkouts do', async () => {
    const [first, second] = [await checkout(), await checkout()];
    await pay(first.url);
    await sandbox.stop();
    await start();
    expect(statSync(join(folder, 'books.json')).mode & 0o777).toBe(0o600);
    connect();
    for (let waits = 0; waits < 50 && received.length === 0; waits += 1) await sleep(20);
    expect(types()).toEqual(['checkout.session.completed']);
    expect((await stripe.checkout.sessions.retrieve(second.id)).status).toBe('open');
  });
});
