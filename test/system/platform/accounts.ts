import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { LeftoverTexts } from '../left-texts.ts';
import { Owner } from '../owner.ts';
import { errorOf } from '../payer.ts';
import { idTokenOf } from '../sign-in.ts';
import { service } from './service.ts';

/** The domain of every address here. */
const DOMAIN = 'canary-domain.example.com';

/** The longest time after which a shared host serves a key in steady use as it was changed. */
const MAX_CHANGE_MS = 1_000;

let owner: Owner;
/** Texts that must appear nowhere. */
const secrets: string[] = [];

beforeAll(async () => {
  owner = await signIn('owner');
});

const post = (path: string, body: object) => service.post(path, body, { key: null });

async function signIn(subject: string): Promise<Owner> {
  const token = await idTokenOf(service, `${subject}@${DOMAIN}`);
  const response = await post('/api/v1/auth/local', { token });
  const body = (await response.json()) as { access_token: string };
  secrets.push(token, body.access_token);
  return new Owner(service, body.access_token);
}

describe('signing in', () => {
  it('opens one account, and gives a session for it', async () => {
    const email = `newcomer@${DOMAIN}`;
    const token = await idTokenOf(service, email);
    const responses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const response = await post('/api/v1/auth/local', { token });
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('no-store');
        return (await response.json()) as Record<string, unknown> & { access_token: string };
      }),
    );
    const [first] = responses;
    expect(first).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      account: { id: expect.stringMatching(/^acc_/), object: 'account', email },
    });
    for (const { account, access_token: accessToken } of responses) {
      expect(account).toEqual(first?.account);
      expect(await new Owner(service, accessToken).json('/api/v1/auth/me')).toEqual(account);
    }
  });

  it.each([
    [401, 'authentication_error', 'invalid_token', 'local', { token: 'a.b.c' }],
    [404, 'not_found_error', 'not_found', 'nobody', { token: 'a.b.c' }],
    [400, 'invalid_request_error', 'missing_field', 'local', {}],
  ])('fails with %i %s %s', async (status, type, code, name, body) => {
    expect(await errorOf(await post(`/api/v1/auth/${name}`, body))).toMatchObject({ status, type, code });
  });
});

