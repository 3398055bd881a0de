import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { until as untilFound } from '../../tools/test-kit/waiting.ts';
import { Service } from './service.ts';

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly status: string;
  readonly created: number;
}

interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly next_attempt: string | null;
  readonly attempts: readonly { readonly response_status: number; readonly response_body: string }[];
}

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

interface ReceivedEvent {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Never found in what the service prints. */
const CANARY = 'a-buyer-nobody-may-log';

let service: Service;
let owner: { readonly id: string; readonly key: string };
let stranger: { readonly id: string; readonly key: string };
let receiver: Server;
let hook = '';
const received: ReceivedEvent[] = [];
const secrets: string[] = [];

/** Status by path; 200 for others. */
const statuses = new Map<string, number>();

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    const headers = request.headers as Record<string, string>;
    received.push({ path, headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(statuses.get(path) ?? 200).end(`answer of ${path}`);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  service = new Service({
    WEBHOOK_ALLOW_LOOPBACK: '1',
    QUEUE_VISIBILITY_SECONDS: '3',
    DELIVERY_CLAIM_SECONDS: '2',
  });
  await service.start();
  [owner, stranger] = await Promise.all([service.account('0'), service.account('0')]);
});

afterAll(async () => {
  await service.dispose();
  receiver.closeAllConnections();
  receiver.close();
});

async function call<T>(method: string, path: string, body?: object, key: string | null = owner.key) {
  const url = `/api/v1/webhooks${path}`;
  const response = await (body === undefined
    ? service.fetch(url, { method, key })
    : service.post(url, body, { method, key }));
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

async function subscribe(path: string, events = ['purchase.completed']): Promise<Webhook> {
  const { status, body } = await call<Webhook>('POST', '', { url: `${hook}${path}`, events });
  expect(status).toBe(201);
  secrets.push(body.secret);
  return body;
}

const sale = { listing_id: 'lst_1', buyer_id: CANARY, amount: 500, currency: 'USD' };

function publish(id: string, type = 'purchase.completed', data: object = sale, accountId = owner.id) {
  const args = ['--type', type, '--account', accountId, '--data', JSON.stringify(data), '--id', id];
  return service.admin('event', 'publish', ...args);
}

const hits = (path: string, id?: string) =>
  received.filter((one) => one.path === path && (id === undefined || one.headers['webhook-id'] === id));

const until = (condition: () => boolean | Promise<boolean>) => untilFound(condition, Boolean);

const deliveriesOf = async (id: string) => (await call<Page<Delivery>>('GET', `/${id}/deliveries`)).body.data;

/** Each official package, as it is. */
function verifyAll({ headers, body }: ReceivedEvent, secret: string): void {
  const event = { ...JSON.parse(body) };
  expect(Stripe.webhooks.constructEvent(body, headers['x-service-signature'] ?? '', secret)).toEqual(event);
  new SvixWebhook(secret).verify(body, headers);
  expect(new StandardWebhook(secret).verify(body, headers)).toEqual(event);
}

describe('a webhook', () => {
  it('shows its secret only at its creation, and can be listed, changed and ended', async () => {
    const webhook = await subscribe('/made');
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_/),
      object: 'webhook',
      url: `${hook}/made`,
      events: ['purchase.completed'],
      status: 'active',
      created: expect.any(Number),
      secret: expect.stringMatching(/^whsec_/),
    });
    const { secret: _, ...shown } = webhook;
    expect((await call<Page<Webhook>>('GET', '')).body.data).toContainEqual(shown);
    expect((await call('GET', `/${webhook.id}`)).body).toMatchObject({ ...shown, stats: { deliveries: 0 } });
    const changes = { events: ['review.created'], status: 'disabled', url: `${hook}/changed` };
    const changed = await call<Webhook>('PATCH', `/${webhook.id}`, changes);
    expect(changed.body).toEqual({ ...shown, ...changes, disabled_reason: 'owner' });
    expect((await call('DELETE', `/${webhook.id}`)).body).toMatchObject({ id: webhook.id, deleted: true });
    expect((await call('GET', `/${webhook.id}`)).status).toBe(404);
    expect((await call('DELETE', `/${webhook.id}`)).status).toBe(404);
  });

