import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type PaymentSandbox, startPaymentSandbox } from '../../../tools/simulators/payments/sandbox.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import type { Log } from '../../platform/core/ports.ts';
import { API_KEY, PaymentIntents, signedEvent, WEBHOOK_SECRET } from '../testing/stripe-events.ts';
import { StripePayments } from './stripe-payments.ts';

const ORDER = { orderId: `ord_${'0'.repeat(26)}`, accountId: `acc_${'0'.repeat(26)}` };
const METADATA = { order_id: ORDER.orderId, account_id: ORDER.accountId };
const NOW_MS = Date.now();

const folder = mkdtempSync(join(tmpdir(), 'stripe-'));
const intents = new PaymentIntents();
let sandbox: PaymentSandbox;
let intentsUrl: string;
let logged: unknown[];
let connectSecret = 'whsec_of_connected_accounts';

const LOG: Log = { ...SILENT, warn: (...line) => logged.push(line), error: (...line) => logged.push(line) };

const paymentsAt = (apiUrl: string, clock = () => NOW_MS) =>
  new StripePayments({
    environment: {
      PAYMENT_SECRET: 'payments',
      PAYMENT_API_URL: apiUrl,
      PAYMENT_RETURN_URL: 'https://shop.example.com/back?x=1',
    },
    readSecret: async (reference) => {
      if (reference === 'secretsmanager:payments#api_key') return API_KEY;
      if (reference === 'secretsmanager:payments#webhook_secret') return WEBHOOK_SECRET;
      if (reference === 'secretsmanager:payments#connect_webhook_secret') return connectSecret;
      throw new Error(`there is no secret ${reference}`);
    },
    clock,
    log: LOG,
    hasPayouts: true,
  });

beforeAll(async () => {
  sandbox = await startPaymentSandbox({ preferredPort: 0, file: join(folder, 'books.json'), log: () => {} });
  intentsUrl = await intents.start();
  intents.metadata.set('pi_ours', METADATA);
  intents.metadata.set('pi_of_another_system', { cart: '7' });
});
afterAll(async () => {
  await sandbox.stop();
  await intents.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  logged = [];
});

const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    (value) => value,
    (failure: { code?: string }) => failure.code ?? failure,
  );

const session = (fields: object = {}) => ({
  id: 'cs_1',
  object: 'checkout.session',
  amount_total: 525,
  currency: 'usd',
  payment_status: 'paid',
  metadata: METADATA,
  payment_intent: 'pi_ours',
  ...fields,
});
const refund = (fields: object = {}) => ({
  id: 're_1',
  object: 'refund',
  amount: 125,
  currency: 'usd',
  status: 'succeeded',
  payment_intent: 'pi_ours',
  metadata: {},
  ...fields,
});
const dispute = (fields: object = {}) => ({ ...refund({ id: 'dp_1', object: 'dispute' }), ...fields });

const read = (type: string, object: object): ReturnType<StripePayments['readEvent']> => {
  const { body, signature } = signedEvent(type, object);
  return paymentsAt(intentsUrl).readEvent(body, signature);
};

describe('a checkout', () => {
  it('opens for the amount of the order, and a repeated request returns the same one', async () => {
    const payments = paymentsAt(sandbox.url);
    const order = { ...ORDER, amount: 5_250_000_000n };
    const { url } = await payments.openCheckout(order);
    expect(await payments.openCheckout(order)).toEqual({ url });
    const id = url.split('/').at(-1);
    const opened = await fetch(`${sandbox.url}/v1/checkout/sessions/${id}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    expect(await opened.json()).toMatchObject({
      amount_total: 525,
      currency: 'usd',
      client_reference_id: ORDER.orderId,
      metadata: METADATA,
      success_url: `https://shop.example.com/back?x=1&order_id=${ORDER.orderId}&outcome=paid`,
      cancel_url: `https://shop.example.com/back?x=1&order_id=${ORDER.orderId}&outcome=canceled`,
    });
  });

  it('fails to open while the provider does not respond, and the log contains no key', async () => {
    const order = { ...ORDER, amount: 5_000_000_000n };
    const failure = await paymentsAt('http://127.0.0.1:9')
      .openCheckout(order)
      .catch((reason) => reason);
    expect(failure).toMatchObject({
      code: 'payment_provider_unavailable',
      status: 503,
      retryAfterSeconds: 5,
    });
    expect(await codeOf(paymentsAt(intentsUrl).openCheckout(order))).toBe('payment_provider_unavailable');
    expect(JSON.stringify(logged)).not.toContain(API_KEY);
    expect(logged).toHaveLength(2);
  });
});

