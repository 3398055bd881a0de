/**
 * Credentials, and the resources of the platform. Sign-in, rotations, payments and refunds are in `platform/accounts.ts`,
 * fields of listings, reviews and purchases in `platform/listings.ts`, and other accounts in `platform/isolation.ts`.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { form, wav } from '../../../tools/test-kit/recordings.ts';
import { expectError, expectMessagesError } from '../envelopes.ts';
import { Owner } from '../owner.ts';
import { caller, service } from './service.ts';

const hello = { model: 'sim/chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };

/** A call of each surface that needs a key. */
const CALLS: readonly (readonly [string, () => object])[] = [
  ['/v1/chat/completions', () => hello],
  ['/v1/messages', () => hello],
  ['/v1/embeddings', () => ({ input: 'a' })],
  ['/v1/images/generations', () => ({ model: 'sim/image', prompt: 'a fox', size: '512x512' })],
  ['/v1/audio/speech', () => ({ model: 'sim/tts', input: 'a' })],
  ['/v1/audio/transcriptions', () => form(wav(1.2), 'a.wav')],
];

const send = (path: string, body: object, headers: Record<string, string>) =>
  body instanceof FormData
    ? service.fetch(path, { method: 'POST', key: null, headers, body })
    : service.post(path, body, { key: null, headers });

describe.each(CALLS)('POST %s', (path, body) => {
  it.each<readonly [string, (key: string) => Record<string, string>]>([
    ['a bearer token', (key) => ({ authorization: `Bearer ${key}` })],
    ['X-API-Key', (key) => ({ 'x-api-key': key })],
  ])('accepts a key as %s', async (_words, headersOf) => {
    const response = await send(path, body(), headersOf(caller.key));
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  });

  it.each<readonly [string, Record<string, string>, string]>([
    ['is missing', {}, 'missing_api_key'],
    ['is not valid', { authorization: 'Bearer uis_nothing' }, 'invalid_api_key'],
    ['is not valid', { 'x-api-key': 'uis_nothing' }, 'invalid_api_key'],
  ])('rejects a call with 401 if the key %s: %j', async (_words, headers, code) => {
    const response = await send(path, body(), headers);
    if (path === '/v1/messages') await expectMessagesError(response, 401, 'authentication_error');
    else await expectError(response, 401, code, null);
  });
});

describe('the platform', () => {
  let owner: Owner;
  let listing: { readonly id: string };
  const LISTING = { name: 'Sea stories', summary: 'A story each day.', category: 'stories' };

  beforeAll(async () => {
    owner = await Owner.open(service);
    const response = await owner.send('POST', '/apps', { ...LISTING, slug: 'the-first' });
    listing = (await response.json()) as { id: string };
  });

  it.each(['/apps', '/ai-agents', '/categories', '/search?q=sea', '/trending'])(
    'shows everyone a list that has pages: GET %s',
    async (path) => {
      const response = await service.fetch(path, { key: null });
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { object: 'list', data: expect.any(Array) },
      ]);
    },
  );

  it.each<readonly [string, object, object]>([
    ['/api-keys', { name: 'a' }, { id: expect.any(String), key: expect.stringMatching(/^uis_/) }],
    [
      '/api/create-order',
      { amount: 5, currency: 'USD' },
      { order_id: expect.any(String), checkout_url: expect.any(String) },
    ],
    ['/apps', LISTING, { id: expect.any(String), kind: 'app' }],
    ['/ai-agents', LISTING, { id: expect.any(String), kind: 'ai-agent' }],
  ])('creates for a session, and returns 401 to others: POST %s', async (path, body, expected) => {
    const response = await owner.send('POST', path, body);
    expect([response.status, await response.json()]).toMatchObject([201, expected]);
    await expectError(await service.post(path, body, { key: null }), 401, 'missing_session', null);
  });

  it.each<readonly [string, object]>([
    ['/api-keys', { object: 'list', data: expect.any(Array) }],
    ['/api/v1/auth/me', { object: 'account', id: expect.any(String) }],
  ])('shows to a session, and returns 401 to others: GET %s', async (path, expected) => {
    expect(await owner.json(path)).toMatchObject(expected);
    await expectError(await service.fetch(path, { key: null }), 401, 'missing_session', null);
  });

  it('deletes an API key for its owner, and the key is not valid any more', async () => {
    const { id, key } = await owner.createKey({ name: 'short' });
    expect((await owner.send('DELETE', `/api-keys/${id}`)).status).toBe(200);
    await expectError(await service.fetch(`/credits/${key}`, { key }), 401, 'invalid_api_key', null);
  });

  it('shows a key its credit', async () => {
    const response = await service.fetch(`/credits/${caller.key}`, { key: caller.key });
    const credit = await response.json();
    expect([response.status, credit]).toMatchObject([200, { balance: expect.any(Number), currency: 'USD' }]);
    const calling = await service.fetch('/credits/me', { key: caller.key });
    expect([calling.status, await calling.json()]).toEqual([200, credit]);
    expect((await owner.fetch('/credits/me')).status).toBe(404);
  });

  it('changes and deletes a listing for its owner', async () => {
    const changed = await owner.send('PUT', `/apps/${listing.id}`, { summary: 'Another.' });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { id: listing.id, summary: 'Another.' },
    ]);
    expect((await owner.send('DELETE', `/apps/${listing.id}`)).status).toBe(200);
    expect((await service.fetch(`/apps/${listing.id}`, { key: null })).status).toBe(404);
  });
});

describe('a path or method that the interface does not have', () => {
  it.each<readonly [string, string, number, string, string | null]>([
    ['GET', '/v1/nothing', 404, 'unknown_path', null],
    ['GET', '/v1/chat/completions', 405, 'method_not_allowed', null],
    ['GET', '/apps/nothing', 404, 'not_found', 'id'],
    ['DELETE', '/v1/models', 405, 'method_not_allowed', null],
  ])('causes an error in the envelope: %s %s', async (method, path, status, code, param) => {
    const response = await service.fetch(path, { method, key: caller.key });
    await expectError(response, status, code, param);
  });
});
