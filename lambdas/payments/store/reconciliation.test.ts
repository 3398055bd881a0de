import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { type PaymentSandbox, startPaymentSandbox } from '../../../tools/simulators/payments/sandbox.ts';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { DynamoAccountStore } from '../../access/store/accounts/account-store.ts';
import { createWalletStore } from '../../ledger/store/wallet/store.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import type { ServiceError } from '../../platform/core/errors.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { reconcileOnSchedule } from '../consumers/reconcile-payments/consumer.ts';
import { createOrder } from '../core/orders.ts';
import type { PaymentLists } from '../core/ports.ts';
import { receivePaymentEvent } from '../core/receive-event.ts';
import { type Reconciliation, reconcilePayments } from '../core/reconciliation.ts';
import { WEBHOOK_SECRET } from '../testing/stripe-events.ts';
import { createOrderStore } from './create-orders.ts';
import { StripeLists } from './stripe-lists.ts';
import { StripePayments } from './stripe-payments.ts';

const NANO_PER_CENT = 10_000_000n;

const KEY = 'rk_test_all';
/** The rights that the documentation names, and each of them without one. */
const RIGHTS = ['checkout_session_write', 'payment_intent_read', 'charge_read', 'dispute_read'] as const;
const LACKING = RIGHTS.map((right) => [`rk_test_without_${right}`, RIGHTS.filter((each) => each !== right)]);

let folder: string;
let database: TestDatabase;
let sandbox: PaymentSandbox;
let receiver: Server;
let url: string;
let accountId: string;
let received: { readonly status: number; readonly events: readonly string[] }[];

const stripe = () => {
  const { hostname: host, port } = new URL(sandbox.url);
  return new Stripe('sk_test', { host, port, protocol: 'http', maxNetworkRetries: 0 });
};

const optionsOf = (apiKey: string) => ({
  environment: {
    PAYMENT_SECRET: 'payments',
    PAYMENT_API_URL: sandbox.url,
    PAYMENT_RETURN_URL: 'https://example.com/',
  },
  readSecret: async (reference: string) => (reference.endsWith('#api_key') ? apiKey : WEBHOOK_SECRET),
  clock: Date.now,
  log: SILENT,
});

const storeOf = (clients: DynamoClients = database) =>
  createOrderStore({ clients, environment: database.environment });

