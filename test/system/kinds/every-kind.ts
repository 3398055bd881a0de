/** The behavior that embeddings, images and speech share: at a dead route, a rejected request and a repeated call. */
import { describe, expect, it } from '@jest/globals';
import { errorOf, Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const KINDS = {
  embeddings: { path: '/v1/embeddings', model: 'sim/embed', valid: { input: 'a' } },
  images: { path: '/v1/images/generations', model: 'sim/image', valid: { prompt: 'a fox' } },
  speech: { path: '/v1/audio/speech', model: 'sim/tts', valid: { input: 'hello' } },
};
type Kind = keyof typeof KINDS;

const send = (kind: Kind, fields: object = {}, headers?: Record<string, string>, by = payer) => {
  const { path, model, valid } = KINDS[kind];
  return by.post(path, { model, ...valid, ...fields }, headers);
};

it.each(Object.keys(KINDS) as Kind[])('%s: a dead route is moved on from', async (kind) => {
  const { model } = KINDS[kind];
  const response = await send(kind, { model: `${model}-failover` });
  expect([response.status, response.headers.get('x-route')]).toEqual([
    200,
    `${model.replace('/', '-')}-live`,
  ]);
  // Settled by the time the last byte is here.
  await response.arrayBuffer();
});

it.each(Object.keys(KINDS) as Kind[])(
  '%s: a field that no route lists is left out, named and not charged, and an error if all fields are required',
  async (kind) => {
    const plain = await send(kind);
    await plain.arrayBuffer();
    const fields = { steps: 150, num_images: 4, style_notes: 'long '.repeat(500), extra_body: [{ n: 4 }] };
    const response = await send(kind, fields);
    await response.arrayBuffer();
    expect(response.headers.get('x-ignored-fields')).toBe(Object.keys(fields).join(','));
    expect(response.headers.get('x-cost-usd')).toBe(plain.headers.get('x-cost-usd'));
    const [received, other] = (await service.received()).slice(-2).map(({ body }) => body ?? {});
    expect(received).toEqual(other);
    expect(
      await errorOf(await send(kind, { ...fields, provider: { require_parameters: true } })),
    ).toMatchObject({
      status: 400,
      code: 'unsupported_by_model',
      message: expect.stringContaining('num_images'),
    });
  },
);

const TOO_MANY = Array.from({ length: 10_000 }, () => 'a');

describe('a rejected request, with no hold and no charge', () => {
  it.each<[Kind, string, object, string, string]>([
    ['embeddings', '10,000 inputs', { input: TOO_MANY }, 'invalid_value', 'input'],
    ['embeddings', 'no input', { input: undefined }, 'missing_field', 'input'],
    ['embeddings', 'an empty text', { input: '' }, 'invalid_value', 'input'],
    ['embeddings', 'an empty array', { input: [] }, 'invalid_value', 'input'],
    ['embeddings', 'an unknown encoding', { encoding_format: 'hex' }, 'invalid_value', 'encoding_format'],
    ['embeddings', 'no dimensions', { dimensions: 0 }, 'invalid_value', 'dimensions'],
    ['embeddings', 'another kind of model', { model: 'sim/chat' }, 'model_not_found', 'model'],
    ['images', 'size 1x1', { size: '1x1' }, 'invalid_value', 'size'],
    ['images', 'addresses of the vendor', { response_format: 'url' }, 'invalid_value', 'response_format'],
    ['images', 'n 0', { n: 0 }, 'invalid_value', 'n'],
    ['images', 'n 5', { n: 5 }, 'invalid_value', 'n'],
    ['images', 'no prompt', { prompt: undefined }, 'missing_field', 'prompt'],
    ['images', 'an empty prompt', { prompt: '' }, 'invalid_value', 'prompt'],
    ['images', 'no model', { model: undefined }, 'missing_field', 'model'],
    ['images', 'another kind of model', { model: 'sim/tts' }, 'model_not_found', 'model'],
    ['images', 'events', { stream: true }, 'invalid_value', 'stream'],
    ['speech', 'a voice that the catalog does not have', { voice: 'nobody' }, 'invalid_value', 'voice'],
    [
      'speech',
      'a voice that the route does not have',
      { model: 'sim/tts-failover', voice: 'nobody' },
      'invalid_value',
      'voice',
    ],
    ['speech', 'no input', { input: undefined }, 'missing_field', 'input'],
    ['speech', 'an empty input', { input: '' }, 'invalid_value', 'input'],
    ['speech', 'another format', { response_format: 'flac' }, 'invalid_value', 'response_format'],
    ['speech', 'events', { stream_format: 'sse' }, 'invalid_value', 'stream_format'],
    ['speech', 'another kind of model', { model: 'sim/stt' }, 'model_not_found', 'model'],
  ])('%s: %s', async (kind, _what, fields, code, param) => {
    const before = await payer.wallet();
    const error = await errorOf(await send(kind, fields));
    expect(error).toMatchObject({ status: 400, code, param: expect.stringMatching(`^${param}`) });
    expect(await payer.wallet()).toEqual(before);
  });

  it('embeddings: a key for another kind', async () => {
    const chatter = await Payer.open(service, '1', { allowed_kinds: ['chat'] });
    const response = await send('embeddings', {}, {}, chatter);
    expect(await errorOf(response)).toMatchObject({ status: 403, code: 'kind_not_allowed' });
  });
});

describe('a repeated call', () => {
  it.each([
    ['embeddings', {}],
    ['images', { size: '512x512', response_format: 'b64_json' }],
  ] as const)('%s: replays the response and is paid once', async (kind, fields) => {
    const headers = { 'idempotency-key': `${kind}-once` };
    const first = await (await send(kind, fields, headers)).text();
    const paid = await payer.wallet();
    const second = await send(kind, fields, headers);
    expect([second.headers.get('idempotent-replayed'), await second.text()]).toEqual(['true', first]);
    expect(await payer.wallet()).toEqual(paid);
  });

  it('speech: is an error, because a stream is not stored', async () => {
    const headers = { 'idempotency-key': 'speech-once' };
    await (await send('speech', {}, headers)).arrayBuffer();
    const again = await send('speech', {}, headers);
    expect(await errorOf(again)).toMatchObject({ status: 400, code: 'idempotency_key_reused' });
  });
});
