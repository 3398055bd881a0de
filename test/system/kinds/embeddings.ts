import { beforeAll, describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import { nano, Payer } from '../payer.ts';
import { service } from './service.ts';

let payer: Payer;

beforeAll(async () => {
  payer = await Payer.open(service, '1');
}, 90_000);

const input = ['Grüße', '世界', 'the quick brown fox'];

const post = (body: object, headers?: Record<string, string>) => payer.post('/v1/embeddings', body, headers);

describe('embeddings: the official OpenAI SDK', () => {
  it('gets unit vectors in the order of the inputs, and pays for the tokens of the input alone', async () => {
    const before = await payer.wallet();
    const { data, response } = await payer.client.embeddings
      .create({ model: 'sim/embed', input, encoding_format: 'float' })
      .withResponse();
    expect(data).toMatchObject({ object: 'list', model: 'sim/embed' });
    expect(data.data.map(({ index, object }) => [index, object])).toEqual(
      input.map((_, index) => [index, 'embedding']),
    );
    for (const { embedding } of data.data) expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
    const { prompt_tokens: tokens, total_tokens: total } = data.usage;
    expect(tokens).toBeGreaterThan(0);
    expect(total).toBe(tokens);
    // 0.02 USD for a million tokens is 20 nano-dollars a token.
    expect(nano(response, 'x-cost-usd')).toBe(tokens * 20);
    expect(nano(response, 'x-balance-usd')).toBe(before.balance - tokens * 20);
    expect(response.headers.get('x-route')).toBe('sim-embed');
    expect(await payer.wallet()).toEqual({ balance: before.balance - tokens * 20, held: 0 });
    expect(await payer.record(response)).toMatchObject({
      model: 'sim/embed',
      kind: 'embeddings',
      unit: 'token',
      input_units: tokens,
      output_units: 0,
      cost: (tokens * 20) / 1e9,
      estimated: false,
      status: 'completed',
    });
  });

  it('gets the same vectors in its own encoding, for one input alone, and for its place in another batch', async () => {
    const floats = await payer.client.embeddings.create({
      model: 'sim/embed',
      input,
      encoding_format: 'float',
    });
    const decoded = await payer.client.embeddings.create({ model: 'sim/embed', input });
    expect(decoded.data).toEqual(floats.data);
    const reversed = await payer.client.embeddings.create({
      model: 'sim/embed',
      input: input.toReversed(),
      encoding_format: 'float',
    });
    expect(reversed.data.map(({ embedding }) => embedding).toReversed()).toEqual(
      floats.data.map(({ embedding }) => embedding),
    );
  });

  it('gets base64 of exactly the float vectors', async () => {
    const floats = await payer.client.embeddings.create({
      model: 'sim/embed',
      input,
      encoding_format: 'float',
    });
    const raw = (await (await post({ model: 'sim/embed', input, encoding_format: 'base64' })).json()) as {
      data: { embedding: string }[];
    };
    const decoded = raw.data.map(({ embedding }) => {
      const bytes = Buffer.from(embedding, 'base64');
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    });
    expect(decoded).toEqual(floats.data.map(({ embedding }) => embedding));
  });

  it('chooses the dimensions, sends token ids, and leaves the model to the catalog', async () => {
    const { data } = await payer.client.embeddings.create({
      model: 'sim/embed',
      input: [[1, 2, 3], [4]],
      dimensions: 64,
    });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
    const defaulted = (await (await post({ input: [1, 2, 3] })).json()) as OpenAI.CreateEmbeddingResponse;
    expect(defaulted).toMatchObject({ model: 'sim/embed', usage: { prompt_tokens: 3 } });
    expect(defaulted.data).toHaveLength(1);
  });
});

it('embeddings: returns a complete batch of 2048 inputs, larger than the limit of a buffered function', async () => {
  const response = await post({ input: Array.from({ length: 2048 }, (_, index) => `text ${index}`) });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text.length).toBeGreaterThan(6 * 1024 * 1024);
  expect((JSON.parse(text) as { data: unknown[] }).data).toHaveLength(2048);
});