describe('an API key', () => {
  const chat = (key: string, model = 'sim/chat') =>
    service.chat({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }, { key });
  const codeOf = async (response: Response) =>
    response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code;
  const codesOf = (...keys: readonly string[]) =>
    Promise.all(keys.map(async (key) => codeOf(await chat(key))));

  /** Keeps the keys in use for as long as a shared host may serve them as they were before a change (docs/call.md). */
  const useUntilChanged = async (...keys: readonly string[]) => {
    const changedMs = performance.now();
    while (service.isHost && performance.now() <= changedMs + MAX_CHANGE_MS) {
      await codesOf(...keys);
      await sleep(200);
    }
  };

  it('appears once in full, and a change by its owner is active on the next call, on a shared host a second later', async () => {
    await owner.buy(5);
    const apiKey = await owner.createKey({ name: 'one', policy: { rpm: 1000 } });
    secrets.push(apiKey.key);
    expect(apiKey).toMatchObject({ name: 'one', policy: { rpm: 1000 }, disabled: false });
    const listed = await (await owner.fetch('/api-keys')).text();
    expect(listed).toContain(apiKey.id);
    expect(listed).not.toContain(apiKey.key.slice(56, 96));
    const { key } = apiKey;
    expect(await codeOf(await chat(key))).toBe('ok');
    const change = async (fields: object) => {
      const response = await owner.send('PATCH', `/api-keys/${apiKey.id}`, fields);
      expect(response.status).toBe(200);
      await useUntilChanged(key);
      return codeOf(await chat(key));
    };
    expect(await change({ policy: { allowed_models: ['sim/chat-large'] } })).toBe('model_not_allowed');
    expect(await change({ policy: { allowed_kinds: ['image'] } })).toBe('kind_not_allowed');
    expect(await change({ policy: { daily_usd: 0 } })).toBe('daily_usd_exceeded');
    expect(await change({ policy: {} })).toBe('ok');
    expect(await change({ disabled: true })).toBe('invalid_api_key');
    expect(await change({ disabled: false, name: 'renamed' })).toBe('ok');
    expect((await owner.send('DELETE', `/api-keys/${apiKey.id}`)).status).toBe(200);
    await useUntilChanged(key);
    expect(await codeOf(await chat(key))).toBe('invalid_api_key');
    expect((await owner.send('DELETE', `/api-keys/${apiKey.id}`)).status).toBe(404);
  });

  it.each([
    ['the query', (id: string) => owner.send('DELETE', `/api-keys?id=${id}`)],
    ['the body', (id: string) => owner.send('DELETE', '/api-keys', { id })],
  ])('accepts its revocation on the collection too, by an id in %s', async (_place, revoke) => {
    const { id, key } = await owner.createKey({ name: 'collection' });
    expect((await revoke(id)).status).toBe(200);
    expect(await codeOf(await chat(key))).toBe('invalid_api_key');
    expect((await revoke(id)).status).toBe(404);
    expect((await owner.send('DELETE', '/api-keys')).status).toBe(400);
  });

  it('stops working once the operator has revoked it by its id; its text in place of the id reaches no error', async () => {
    const { id, key } = await owner.createKey({ name: 'leaked' });
    const failure = await service.admin('key', 'revoke', '--key', key).catch(String);
    expect(failure).toContain('"key find" finds the id');
    expect(failure).not.toContain(key.slice(56));
    const byKey = ['account', 'find', '--key', id];
    const { accounts } = await service.admin<{ accounts: readonly { account_id: string }[] }>(...byKey);
    const list = ['key', 'list', '--account', accounts[0]?.account_id ?? ''];
    const listed = async () => (await service.admin<{ keys: readonly { id: string }[] }>(...list)).keys;
    expect((await listed()).map((each) => each.id)).toContain(id);
    await service.admin('key', 'revoke', '--key', id);
    expect(await codeOf(await chat(key))).toBe('invalid_api_key');
    expect((await listed()).map((each) => each.id)).not.toContain(id);
  });

  it('accepts two secrets during the overlap of a rotation, and one without', async () => {
    const { id, key: old } = await owner.createKey({ name: 'rotated' });
    const rotate = async (overlap: object) => {
      const rotated = await owner.send('POST', `/api-keys/${id}/rotate`, overlap);
      return ((await rotated.json()) as { key: string }).key;
    };
    const second = await rotate({ overlap_seconds: 3_600 });
    expect(await codesOf(old, second)).toEqual(['ok', 'ok']);
    const last = await rotate({});
    await useUntilChanged(old, second);
    expect(await codesOf(old, second, last)).toEqual(['invalid_api_key', 'invalid_api_key', 'ok']);
    secrets.push(old, second, last);
  });

  it.each([
    ['POST', '/api-keys', {}, 'missing_field', 'name'],
    ['POST', '/api-keys', { name: '' }, 'invalid_value', 'name'],
    ['POST', '/api-keys', { name: 'x'.repeat(101) }, 'invalid_value', 'name'],
    ['POST', '/api-keys', { name: 'x', policy: { rpm: 0 } }, 'invalid_value', 'policy.rpm'],
    ['PATCH', '/api-keys/key_1', { disabled: 'yes' }, 'invalid_value', 'disabled'],
    ['POST', '/api-keys/key_1/rotate', { overlap_seconds: -1 }, 'invalid_value', 'overlap_seconds'],
  ])('rejects an invalid request with 400: %s %s %j', async (method, path, body, code, param) => {
    const response = await owner.send(method, path, body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: object }).error).toMatchObject({ code, param });
  });
});