describe('an event', () => {
  it.each<[string, object, unknown]>([
    ['checkout.session.completed', session(), { kind: 'paid', amount: 5_250_000_000n }],
    ['checkout.session.async_payment_succeeded', session(), { kind: 'paid', amount: 5_250_000_000n }],
    ['checkout.session.async_payment_failed', session(), { kind: 'ended', how: 'failed' }],
    ['checkout.session.expired', session({ payment_status: 'unpaid' }), { kind: 'ended', how: 'expired' }],
    ['refund.created', refund(), { kind: 'reversal', id: 're_1', amount: 1_250_000_000n, undone: false }],
    ['refund.updated', refund({ status: 'pending' }), { kind: 'reversal', undone: false }],
    ['refund.updated', refund({ status: 'canceled' }), { kind: 'reversal', undone: true }],
    ['refund.failed', refund({ status: 'failed' }), { kind: 'reversal', undone: true }],
    ['charge.dispute.funds_withdrawn', dispute(), { kind: 'reversal', id: 'dp_1', undone: false }],
    ['charge.dispute.funds_reinstated', dispute(), { kind: 'reversal', id: 'dp_1', undone: true }],
    ['refund.created', refund({ payment_intent: { id: 'pi_ours' } }), { kind: 'reversal', id: 're_1' }],
  ])('states its effect on the order: %s', async (type, object, fact) => {
    expect(await read(type, object)).toMatchObject({ order: ORDER, fact });
  });

  it.each<[string, string, object]>([
    [
      'a checkout that still waits for its money',
      'checkout.session.completed',
      session({ payment_status: 'unpaid' }),
    ],
    ['a checkout of another system', 'checkout.session.completed', session({ metadata: { cart: '7' } })],
    ['a checkout without metadata', 'checkout.session.completed', session({ metadata: null })],
    [
      'metadata that are no ids of ours',
      'checkout.session.completed',
      session({ metadata: { order_id: '../', account_id: 'x' } }),
    ],
    ['a refund of another system', 'refund.created', refund({ payment_intent: 'pi_of_another_system' })],
    ['a refund of no payment', 'refund.created', refund({ payment_intent: null })],
    ['a dispute that moves no money', 'charge.dispute.created', dispute()],
    ['what we do not know', 'customer.created', { id: 'cus_1' }],
  ])('yields no fact if it does not concern an order of the service: %s', async (_what, type, object) => {
    expect(await read(type, object)).toBeUndefined();
    expect(logged).toEqual([]);
  });

  it.each<[string, object]>([
    ['another currency', session({ currency: 'eur' })],
    ['no amount', session({ amount_total: null })],
    ['a fraction of a cent', session({ amount_total: 1.5 })],
  ])('credits no account, and is logged, if it has %s', async (_what, object) => {
    expect(await read('checkout.session.completed', object)).toBeUndefined();
    expect(logged).toHaveLength(1);
  });

  it('requires the provider’s signature over its exact bytes, created within the tolerance', async () => {
    const { body, signature } = signedEvent('checkout.session.completed', session());
    const payments = paymentsAt(intentsUrl);
    expect(await payments.readEvent(body, signature)).toBeDefined();
    const nowSeconds = Math.floor(NOW_MS / 1000);
    const late = signedEvent('checkout.session.completed', session(), WEBHOOK_SECRET, nowSeconds - 301);
    const foreign = signedEvent('checkout.session.completed', session(), 'whsec_of_somebody_else');
    const invalidPayloads: [string, string | null][] = [
      [body, null],
      [body, ''],
      [body, 't=1,v1=00'],
      [body, signature.replace(/v1=(.)/, (_, first) => `v1=${first === '0' ? '1' : '0'}`)],
      [`${body} `, signature],
      [body.replace('525', '526'), signature],
      [late.body, late.signature],
      [foreign.body, foreign.signature],
      ['', signature],
    ];
    for (const [text, expectedParam] of invalidPayloads) {
      expect(await codeOf(payments.readEvent(text, expectedParam))).toBe('invalid_signature');
    }
  });

  it('waits for the provider’s response if its order must be requested there', async () => {
    const { body, signature } = signedEvent('refund.created', refund());
    const down = paymentsAt('http://127.0.0.1:9');
    expect(await codeOf(down.readEvent(body, signature))).toBe('payment_provider_unavailable');
    expect(await paymentsAt(intentsUrl).readEvent(body, signature)).toMatchObject({ order: ORDER });
  });
});

describe('an event of a connected account', () => {
  const payout = { id: `po_${'0'.repeat(26)}`, sellerId: ORDER.accountId };
  const metadata = { payout_id: payout.id, account_id: payout.sellerId };
  const receive = (type: string, object: object, secret?: string) => {
    const { body, signature } = signedEvent(type, object, secret);
    return paymentsAt(intentsUrl).readEvent(body, signature);
  };

  it.each(['payout.paid', 'payout.failed', 'payout.canceled', 'transfer.reversed'])(
    'reports the payout in its metadata: %s',
    async (type) => {
      expect(await receive(type, { metadata }, connectSecret)).toEqual({ payout });
      expect(await receive(type, { metadata })).toEqual({ payout });
      expect(await receive(type, { metadata: { payout_id: 'po_1' } }, connectSecret)).toBeUndefined();
    },
  );

  it('credits no order, whatever its owner has created', async () => {
    const session = { id: 'cs_1', payment_status: 'paid', amount_total: 500, currency: 'usd' };
    const object = { ...session, metadata: METADATA };
    expect(await receive('checkout.session.completed', object)).toMatchObject({ fact: { kind: 'paid' } });
    expect(await receive('checkout.session.completed', object, connectSecret)).toBeUndefined();
  });

  it('fails if it is forged, altered, or replayed after its time', async () => {
    const payments = paymentsAt(intentsUrl);
    const nowSeconds = Math.floor(NOW_MS / 1000);
    const signed = (seconds: number) => signedEvent('payout.paid', { metadata }, connectSecret, seconds);
    const { body, signature } = signed(nowSeconds);
    expect(await payments.readEvent(body, signature)).toEqual({ payout });
    const late = signed(nowSeconds - 301);
    const invalid: [string, string][] = [
      [body, `t=${nowSeconds},v1=${'0'.repeat(64)}`],
      [body.replace(payout.sellerId, `acc_${'1'.repeat(26)}`), signature],
      [late.body, late.signature],
    ];
    for (const [text, given] of invalid)
      expect(await codeOf(payments.readEvent(text, given))).toBe('invalid_signature');
  });

  it('fails with another secret, and while none is stored', async () => {
    connectSecret = 'none';
    for (const secret of ['whsec_of_nobody', 'none'])
      expect(await codeOf(receive('payout.paid', { metadata }, secret))).toBe('invalid_signature');
    connectSecret = 'whsec_of_connected_accounts';
  });
});