describe('embeddings: a model of Bedrock', () => {
  it.each([
    ['that takes one text a call', 'sim/embed-bedrock', 'sim-embed-titan', 20],
    ['that takes 96 texts a call', 'sim/embed-bedrock-batch', 'sim-embed-cohere', 100],
  ])(
    '%s embeds a batch in its order, and Bedrock’s own count is paid',
    async (_name, model, route, price) => {
      const before = await payer.wallet();
      const batch = Array.from({ length: 200 }, (_, index) => `text ${index}`);
      const { data, response } = await payer.client.embeddings.create({ model, input: batch }).withResponse();
      expect(data.data.map(({ index }) => index)).toEqual(batch.map((_, index) => index));
      const [alone] = (await payer.client.embeddings.create({ model, input: 'text 150' })).data;
      expect(data.data[150]?.embedding).toEqual(alone?.embedding);
      expect(Math.hypot(...(alone?.embedding ?? []))).toBeCloseTo(1, 5);
      const { prompt_tokens: tokens } = data.usage;
      expect(response.headers.get('x-route')).toBe(route);
      expect(nano(response, 'x-cost-usd')).toBe(tokens * price);
      expect(nano(response, 'x-balance-usd')).toBe(before.balance - tokens * price);
      expect(await payer.record(response)).toMatchObject({ estimated: false, input_units: tokens });
    },
  );

  it('rejects token ids with an error that names the field, and pays nothing', async () => {
    const before = await payer.wallet();
    const response = await post({ model: 'sim/embed-bedrock', input: [[1, 2], [3]] });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_value', param: 'input' } },
    ]);
    expect(await payer.wallet()).toEqual(before);
  });

  it('costs nothing if it fails in the middle of a batch', async () => {
    const before = await payer.wallet();
    await payer.fault({ status: 500 }, { model: 'amazon.titan-embed-text-v2:0' });
    const response = await post({ model: 'sim/embed-bedrock', input: ['a', 'b', 'c'] });
    expect(response.status).toBe(503);
    expect(await payer.wallet()).toEqual(before);
  });
});

it('embeddings: a dead route is moved on from', async () => {
  const response = await post({ model: 'sim/embed-failover', input: 'a' });
  expect([response.status, response.headers.get('x-route')]).toEqual([200, 'sim-embed-live']);
});

it('embeddings: replays the response of a repeated call, and charges it once', async () => {
  const headers = { 'idempotency-key': 'embed-once' };
  const first = await post({ input: 'a' }, headers);
  const body = await first.text();
  const paid = await payer.wallet();
  const second = await post({ input: 'a' }, headers);
  expect([second.headers.get('idempotent-replayed'), await second.text()]).toEqual(['true', body]);
  expect(await payer.wallet()).toEqual(paid);
});

describe('embeddings: a rejected request, with no hold and no charge', () => {
  it.each([
    ['10,000 inputs', { input: Array.from({ length: 10_000 }, () => 'a') }, 'invalid_value', 'input'],
    ['no input', {}, 'missing_field', 'input'],
    ['an empty text', { input: '' }, 'invalid_value', 'input'],
    ['an empty array', { input: [] }, 'invalid_value', 'input'],
    ['an unknown encoding', { input: 'a', encoding_format: 'hex' }, 'invalid_value', 'encoding_format'],
    ['no dimensions', { input: 'a', dimensions: 0 }, 'invalid_value', 'dimensions'],
    ['a chat model', { input: 'a', model: 'sim/chat' }, 'model_not_found', 'model'],
  ])('%s', async (_name, body, code, param) => {
    const before = await payer.wallet();
    const response = await post(body);
    const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
    expect([response.status, error.code]).toEqual([400, code]);
    expect(error.param.startsWith(param)).toBe(true);
    expect(await payer.wallet()).toEqual(before);
  });

  it('returns 403 for a key without permission for embeddings', async () => {
    const chatter = await Payer.open(service, '1', { allowed_kinds: ['chat'] });
    const response = await chatter.post('/v1/embeddings', { input: 'a' });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { code: 'kind_not_allowed' } },
    ]);
  });
});

it.each([
  [{ garbage: true }, 'all_routes_failed'],
  [{ status: 500 }, 'all_routes_failed'],
  [{ cut_after_bytes: 200 }, 'all_routes_failed'],
])('embeddings: a route that fails by %j costs nothing', async (fault, code) => {
  const before = await payer.wallet();
  await payer.fault(fault);
  const response = await post({ input: 'a' });
  expect([response.status, await response.json()]).toMatchObject([503, { error: { code } }]);
  expect(await payer.wallet()).toEqual(before);
  expect(await service.admin('audit')).toMatchObject({ exact: true, held: 0 });
});

it('embeddings: estimates usage if a route reports none, and records that', async () => {
  await payer.fault({ no_usage: true });
  const response = await post({ input: 'a few words' });
  expect(await payer.record(response)).toMatchObject({ estimated: true, status: 'completed' });
});
