/** Maintenance mode at every entry of the running service; with `COMPUTE=host`, models are served by the shared host. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { oneService } from './one-service.ts';
import { type CreatedOrder, Owner } from './owner.ts';
import { errorOf, Payer } from './payer.ts';

const service = oneService();
const payer = Payer.ofTests(service, '1');
let owner: Owner;
let order: CreatedOrder;

const CHAT = { model: 'sim/chat', messages: [{ role: 'user', content: 'Repeat exactly: open' }] };
const REPLAYED = { 'idempotency-key': 'before' };

const chat = (headers: Record<string, string> = {}) => payer.post('/v1/chat/completions', CHAT, headers);
const createKey = () => owner.send('POST', '/api-keys', { name: 'k' });
const createOrder = () => owner.send('POST', '/api/create-order', { amount: 5, currency: 'USD' });
const balance = async () => (await service.wallet(owner.id)).balance;

/** Requests that change something, in processes that have served such a request before. */
const CHANGES: readonly (readonly [
  string,
  (headers?: Record<string, string>) => Promise<Response>,
  number,
])[] = [
  ['a chat call', chat, 200],
  ['a chat call that was completed before', () => chat(REPLAYED), 200],
  ['a key', createKey, 201],
  ['an order', createOrder, 201],
];

const untilStatus = (send: () => Promise<Response>, wanted: number) =>
  until(send, ({ status }) => status === wanted);

const stopped: readonly (readonly [string, Route])[] = ROUTES.filter(
  ({ method }: Route) => method !== 'GET',
).map((route: Route) => [`${route.method} ${route.path}`, route]);

beforeAll(async () => {
  owner = await Owner.open(service);
  order = await owner.order(10);
  for (const [, send, status] of CHANGES) expect((await send()).status).toBe(status);
});

describe('a closed service', () => {
  let stream: Promise<string>;

  beforeAll(async () => {
    await service.fault({ wait_after_chunks: 1 });
    const response = await payer.post('/v1/chat/completions', { ...CHAT, stream: true });
    expect(response.status).toBe(200);
    stream = response.text();
    const closed = await service.admin('close', '--reason', 'a drill');
    expect(closed).toMatchObject({ closed: true, reason: 'a drill' });
  });

  it.each(CHANGES)(
    'rejects %s at the latest when the view of the process is 5 s old',
    async (_name, send) => {
      const response = await untilStatus(send, 503);
      expect(response.headers.get('retry-after')).toBe('30');
      expect(await errorOf(response)).toMatchObject({ code: 'maintenance', type: 'service_unavailable' });
    },
  );

  it.each(stopped)(
    'rejects %s in the envelope of its API, without a key or a session',
    async (_name, route) => {
      const path = route.path.replaceAll(/\{[^}]+\}/g, 'x');
      const response = await untilStatus(
        () => service.fetch(path, { method: route.method, key: null, body: '{}' }),
        503,
      );
      expect(response.headers.get('retry-after')).toBe('30');
      const type = 'service_unavailable';
      const message = expect.stringContaining('closed for maintenance');
      expect(await response.json()).toMatchObject(
        route.surface === 'messages'
          ? { type: 'error', error: { type, message } }
          : { error: { type, code: 'maintenance', message, param: null } },
      );
    },
  );

  it('responds to GET', async () => {
    const paths = ['/v1/models', '/v1/usage', `/credits/${payer.key}`, '/health', '/apps', '/console'];
    for (const path of paths)
      expect([path, (await service.fetch(path, { key: payer.key })).status]).toEqual([path, 200]);
    expect((await owner.fetch('/api-keys')).status).toBe(200);
  });

  it('lets a stream that started before end, and settles it', async () => {
    await service.endFaults();
    expect(await stream).toContain('data: [DONE]');
    expect(await service.audit()).toMatchObject({ exact: true, held: 0 });
  });

  it('rejects the event of a payment, which the payment provider repeats', async () => {
    const paid = await fetch(order.checkout_url, { method: 'POST', redirect: 'manual' });
    expect(paid.status).toBe(303);
    expect(await owner.json(`/api/orders/${order.order_id}`)).toMatchObject({ status: 'pending' });
    expect(await balance()).toBe(0);
  });

  it('obeys the operator’s commands', async () => {
    const { id } = await service.admin<{ id: string }>('key', 'create', '--account', owner.id);
    expect(await service.admin('key', 'revoke', '--key', id)).toMatchObject({ status: 'revoked' });
  });

  it('remains closed with the first reason if it is closed again', async () => {
    expect(await service.admin('close', '--reason', 'another')).toMatchObject({ reason: 'a drill' });
  });

  it('stays closed after a restart', async () => {
    await service.stop();
    await service.start();
    expect((await chat()).status).toBe(503);
  });
});

describe('a service that is open again', () => {
  beforeAll(async () => {
    expect(await service.admin('open')).toEqual({ closed: false });
  });

  it.each(CHANGES)('accepts %s', async (_name, send, status) => {
    expect((await untilStatus(send, status)).status).toBe(status);
  });

  it('credits the payment of the closed time exactly once', async () => {
    await until(
      () => owner.json(`/api/orders/${order.order_id}`),
      ({ status }) => status === 'paid',
    );
    expect(await balance()).toBe(10);
    expect(await service.audit()).toMatchObject({ exact: true, drift: 0 });
  });
});
