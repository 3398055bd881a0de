/**
 * The limits of keys. Caps and rates of conversations with the exceptions of the SDKs are in `boundaries/errors.ts`, changes of
 * a policy in `conversations/chat.ts`, the limit of an address in `lifecycle.test.ts`, and the size of files in
 * `kinds/uploads.ts`.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { form, wav } from '../../../tools/test-kit/recordings.ts';
import { withinOneMinute } from '../../../tools/test-kit/waiting.ts';
import { expectError } from '../envelopes.ts';
import { Owner } from '../owner.ts';
import { service } from './service.ts';

const hello = { model: 'sim/chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };

/** A call of each kind that a policy can allow. */
const CALLS: readonly (readonly [string, string, () => object])[] = [
  ['chat', '/v1/chat/completions', () => hello],
  ['image', '/v1/images/generations', () => ({ model: 'sim/image', prompt: 'a fox', size: '512x512' })],
  ['tts', '/v1/audio/speech', () => ({ model: 'sim/tts', input: 'a' })],
  ['audio', '/v1/audio/transcriptions', () => form(wav(1.2), 'a.wav')],
  ['embeddings', '/v1/embeddings', () => ({ model: 'sim/embed', input: 'a' })],
];

const send = (path: string, body: object, key: string) =>
  body instanceof FormData
    ? service.fetch(path, { method: 'POST', key, body })
    : service.post(path, body, { key });

describe('the owner of an account', () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await Owner.open(service);
    await service.admin('credit', 'grant', '--account', owner.id, '--amount', '5');
  });
  const keyWith = async (policy?: object) => (await owner.createKey({ name: 'k', policy })).key;

  it.each(CALLS)('allows a key the kind %s alone', async (kind, path, body) => {
    const response = await send(path, body(), await keyWith({ allowed_kinds: [kind] }));
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    const others = ['chat', 'image', 'tts', 'audio', 'embeddings'].filter((other) => other !== kind);
    const key = await keyWith({ allowed_kinds: others });
    await expectError(await send(path, body(), key), 403, 'kind_not_allowed', null);
  });

  it.each(CALLS)('allows a key other models than those of the kind %s', async (_kind, path, body) => {
    const key = await keyWith({ allowed_models: ['sim/chat-large'] });
    await expectError(await send(path, body(), key), 403, 'model_not_allowed', 'model');
  });

  it.each(CALLS)('limits the spending of a key by day and by month: %s', async (_kind, path, body) => {
    for (const period of ['daily_usd', 'monthly_usd']) {
      const key = await keyWith({ [period]: 0.000_000_001 });
      await expectError(await send(path, body(), key), 402, `${period}_exceeded`, null);
    }
  });

  it('limits the tokens of a key by minute', async () => {
    const response = await send('/v1/chat/completions', hello, await keyWith({ tpm: 1 }));
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    await expectError(response, 429, 'tokens_per_minute', null);
  });

  it('leaves a key without a policy 100 requests in a minute, over all instances', async () => {
    const { responses } = await withinOneMinute(async () => {
      const key = await keyWith();
      const responses: Response[] = [];
      while (responses.length < 104)
        responses.push(
          ...(await Promise.all(
            Array.from({ length: 4 }, () => [
              send('/v1/embeddings', { input: 'a' }, key),
              send('/v1/chat/completions', hello, key),
            ]).flat(),
          )),
        );
      return { responses };
    });
    const [rejected] = responses.filter(({ status }) => status === 429);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(100).fill(200), ...Array(4).fill(429)]);
    expect(await rejected?.json()).toMatchObject({
      error: { type: 'rate_limit_error', code: 'requests_per_minute' },
    });
  });
});

describe('an account without credit', () => {
  it.each(CALLS)('receives 402: %s', async (_kind, path, body) => {
    const { key } = await service.account('0');
    await expectError(await send(path, body(), key), 402, 'insufficient_credit', null);
  });
});

describe('a failing route', () => {
  it('causes 503 with the type of the interface and a time to retry after, if every other one fails', async () => {
    const { key } = await service.account('1');
    const response = await send('/v1/chat/completions', { ...hello, model: 'sim/chat-down' }, key);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { type: 'service_unavailable' } },
    ]);
  });

  it('stays unseen if another one is left', async () => {
    const { key } = await service.account('1');
    expect((await send('/v1/chat/completions', { ...hello, model: 'sim/chat-failover' }, key)).status).toBe(
      200,
    );
  });
});