describe('an order', () => {
  it('stays pending until the payment, credits the wallet once, and a refund reverts it', async () => {
    const buyer = await signIn('buyer');
    const { refunds } = await service.admin<{ refunds: number }>('audit');
    const { id: keyId } = await buyer.createKey({ name: 'k' });
    const order = await buyer.order(12.34);
    expect(order).toMatchObject({ status: 'pending', amount: 12.34, currency: 'USD' });
    const credits = async () => buyer.json<{ balance: number; owed: number }>(`/credits/${keyId}`);
    expect(await credits()).toMatchObject({ balance: 0, owed: 0 });
    const url = new URL(order.checkout_url);
    await fetch(url, { method: 'POST', redirect: 'manual' });
    const orderPath = `/api/orders/${order.order_id}`;
    expect(await buyer.json(orderPath)).toMatchObject({ status: 'paid', checkout_url: null });
    expect(await credits()).toMatchObject({ balance: 12.34, owed: 0 });

    const stripe = new Stripe('sk_test', { host: url.hostname, port: url.port, protocol: 'http' });
    const session = await stripe.checkout.sessions.retrieve(url.pathname.split('/').at(-1) ?? '');
    const payment = String(session.payment_intent);
    await stripe.refunds.create({ payment_intent: payment, amount: 1_000 });
    expect(await buyer.json(orderPath)).toMatchObject({ status: 'partially_refunded', refunded: 10 });
    expect(await credits()).toMatchObject({ balance: 2.34, owed: 0 });
    const { key, id: spender } = await buyer.createKey({ name: 'spends' });
    await service.chat({ model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] }, { key });
    await stripe.refunds.create({ payment_intent: payment });
    const { balance, owed } = await buyer.json<{ balance: number; owed: number }>(`/credits/${spender}`);
    expect(balance).toBe(0);
    expect(owed).toBeGreaterThan(0);
    const response = await service.chat(
      { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] },
      { key },
    );
    expect(response.status).toBe(402);
    await buyer.buy(1);
    expect((await credits()).owed).toBe(0);
    const again = await service.chat(
      { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] },
      { key },
    );
    expect(again.status).toBe(200);
    const audit = await service.admin<{ refunds: number }>('audit');
    expect(audit).toMatchObject({ exact: true, drift: 0, owed: 0 });
    expect(audit.refunds).toBeCloseTo(refunds + 12.34, 9);
  });

  it('pages through the list, newest first', async () => {
    const buyer = await signIn('pager');
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.unshift((await buyer.order(1)).order_id);
    interface Page {
      readonly data: { order_id: string }[];
      readonly next_cursor: string | null;
    }
    const first = await buyer.json<Page>('/api/orders?limit=2');
    const second = await buyer.json<Page>(`/api/orders?limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ order_id: id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
    expect((await buyer.fetch('/api/orders?limit=101')).status).toBe(400);
    expect((await buyer.fetch('/api/orders?cursor=nonsense')).status).toBe(400);
  });

  it.each([
    [{ amount: 1.005, currency: 'USD' }, 'amount'],
    [{ currency: 'USD' }, 'amount'],
    [{ amount: 5, currency: 'EUR' }, 'currency'],
  ])('causes 400 if it is not valid: %j', async (body, param) => {
    const response = await owner.send('POST', '/api/create-order', body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: object }).error).toMatchObject({ param });
  });

  it('counts in USD if its currency is missing', async () => {
    const response = await owner.send('POST', '/api/create-order', { amount: 5 });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ amount: 5, currency: 'USD' });
  });

  it('credits the wallet only after a confirmation of the payment provider', async () => {
    const { order_id: id } = await owner.order(5);
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'checkout.session.completed',
      data: {
        object: { payment_status: 'paid', amount_total: 500, currency: 'usd', metadata: { order_id: id } },
      },
    };
    const body = JSON.stringify(event);
    const forged = new Stripe('x').webhooks.generateTestHeaderString({
      payload: body,
      secret: 'whsec_guess',
    });
    for (const signature of [undefined, 'x', forged]) {
      const response = await service.fetch('/api/payments/stripe/events', {
        method: 'POST',
        key: null,
        headers: { ...(signature === undefined ? {} : { 'stripe-signature': signature }) },
        body,
      });
      expect(await errorOf(response)).toMatchObject({
        status: 401,
        type: 'authentication_error',
        code: 'invalid_signature',
      });
    }
    expect(await owner.json(`/api/orders/${id}`)).toMatchObject({ status: 'pending' });
    const elsewhere = await post('/api/payments/other/events', event);
    expect(elsewhere.status).toBe(404);
    // Nobody has stored a key of a provider here.
    expect(await service.admin('payments', 'reconcile')).toEqual({ configured: false });
  });
});

it('no log contains a token, key, address or secret, and no file contains a token or key', async () => {
  const generated = readFileSync(join(service.directory, 'generated-secrets.json'), 'utf8');
  const values = [...generated.matchAll(/[A-Za-z0-9]{64}/g)].map(([value]) => value);
  expect(values.length).toBeGreaterThanOrEqual(3);
  await service.stop();
  const leftoverTexts = new LeftoverTexts(service);
  // A request's id and the address of an account are kept: they show that the search finds what is there.
  expect(leftoverTexts.find('requestId=req_').printed).toBe(true);
  expect(leftoverTexts.find(DOMAIN).files).not.toEqual([]);
  expect(secrets.length).toBeGreaterThan(5);
  for (const secret of [...secrets, ...values, DOMAIN])
    expect([secret, leftoverTexts.find(secret).printed]).toEqual([secret, false]);
  for (const secret of secrets) expect([secret, leftoverTexts.find(secret).files]).toEqual([secret, []]);
});