beforeAll(async () => {
  database = await startDatabase();
  receiver = createServer(async (request, response) => {
    // A repetition may still be on its way when the next test begins.
    const results = received;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, events } = await deliver(
      Buffer.concat(chunks).toString(),
      String(request.headers['stripe-signature']),
    );
    results.push({ status, events });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await database.stop();
});
beforeEach(async () => {
  received = [];
  folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  sandbox = await startPaymentSandbox({
    preferredPort: 0,
    file: join(folder, 'books.json'),
    log: () => {},
    restrictedKeys: { [KEY]: RIGHTS, ...Object.fromEntries(LACKING) },
  });
  accountId = `acc_${systemUlid()}`;
  await new DynamoAccountStore(database.client, database.tables).open({ id: accountId, created: 0 });
});
afterEach(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

async function deliver(body: string, signature: string | null) {
  const events: string[] = [];
  const endpoint = receivePaymentEvent({
    providers: { stripe: new StripePayments(optionsOf(KEY)) },
    store: storeOf(),
    hintPayout: async () => false,
    onCredited: () => events.push('credited'),
    onRejected: () => events.push('rejected'),
    onMissed: () => events.push('missed'),
    onFailed: () => events.push('failed'),
  });
  const request = new Request('https://localhost/', {
    method: 'POST',
    headers: signature === null ? {} : { 'stripe-signature': signature },
    body,
  });
  const context = {
    requestId: 'req_1',
    pathParameters: { provider: 'stripe' },
    log: SILENT,
    remainingTimeMs: () => 28_000,
  };
  try {
    return { status: (await endpoint(request, context)).status ?? 200, events };
  } catch (failure) {
    return { status: (failure as ServiceError).status, events };
  }
}

const openOrder = (cents: number) =>
  createOrder(
    { store: storeOf(), provider: new StripePayments(optionsOf(KEY)), clock: Date.now, ulid: systemUlid },
    accountId,
    BigInt(cents) * NANO_PER_CENT,
  );

async function pay(cents: number): Promise<string> {
  const { checkoutUrl = '' } = await openOrder(cents);
  await fetch(checkoutUrl, { method: 'POST', redirect: 'manual' });
  const session = await stripe().checkout.sessions.retrieve(checkoutUrl.split('/').at(-1) ?? '');
  return String(session.payment_intent);
}

const dependenciesOf = (
  clients: DynamoClients = database,
  lists: PaymentLists = new StripeLists(optionsOf(KEY)),
) => ({ lists, store: storeOf(clients), wait: async () => {}, clock: Date.now, log: SILENT });

const reconcile = (...of: Parameters<typeof dependenciesOf>): Promise<Reconciliation | undefined> =>
  reconcilePayments({ ...dependenciesOf(...of), onApplied: () => {} });

/** Cents that the account has, less what it owes. */
async function credit(): Promise<number> {
  const wallet = await createWalletStore(database, database.tables.wallets).read(accountId);
  return Number(((wallet?.balance ?? 0n) - (wallet?.debt ?? 0n)) / NANO_PER_CENT);
}

const WRONG = 'whsec_mistyped';
const EXACT = { applied: 0, differing: 0, complete: true };

describe('a wrong webhook secret', () => {
  it('raises an alarm at the first payment, which the reconciliation credits once, and the late event changes nothing', async () => {
    sandbox.connect({ url, secret: WRONG });
    await pay(1_234);
    expect(received[0]).toEqual({
      status: 401,
      events: ['rejected', 'missed'],
    });
    expect(await credit()).toBe(0);
    const events: (string | number)[] = [];
    const job = reconcileOnSchedule({
      ...dependenciesOf(),
      onMissed: () => events.push('missed'),
      onCredited: () => events.push('credited'),
      onCompleted: () => events.push('completed'),
      onDifferences: (count) => events.push(count),
    });
    await job();
    expect(await credit()).toBe(1_234);
    await job();
    expect(events).toEqual(['missed', 'credited', 'completed', 'completed']);
    received = [];
    sandbox.connect({ url, secret: WEBHOOK_SECRET });
    await until(
      async () => received.find(({ status }) => status === 200),
      (found) => found !== undefined,
    );
    expect(received.find(({ status }) => status === 200)).toEqual({ status: 200, events: [] });
    expect(await credit()).toBe(1_234);
  });

  it('loses no refund or dispute, because the reconciliation applies both', async () => {
    sandbox.connect({ url, secret: WEBHOOK_SECRET });
    const [first, second] = [await pay(1_000), await pay(500)];
    expect(received).toEqual([first, second].map(() => ({ status: 200, events: ['credited'] })));
    sandbox.connect({ url, secret: WRONG });
    await stripe().refunds.create({ payment_intent: first, amount: 300 });
    await sandbox.dispute(second);
    expect(await credit()).toBe(1_500);
    expect(await reconcile()).toMatchObject({ compared: 4, ...EXACT, applied: 2 });
    expect(await credit()).toBe(700);
    expect(await reconcile()).toMatchObject({ compared: 4, ...EXACT });
  });
});

describe('a forged event', () => {
  const event = (orderId: string, checkout: string) =>
    JSON.stringify({
      object: 'event',
      type: 'checkout.session.completed',
      data: { object: { id: checkout, metadata: { order_id: orderId, account_id: accountId } } },
    });
  const forged = `t=1,v1=${'0'.repeat(64)}`;

  it('raises no alarm by an invalid body, by guessed ids or by an order of the sender that waits for its payment', async () => {
    const { id, checkoutUrl = '' } = await openOrder(500);
    const checkout = checkoutUrl.split('/').at(-1) ?? '';
    const other = await pay(700);
    const attempts: readonly [string, string | null][] = [
      ['garbage', null],
      ['garbage', forged],
      ['{}', forged],
      [event(id, checkout), null],
      [event(id, checkout), forged],
      [event(id, 'cs_guessed'), forged],
      [event(id, other), forged],
      [event(`ord_${systemUlid()}`, checkout), forged],
    ];
    for (const [body, signature] of attempts)
      expect(await deliver(body, signature)).toEqual({
        status: 401,
        events: ['rejected'],
      });
    expect(await credit()).toBe(0);
  });
});

describe('the lists of the provider', () => {
  it('end where the provider says so, page after page', async () => {
    await Promise.all(Array.from({ length: 105 }, () => stripeCheckout()));
    const result = await reconcile();
    expect(result).toMatchObject({ compared: 105, applied: 0, differing: 105 });
    expect(result?.differences).toHaveLength(100);
    const counts: number[] = [];
    const unexpected = () => counts.push(-1);
    const onDifferences = (count: number) => counts.push(count);
    await reconcileOnSchedule({
      ...dependenciesOf(),
      onMissed: unexpected,
      onCredited: unexpected,
      onCompleted: () => {},
      onDifferences,
    })();
    expect(counts).toEqual([105]);
  });

  it.each(RIGHTS)('need the right %s of a restricted key; without it nothing is applied', async (right) => {
    const payment = await pay(500);
    await stripe().refunds.create({ payment_intent: payment });
    await expect(
      reconcile(database, new StripeLists(optionsOf(`rk_test_without_${right}`))),
    ).rejects.toMatchObject({
      code: 'payment_provider_unavailable',
    });
    expect(await credit()).toBe(0);
  });
});

/** A payment that names an account here, and an order that it does not have. */
async function stripeCheckout(): Promise<void> {
  const metadata = { order_id: `ord_${systemUlid()}`, account_id: accountId };
  const { url: page } = await stripe().checkout.sessions.create({
    mode: 'payment',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 50, product_data: { name: 'Other' } } },
    ],
    metadata,
    success_url: 'https://example.com/',
  });
  await fetch(page ?? '', { method: 'POST', redirect: 'manual' });
}
