/** The operator's view of a running service, and that no session of the one role is good for the other's routes. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import type { Route } from '../../../lambdas/platform/contract/route.ts';
import { Owner } from '../owner.ts';
import { errorOf, nano, Payer } from '../payer.ts';
import { idTokenOf } from '../sign-in.ts';
import { service } from './service.ts';

const EMAIL = 'somebody@example.com';

let account: string;
let owner: string;
let operator: string;

const signIn = async (email: string, role?: string, headers: Record<string, string> = {}) => {
  const token = await idTokenOf(service, email);
  return service.post('/api/v1/auth/local', { token, role }, { key: null, headers });
};

const sendRequest = (path: string, key: string | null = operator) => service.fetch(path, { key });

beforeAll(async () => {
  const signedIn = (await (await signIn(EMAIL)).json()) as {
    access_token: string;
    account: { id: string };
  };
  owner = signedIn.access_token;
  account = signedIn.account.id;
  expect(await errorOf(await signIn(EMAIL, 'operator'))).toMatchObject({
    status: 403,
    code: 'operator_only',
  });
  expect(await errorOf(await signIn(EMAIL, 'admin'))).toMatchObject({ status: 400, code: 'invalid_value' });
  await service.admin('operators', 'add', account);
  const body = (await (await signIn(EMAIL, 'operator')).json()) as { access_token: string };
  operator = body.access_token;
});

const send = ({ method, path }: Route, key: string | null) =>
  service.fetch(path.replaceAll(/\{\w+\+?\}/g, 'x'), {
    method,
    key,
    ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' }),
  });

const taking = (...kinds: readonly Route['authentication'][]) =>
  (ROUTES as readonly Route[])
    .filter(({ authentication }) => kinds.includes(authentication))
    .map((route) => [`${route.method} ${route.path}`, route] as const);

describe('a route of an owner', () => {
  it.each(taking('session'))('rejects an operator’s session: %s', async (_name, route) => {
    expect(await errorOf(await send(route, operator))).toMatchObject({
      status: 401,
      code: 'invalid_session',
    });
  });

  it('rejects an operator’s session also if it accepts keys', async () => {
    const response = await sendRequest(`/credits/key_${'0'.repeat(26)}`);
    expect(await errorOf(response)).toMatchObject({ status: 401, code: 'invalid_session' });
  });

  it.each(taking('api-key').filter(([, { endpoint }]) => endpoint !== 'get-credits'))(
    'rejects an operator’s session if it accepts only keys: %s',
    async (_name, route) => {
      // Errors of the Messages format have no code.
      const code = route.surface === 'messages' ? undefined : 'invalid_api_key';
      const rejection = await errorOf(await send(route, operator));
      expect([rejection.status, rejection.code]).toEqual([401, code]);
    },
  );
});

describe('a route of the operator’s view', () => {
  it.each(taking('operator'))(
    'rejects an owner’s session, a key and a missing credential: %s',
    async (_name, route) => {
      expect(await errorOf(await send(route, owner))).toMatchObject({ status: 401, code: 'invalid_session' });
      expect(await errorOf(await send(route, service.session.api_key))).toMatchObject({
        status: 401,
        code: 'invalid_session',
      });
      expect(await errorOf(await send(route, null))).toMatchObject({ status: 401, code: 'missing_session' });
    },
  );

  it.each(taking('operator').filter(([, { method }]) => method === 'GET'))(
    'responds to an operator: %s',
    async (_name, { path }) => {
      const response = await sendRequest(path);
      const text = await response.text();
      expect([response.status, text]).toEqual([200, expect.any(String)]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(text).not.toMatch(/https?:|127\.0\.0\.1|secretsmanager|base_url|env:/);
    },
  );
});

describe('the operator’s view', () => {
  it('shows the account of each person who has signed in, and none of a rejected operator', async () => {
    const ids = async () => {
      const response = await sendRequest('/api/v1/operator/accounts?limit=100');
      const { data } = (await response.json()) as { data: readonly { id: string }[] };
      return data.map(({ id }) => id).sort();
    };
    const { operators } = await service.admin<{ operators: readonly object[] }>('operators', 'list');
    expect(operators).toMatchObject([{ account_id: account }]);
    const before = await ids();
    expect(before).toContain(account);
    expect(await errorOf(await signIn('stranger@example.com', 'operator'))).toMatchObject({
      status: 403,
      code: 'operator_only',
    });
    expect(await ids()).toEqual(before);
  });

  it('counts dead letters by queue', async () => {
    const { data } = (await (await sendRequest('/api/v1/operator/dead-letters')).json()) as {
      data: object[];
    };
    const named = ['dead-events', 'dead-changes', 'dead-deliveries', 'exhausted-deliveries'];
    expect(data).toEqual(named.map((id) => ({ id, object: 'dead_letter_queue', messages: 0 })));
  });

  it('shows a seller with its sales, and whether the operator has paused its payouts', async () => {
    const [seller, buyer] = await Promise.all([Owner.open(service), Owner.open(service)]);
    await buyer.buy(20);
    await seller.sellTo(buyer, 1_500);
    const shown = async () => {
      const response = await sendRequest('/api/v1/operator/sellers?limit=100');
      const { data } = (await response.json()) as { data: readonly { readonly id: string }[] };
      expect(data.filter(({ id }) => id === buyer.id)).toEqual([]);
      return data.filter(({ id }) => id === seller.id);
    };
    const sales = { sold: 15, held: 0, returned: 0, paid_out: 0, payouts: [] };
    expect(await shown()).toMatchObject([{ object: 'seller_summary', ...sales, payouts_paused: false }]);
    await service.admin('seller', 'pause', '--account', seller.id);
    expect(await shown()).toMatchObject([{ ...sales, payouts_paused: true }]);
  });

  it('shows the usage that a route reported beyond the bound of a call, of which the caller pays the hold alone', async () => {
    const payer = await Payer.open(service, '1');
    const before = await payer.wallet();
    await service.fault({ usage: { prompt_tokens: 90_000, completion_tokens: 4 } });
    const response = await payer.post('/v1/chat/completions', {
      model: 'sim/chat',
      max_tokens: 8,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(response.status).toBe(200);
    const record = await payer.record(response);
    expect(record.input_units).toBeLessThan(1_000);
    expect(record).not.toHaveProperty('unbilled');
    expect((await payer.wallet()).balance).toBe(before.balance - nano(response, 'x-cost-usd'));
    const { data } = (await (await sendRequest('/api/v1/operator/routes?limit=100')).json()) as {
      data: readonly { readonly id: string; readonly unbilled: object | null }[];
    };
    // 0.15 USD a million tokens.
    const amount = ((90_000 - Number(record.input_units)) * 150) / 1e9;
    expect(data.find(({ id }) => id === 'sim-chat')?.unbilled).toMatchObject({ calls: 1, amount });
    expect(data.filter(({ unbilled }) => unbilled !== null)).toHaveLength(1);
    expect(service.output).toMatch(/a route counted more than the bound .*model=sim\/chat route=sim-chat/);
  });

  it('opens with a separate cookie, which a sign-out removes', async () => {
    const signedIn = await signIn(EMAIL, 'operator', { 'x-session-transport': 'cookie' });
    const [set = ''] = signedIn.headers.getSetCookie();
    expect(set).toMatch(
      /^__Host-operator=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=3600$/,
    );
    const headers = { cookie: set.split(';')[0] ?? '', 'x-requested-with': 'console' };
    const view = () => service.fetch('/api/v1/operator/audit', { key: null, headers });
    expect((await view()).status).toBe(200);
    const out = await service.fetch('/api/v1/operator/sign-out', { method: 'POST', key: null, headers });
    expect([out.status, out.headers.getSetCookie()]).toEqual([
      200,
      ['__Host-operator=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0'],
    ]);
    expect(await errorOf(await view())).toMatchObject({ status: 401, code: 'invalid_session' });
  });

  it('rejects a removed operator at once', async () => {
    expect((await sendRequest('/api/v1/operator/accounts')).status).toBe(200);
    await service.admin('operators', 'remove', account);
    for (const [, { path }] of taking('operator').filter(([, { method }]) => method === 'GET'))
      expect(await errorOf(await sendRequest(path))).toMatchObject({ status: 403, code: 'operator_only' });
    expect(await errorOf(await signIn(EMAIL, 'operator'))).toMatchObject({
      status: 403,
      code: 'operator_only',
    });
    expect((await sendRequest('/api/v1/auth/me', owner)).status).toBe(200);
  });
});