  it('accepts an API key on its routes, and the response shows the requests that the key has left', async () => {
    expect((await call('GET', '', undefined, null)).status).toBe(401);
    expect((await call('POST', '', { url: 'x' }, 'uis_forged')).status).toBe(401);
    expect((await call('GET', '')).headers.get('x-ratelimit-remaining-requests')).toMatch(/^\d+$/);
    expect((await call('PUT', '')).status).toBe(405);
  });
});

describe('an event', () => {
  it('arrives signed, again after a failure, and with both secrets during a rotation', async () => {
    statuses.set('/failing', 500);
    const well = await subscribe('/well');
    const failing = await subscribe('/failing');
    expect(await publish('evt_first')).toEqual({ id: 'evt_first' });
    await until(() => hits('/well').length === 1 && hits('/failing').length === 1);
    const [first] = hits('/well') as [ReceivedEvent];
    verifyAll(first, well.secret);
    expect(JSON.parse(first.body)).toEqual({
      id: 'evt_first',
      type: 'purchase.completed',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      data: sale,
    });
    expect(() => verifyAll({ ...first, body: first.body.replace('500', '501') }, well.secret)).toThrow();
    expect(() => verifyAll(first, failing.secret)).toThrow();

    const rotated = await call<{ secret: string }>('POST', `/${failing.id}/rotate-secret`);
    secrets.push(rotated.body.secret);
    statuses.delete('/failing');
    await until(() => hits('/failing').length === 2);
    const [before, after] = hits('/failing') as [ReceivedEvent, ReceivedEvent];
    expect(after.body).toBe(before.body);
    expect(after.headers['x-service-delivery-attempt']).toBe('2');
    expect(after.headers['x-service-signature']?.match(/v1=/g)).toHaveLength(2);
    verifyAll(before, failing.secret);
    verifyAll(after, failing.secret);
    verifyAll(after, rotated.body.secret);
    await until(async () => (await deliveriesOf(failing.id))[0]?.status === 'delivered');
    const [delivery] = await deliveriesOf(failing.id);
    expect(delivery).toMatchObject({ event_id: 'evt_first', attempt_count: 2, next_attempt: null });
    expect(delivery?.attempts.map(({ response_status }) => response_status)).toEqual([500, 200]);
    expect(delivery?.attempts[0]?.response_body).toBe('answer of /failing');
    expect((await call('GET', `/${failing.id}`)).body).toMatchObject({
      stats: { deliveries: 1, delivered: 1, success_rate: 1, last_failure: { response_status: 500 } },
    });
  });

  it('changes nothing if it is published again under its id', async () => {
    const { id } = await subscribe('/once', ['review.created']);
    await publish('evt_once', 'review.created', { stars: 5 });
    await until(() => hits('/once').length === 1);
    await publish('evt_once', 'review.created', { stars: 1 });
    const late = await subscribe('/late', ['review.created']);
    await publish('evt_once', 'review.created', { stars: 1 });
    await publish('evt_other', 'review.created', { stars: 4 });
    await until(() => hits('/once').length === 2 && hits('/late').length === 1);
    expect(hits('/once').map(({ headers }) => headers['webhook-id'])).toEqual(['evt_once', 'evt_other']);
    expect(await deliveriesOf(id)).toHaveLength(2);
    expect(await deliveriesOf(late.id)).toHaveLength(1);
  });

  it('supports test deliveries and redelivery on request, and the list of deliveries has pages', async () => {
    const { id } = await subscribe('/tested');
    const tests = await Promise.all([1, 2, 3].map(() => call<Delivery>('POST', `/${id}/test`)));
    expect(tests.map(({ status }) => status)).toEqual([202, 202, 202]);
    await until(() => hits('/tested').length === 3);
    const event = JSON.parse(hits('/tested')[0]?.body ?? '{}');
    expect(event).toMatchObject({ type: 'purchase.completed', data: { amount: 0, test: true } });
    expect(event.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const [chosen] = await deliveriesOf(id);
    await until(async () => (await deliveriesOf(id)).every(({ status }) => status === 'delivered'));
    const again = await call<Delivery>('POST', `/${id}/deliveries/${chosen?.id}/redeliver`);
    expect(again.status).toBe(202);
    await until(() => hits('/tested', chosen?.event_id).length === 2);
    const bodies = new Set(hits('/tested', chosen?.event_id).map(({ body }) => body));
    expect(bodies.size).toBe(1);
    const firstPage = (await call<Page<Delivery>>('GET', `/${id}/deliveries?limit=2`)).body;
    const secondPage = await call<Page<Delivery>>(
      'GET',
      `/${id}/deliveries?limit=2&cursor=${firstPage.next_cursor}`,
    );
    expect([...firstPage.data, ...secondPage.body.data].map((one) => one.id).sort()).toEqual(
      tests.map(({ body }) => body.id).sort(),
    );
    expect(secondPage.body.next_cursor).toBeNull();
  });
});

describe('another account', () => {
  it('receives nothing of a webhook, and cannot read its deliveries through its own webhook', async () => {
    const { id } = await subscribe('/private', ['payout.paid']);
    const test = await call<Delivery>('POST', `/${id}/test`);
    await until(() => hits('/private').length === 1);
    expect(hits('/private')).toHaveLength(1);
    const created = await call<Webhook>(
      'POST',
      '',
      { url: `${hook}/stranger`, events: ['payout.paid'] },
      stranger.key,
    );
    await publish('evt_payout', 'payout.paid', { amount: 1 });
    await until(() => hits('/private', 'evt_payout').length === 1);
    // The stranger's own event, published after the other, shows that their webhook hears what is theirs.
    await publish('evt_own', 'payout.paid', { amount: 2 }, stranger.id);
    await until(() => hits('/stranger', 'evt_own').length === 1);
    expect(hits('/stranger')).toHaveLength(1);
    const borrowed = `/${created.body.id}/deliveries/${test.body.id}/redeliver`;
    expect((await call('POST', borrowed, undefined, stranger.key)).status).toBe(404);
  });
});

describe('the service', () => {
  it('delivers after a crash what it had planned, and brings back what was given up', async () => {
    statuses.set('/crash', 503);
    const { id } = await subscribe('/crash', ['release.created']);
    await publish('evt_crash', 'release.created', { version: '1' });
    await until(async () => (await deliveriesOf(id))[0]?.attempt_count === 1);
    await service.stop('SIGKILL');
    statuses.set('/crash', 410);
    await service.start();
    await until(() => hits('/crash').length === 2);
    await until(async () => (await deliveriesOf(id))[0]?.status === 'dead');
    expect((await call('GET', `/${id}`)).body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect((await call('POST', `/${id}/recover`, { since: 0 })).status).toBe(409);
    statuses.delete('/crash');
    await call('PATCH', `/${id}`, { status: 'active' });
    const recovered = await call('POST', `/${id}/recover`, {
      since: new Date(Date.now() - 60_000).toISOString(),
    });
    expect(recovered).toMatchObject({ status: 202, body: { recovered: 1, next_since: null } });
    await until(async () => (await deliveriesOf(id))[0]?.status === 'delivered');
    expect(hits('/crash').map(({ headers }) => headers['x-service-delivery-attempt'])).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('prints no secret, no payload and no error', () => {
    expect(secrets.length).toBeGreaterThan(5);
    expect(service.output).toContain('requestId=req_');
    for (const secret of secrets) expect(service.output).not.toContain(secret);
    expect(service.output).not.toContain(CANARY);
    expect(service.output).not.toMatch(/IAM denied|AccessDenied|ERROR/);
  });
});
