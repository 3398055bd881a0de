import { describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { nano, Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const request = (text: string, fields: object = {}) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content: `Repeat exactly: ${text}` }],
  ...fields,
});

const send = (body: object, idempotencyKey: string) =>
  payer.post('/v1/chat/completions', body, { 'idempotency-key': idempotencyKey });

/** Returns the number of upstream requests that contain a text. */
async function upstreamCalls(text: string): Promise<number> {
  const requests = await service.received();
  return requests.filter(({ body }) => JSON.stringify(body).includes(text)).length;
}

describe('a repeated call with the same Idempotency-Key', () => {
  it('returns the stored response byte for byte, reaches no route and is not billed again', async () => {
    const first = await send(request('replay me'), 'key-1');
    const text = await first.text();
    const before = await payer.wallet();
    const second = await send(request('replay me'), 'key-1');
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await second.text()).toBe(text);
    expect(second.headers.get('x-cost-usd')).toBe('0');
    expect(second.headers.get('x-ratelimit-remaining-requests')).not.toBeNull();
    expect(await payer.wallet()).toEqual(before);
    expect(await upstreamCalls('replay me')).toBe(1);
    const other = await send(request('replayed never'), 'key-once');
    const receipts = await Promise.all([first, other].map((response) => payer.record(response)));
    expect(receipts).toMatchObject([{ replayed: expect.any(Number) }, { replayed: null }]);
  });

  it('runs again after a failure, which frees the key', async () => {
    await service.fault({ status: 500 });
    expect((await send(request('second time lucky'), 'key-4')).status).toBe(503);
    const response = await send(request('second time lucky'), 'key-4');
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
  });

  it('makes one upstream call and one charge of fifty at once', async () => {
    await service.fault({ wait_after_chunks: 0 });
    const before = await payer.wallet();
    const pendingResponses = Array.from({ length: 50 }, () => send(request('storm-a'), 'key-5'));
    await until(
      () => upstreamCalls('storm-a'),
      (calls) => calls > 0,
    );
    await service.endFaults();
    const responses = await Promise.all(pendingResponses);
    const strings = await Promise.all(responses.map((response) => response.text()));
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(strings).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
    expect(await upstreamCalls('storm-a')).toBe(1);
    const [paid] = responses.filter(({ headers }) => !headers.has('idempotent-replayed'));
    const balance = before.balance - (paid === undefined ? 0 : nano(paid, 'x-cost-usd'));
    expect(balance).toBeLessThan(before.balance);
    expect(await payer.wallet()).toEqual({ balance, held: 0 });
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
    await service.fault({ status: 500 });
    const body = request('stream again', { stream: true });
    expect((await send(body, 'key-7')).status).toBe(503);
    expect((await send(body, 'key-7')).status).toBe(200);
  });
});

describe('a call of the Responses API', () => {
  it('returns the stored response byte for byte, including ids that are sealed tokens, and is not billed again', async () => {
    const body = { model: 'sim/chat', input: 'Repeat exactly: replay a response' };
    const respond = () => payer.post('/v1/responses', body, { 'idempotency-key': 'key-8' });
    const first = await respond();
    const text = await first.text();
    expect({ status: first.status, text }).toMatchObject({ status: 200 });
    const before = await payer.wallet();
    const second = await respond();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.text()).toBe(text);
    expect(await payer.wallet()).toEqual(before);
    expect(await upstreamCalls('replay a response')).toBe(1);
  });
});
