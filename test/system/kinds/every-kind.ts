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

it.each(Object.keys(KINDS) as Kind[])(
  'a call of %s continues on the next route if a route does not respond',
  async (kind) => {
    const { model } = KINDS[kind];
    const response = await send(kind, { model: `${model}-failover` });
    expect([response.status, response.headers.get('x-route')]).toEqual([
      200,
      `${model.replace('/', '-')}-live`,
    ]);
    // Settled by the time the last byte is here.
    await response.arrayBuffer();
  },
);

it.each(Object.keys(KINDS) as Kind[])(
  'a call of %s omits a field that no route lists, names it at no charge, and fails if it requires all fields',
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

describe('a repeated call', () => {
  it.each([
    ['embeddings', {}],
    ['images', { size: '512x512', response_format: 'b64_json' }],
  ] as const)('receives the stored response of %s, and costs nothing more', async (kind, fields) => {
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
