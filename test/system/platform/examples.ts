/** The request bodies that `/openapi.json` prints, sent as they are printed: a path gets the ids of objects. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { wav } from '../../../tools/test-kit/recordings.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Owner } from '../owner.ts';
import { service } from './service.ts';

/** Sales mature while an operator's command runs, which is a process. */
type Body = Readonly<Record<string, unknown>>;
interface DescribedRequest {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: Body }>> };
}

/** The payment provider signs its own event, which passes unchanged. */
const SIGNED = 'POST /api/payments/{provider}/events';

let examples: ReadonlyMap<string, Body | undefined> = new Map();
const sent = new Set<string>([SIGNED]);

beforeAll(async () => {
  const document = await service.fetch('/openapi.json', { key: null });
  const { paths } = (await document.json()) as { paths: Record<string, Record<string, DescribedRequest>> };
  examples = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        Object.values(requestBody?.content ?? {}).map(
          ({ example }) => [`${method.toUpperCase()} ${path}`, example] as const,
        ),
      ),
    ),
  );
});

interface SendOptions {
  /** The ids in the path, or its query. */
  readonly ids?: readonly string[];
  readonly query?: string;
  /** A value that a caller has to replace. */
  readonly replaced?: Body;
  readonly status?: number;
}

/** Sends the example with a key or a session; returns the JSON of the response. */
async function send(
  key: string,
  request: string,
  { ids = [], query = '', replaced = {}, status = 200 }: SendOptions = {},
) {
  const example = examples.get(request);
  if (example === undefined) throw new Error(`${request} has no example`);
  sent.add(request);
  const [method = '', pattern = ''] = request.split(' ');
  const rest = [...ids];
  const path = pattern.replaceAll(/\{\w+\}/g, () => rest.shift() ?? '') + query;
  const body = JSON.stringify({ ...example, ...replaced });
  const headers = { 'content-type': 'application/json' };
  const response = await service.fetch(path, { method, key, headers, body });
  const text = await response.text();
  expect([request, response.status, text.slice(0, 500)]).toEqual([request, status, expect.any(String)]);
  return (text.startsWith('{') ? JSON.parse(text) : {}) as { readonly id: string };
}

describe('the examples of the description', () => {
  it('call a model of each kind', async () => {
    const { key } = await service.account('1');
    const calls = [...examples.keys()].filter((request) => request.startsWith('POST /v1/'));
    expect(calls).toHaveLength(9);
    for (const request of calls.filter((each) => !each.endsWith('/transcriptions'))) await send(key, request);
  });

  it('transcribe a file that the form has in addition', async () => {
    const { key } = await service.account('1');
    const request = 'POST /v1/audio/transcriptions';
    sent.add(request);
    const form = new FormData();
    for (const [name, value] of Object.entries(examples.get(request) ?? {})) form.set(name, `${value}`);
    expect(form.has('model')).toBe(true);
    form.set('file', new Blob([wav(1)]), 'a.wav');
    const response = await service.fetch('/v1/audio/transcriptions', { method: 'POST', key, body: form });
    expect(response.status).toBe(200);
  });

  it('manage keys, orders, alerts, telemetry and webhooks', async () => {
    const { session } = await Owner.open(service);
    const { id } = await send(session, 'POST /api-keys', { status: 201 });
    await send(session, 'PATCH /api-keys/{id}', { ids: [id] });
    await send(session, 'POST /api-keys/{id}/rotate', { ids: [id] });
    await send(session, 'POST /api/create-order', { status: 201 });
    await send(session, 'PUT /api/v1/alerts');
    await send(session, 'PUT /api/v1/telemetry');
    const webhook = await send(session, 'POST /api/v1/webhooks', { status: 201 });
    await send(session, 'PATCH /api/v1/webhooks/{id}', { ids: [webhook.id] });
    await send(session, 'POST /api/v1/webhooks/{id}/test', { ids: [webhook.id], status: 202 });
    await send(session, 'POST /api/v1/webhooks/{id}/recover', { ids: [webhook.id], status: 202 });
    await send(session, 'POST /api/v1/auth/sign-out');
  });

  it('sign in with a token in place of the placeholder, which no provider has given', async () => {
    await send('', 'POST /api/v1/auth/{identity_provider}', { ids: ['local'], status: 401 });
  });

  it.each(['apps', 'ai-agents'])('publish, sell and review a listing of /%s', async (section) => {
    const [owner, buyer, subscriber] = await Promise.all([1, 2, 3].map(() => Owner.open(service)));
    if (owner === undefined || buyer === undefined || subscriber === undefined) throw new Error('no owners');
    await Promise.all([buyer.buy(40), subscriber.buy(20)]);
    const at = `/${section}/{id}`;
    const { id } = await send(owner.session, `POST /${section}`, { status: 201 });
    const ids = [id];
    await send(owner.session, `PUT ${at}`, { ids });
    await send(owner.session, `PUT /${section}`, { query: `?id=${id}` });
    await send(owner.session, `POST ${at}/releases`, { ids, status: 201 });
    await send(owner.session, `POST ${at}/builds`, { ids, status: 201 });
    const charge = await send(buyer.session, `POST ${at}/purchase`, { ids, status: 201 });
    await send(buyer.session, `POST ${at}/reviews`, { ids, status: 201 });
    const subscription = await send(subscriber.session, `POST ${at}/subscribe`, { ids, status: 201 });
    await send(subscriber.session, 'PATCH /api/v1/subscriptions/{id}', { ids: [subscription.id] });
    await send(owner.session, 'POST /api/v1/refunds', { replaced: { charge: charge.id }, status: 201 });
  });

  it('pay a seller', async () => {
    const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
    await buyer.buy(20);
    await seller.sellTo(buyer, 2_000);
    await until(
      async () => {
        await service.admin('market', 'run');
        return seller.json<{ readonly available: number }>('/api/v1/earnings');
      },
      ({ available }) => available === 20,
    );
    await send(seller.session, 'POST /api/v1/earnings/transfer', { status: 201 });
    const account = await send(seller.session, 'POST /api/v1/payout-account');
    const { onboarding_url: url } = account as unknown as { readonly onboarding_url: string };
    await fetch(`${url}/finish`, { method: 'POST', redirect: 'manual' });
    // The first payout waits for twice the maturity.
    await until(
      () => seller.send('POST', '/api/v1/payouts', examples.get('POST /api/v1/payouts')),
      ({ status }) => status === 201,
    );
    sent.add('POST /api/v1/payouts');
  });

  it('cover each body, and each was sent', () => {
    expect([...examples.keys()].filter((request) => !sent.has(request))).toEqual([]);
  });
});
