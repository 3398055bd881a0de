import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { service } from './service.ts';

let account: { readonly id: string; readonly key: string };

beforeAll(async () => {
  account = await service.account('5');
}, 90_000);

const request = (text: string, fields: object = {}) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content: `Repeat exactly: ${text}` }],
  ...fields,
});

const send = (body: object, idempotencyKey: string, key = account.key) =>
  service.chat(body, { key, headers: { 'idempotency-key': idempotencyKey } });

const control = (path: string, init: RequestInit = {}) =>
  fetch(`${service.session.upstream_control_url}${path}`, {
    ...init,
    headers: { 'content-type': 'application/json' },
  });

const queueFault = (fault: object, times = 1) =>
  control('/faults', { method: 'POST', body: JSON.stringify({ fault, times }) });

/** Returns the number of upstream requests that contain a text. */
async function upstreamCalls(text: string): Promise<number> {
  const { requests } = (await (await control('/requests')).json()) as { requests: { body: unknown }[] };
  return requests.filter(({ body }) => JSON.stringify(body).includes(text)).length;
}

const balance = async () =>
  (await service.admin<{ balance: number }>('wallet', 'show', '--account', account.id)).balance;

async function receiptOf(response: Response): Promise<unknown> {
  const url = `${service.session.base_url}/v1/usage/${response.headers.get('x-request-id')}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${account.key}` } })).json();
}

describe('a repeated call with the same Idempotency-Key', () => {
  it('returns the stored response byte for byte, reaches no route and is not billed again', async () => {
    const first = await send(request('replay me'), 'key-1');
    const text = await first.text();
    const before = await balance();
    const second = await send(request('replay me'), 'key-1');
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await second.text()).toBe(text);
    expect(second.headers.get('x-ratelimit-remaining-requests')).not.toBeNull();
    expect(await balance()).toBe(before);
    expect(await upstreamCalls('replay me')).toBe(1);
    const other = await send(request('replayed never'), 'key-once');
    const receipts = await Promise.all([first, other].map((response) => receiptOf(response)));
    expect(receipts).toMatchObject([{ replayed: expect.any(Number) }, { replayed: null }]);
  });

  it('fails with another body', async () => {
    await send(request('one body'), 'key-2');
    const response = await send(request('another body'), 'key-2');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'idempotency_key_reused', param: 'Idempotency-Key' },
    });
  });

  it('belongs to its API key alone', async () => {
    const other = await service.account('1');
    await send(request('mine'), 'key-3');
    const response = await send(request('mine'), 'key-3', other.key);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
    expect(response.status).toBe(200);
  });

  it('runs again after a failure, which frees the key', async () => {
    await queueFault({ status: 500 });
    expect((await send(request('second time lucky'), 'key-4')).status).toBe(503);
    const response = await send(request('second time lucky'), 'key-4');
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
  });

  it('makes one upstream call and one charge of fifty at once', async () => {
    await queueFault({ wait_after_chunks: 0 });
    const before = await balance();
    const pendingResponses = Array.from({ length: 50 }, () => send(request('storm-a'), 'key-5'));
    await until(
      () => upstreamCalls('storm-a'),
      (calls) => calls > 0,
    );
    await control('/faults', { method: 'DELETE' });
    const responses = await Promise.all(pendingResponses);
    const strings = await Promise.all(responses.map((response) => response.text()));
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(strings).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
    expect(await upstreamCalls('storm-a')).toBe(1);
    const cost = responses.find(({ headers }) => headers.has('x-cost-usd'))?.headers.get('x-cost-usd');
    expect(before - (await balance())).toBeCloseTo(Number(cost), 9);
  });

  it('replays large responses too', async () => {
    const body = request('', {
      max_tokens: 16_000,
      n: 12,
      messages: [{ role: 'user', content: 'write 15000 words' }],
    });
    const text = await (await send(body, 'key-large')).text();
    expect(text.length).toBeGreaterThan(700_000);
    const again = await send(body, 'key-large');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(text);
  });

  it('a malformed one is named', async () => {
    for (const bad of ['x'.repeat(256), 'with space']) {
      const response = await send(request('x'), bad);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: 'invalid_value', param: 'Idempotency-Key' },
      });
    }
  });
});

describe('a streamed call', () => {
  it('uses its key up: a second call fails, and one of fifty concurrent calls succeeds', async () => {
    const body = request('storm-b', { stream: true });
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(body, 'key-6')));
    const strings = await Promise.all(responses.map((response) => response.text()));
    const completed = responses.flatMap(({ status }, index) => (status === 200 ? [strings[index]] : []));
    expect(completed).toHaveLength(1);
    expect(completed[0]).toContain('data: [DONE]');
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(49);
    expect(JSON.parse(strings[responses.findIndex(({ status }) => status === 400)] ?? '')).toMatchObject({
      error: { code: 'idempotency_key_reused' },
    });
    expect(await upstreamCalls('storm-b')).toBe(1);
  });

  it('frees the key if it fails before its first byte', async () => {
    await queueFault({ status: 500 });
    const body = request('stream again', { stream: true });
    expect((await send(body, 'key-7')).status).toBe(503);
    expect((await send(body, 'key-7')).status).toBe(200);
  });
});

describe('a call of the Responses API', () => {
  const respond = (text: string, fields: object, idempotencyKey: string) =>
    service.fetch('/v1/responses', {
      method: 'POST',
      key: account.key,
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ model: 'sim/chat', input: `Repeat exactly: ${text}`, ...fields }),
    });

  it('returns the stored response byte for byte, including ids that are sealed tokens, and is not billed again', async () => {
    const first = await respond('replay a response', {}, 'key-8');
    const text = await first.text();
    expect({ status: first.status, text }).toMatchObject({ status: 200 });
    const before = await balance();
    const second = await respond('replay a response', {}, 'key-8');
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.text()).toBe(text);
    expect(await balance()).toBe(before);
    expect(await upstreamCalls('replay a response')).toBe(1);
  });

  it('uses its key up where it is streamed', async () => {
    const first = await respond('stream a response', { stream: true }, 'key-9');
    expect(await first.text()).toContain('event: response.completed');
    const second = await respond('stream a response', { stream: true }, 'key-9');
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
  });
});
