import { describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import { errorOf, nano, Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '1');

const input = ['Grüße', '世界', 'the quick brown fox'];

const post = (body: object) => payer.post('/v1/embeddings', body);

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

it('embeddings: a batch of 2048 inputs returns complete, above the limit of a buffered function', async () => {
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
    'returns the vectors of a batch in order, and costs the tokens that Bedrock counted: %s',
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

  it('costs nothing if it fails in the middle of a batch', async () => {
    const before = await payer.wallet();
    await service.fault({ status: 500 }, { model: 'amazon.titan-embed-text-v2:0' });
    const response = await post({ model: 'sim/embed-bedrock', input: ['a', 'b', 'c'] });
    expect(response.status).toBe(503);
    expect(await payer.wallet()).toEqual(before);
  });
});

const FAULTS = [{ garbage: true }, { status: 500 }, { cut_after_bytes: 200 }];

it.each(FAULTS)('embeddings: a route that fails by %j costs nothing', async (fault) => {
  const before = await payer.wallet();
  await service.fault(fault);
  const response = await post({ input: 'a' });
  expect(await errorOf(response)).toMatchObject({ status: 503, code: 'all_routes_failed' });
  expect(await payer.wallet()).toEqual(before);
  expect(await service.audit()).toMatchObject({ exact: true, held: 0 });
});

it('embeddings: the service estimates usage if a route reports none, and records that', async () => {
  await service.fault({ no_usage: true });
  const response = await post({ input: 'a few words' });
  expect(await payer.record(response)).toMatchObject({ estimated: true, status: 'completed' });
});
