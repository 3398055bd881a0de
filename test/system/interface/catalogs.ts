/** The public catalogs, the index and the health of the service: no key, no body. */
import { describe, expect, it } from '@jest/globals';
import { RELEASE } from '../../../lambdas/platform/contract/release.ts';
import { service } from './service.ts';

const read = async (path: string) => {
  const response = await service.fetch(path, { key: null });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const rowsOf = (list: unknown) => list as readonly Readonly<Record<string, unknown>>[];

const TYPES = ['audio', 'chat', 'embeddings', 'image', 'tts'];

/** The resources of the platform, with the methods that the index lists for each. */
const PLATFORM = {
  '/api/v1/auth/{identity_provider}': ['POST'],
  '/api/v1/auth/me': ['GET'],
  '/api-keys': ['GET', 'POST', 'DELETE'],
  '/credits/{api_key}': ['GET'],
  '/api/create-order': ['POST'],
  '/health': ['GET'],
  '/ai-agents': ['GET', 'POST', 'PUT', 'DELETE'],
  '/apps': ['GET', 'POST', 'PUT', 'DELETE'],
  '/categories': ['GET'],
  '/search': ['GET'],
  '/trending': ['GET'],
};

const INFERENCE = {
  '/v1/chat/completions': ['POST'],
  '/v1/messages': ['POST'],
  '/v1/embeddings': ['POST'],
  '/v1/images/generations': ['POST'],
  '/v1/audio/speech': ['POST'],
  '/v1/audio/transcriptions': ['POST'],
  '/v1/models': ['GET'],
  '/api/v1/models': ['GET'],
  '/api/v1/webhooks': ['POST'],
};

describe('the catalog for SDKs', () => {
  it('lists models with their type, which no client needs', async () => {
    const { status, body } = await read('/v1/models');
    expect([status, body.object]).toEqual([200, 'list']);
    for (const entry of rowsOf(body.data))
      expect(entry).toMatchObject({
        id: expect.any(String),
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
        type: expect.stringMatching(`^(${TYPES.join('|')})$`),
      });
    expect([...new Set(rowsOf(body.data).map(({ type }) => type))].sort()).toEqual(TYPES);
  });
});

describe('the catalog with prices', () => {
  it('counts its models, and has a price and a unit for each', async () => {
    const { status, body } = await read('/api/v1/models');
    const models = rowsOf(body.models);
    expect([status, body.count]).toEqual([200, models.length]);
    for (const entry of models)
      expect(entry).toMatchObject({
        model_id: expect.any(String),
        model: expect.any(String),
        type: expect.stringMatching(`^(${TYPES.join('|')})$`),
        price: expect.any(Number),
        unit: expect.any(String),
      });
    const unitOf = (id: string) => models.find(({ model }) => model === id)?.unit;
    expect([unitOf('sim/chat'), unitOf('sim/tts')]).toEqual(['per_million_tokens', 'per_million_tokens']);
    expect(unitOf('sim/stt')).toBe('per_minute');
  });

  it('lists the same models as the catalog for SDKs', async () => {
    const ids = rowsOf((await read('/v1/models')).body.data).map(({ id }) => id);
    const priced = rowsOf((await read('/api/v1/models')).body.models).map(({ model }) => model);
    expect(priced.sort()).toEqual(ids.sort());
  });
});

describe('the index of the gateway', () => {
  it('states its own version, those of the interface and the product, and the limits', async () => {
    const { status, body } = await read('/');
    expect([status, body]).toMatchObject([
      200,
      { version: '3.0.0', interface_version: '1.1.0', release: RELEASE, limits: expect.any(Object) },
    ]);
    expect(JSON.stringify(body.limits)).toContain('200');
  });

  it.each(Object.entries({ ...INFERENCE, ...PLATFORM }))('lists %s with %s', async (path, methods) => {
    const endpoints = rowsOf((await read('/')).body.endpoints).filter((endpoint) => endpoint.path === path);
    expect(endpoints.map(({ method }) => method)).toEqual(expect.arrayContaining(methods));
    for (const { purpose } of endpoints) expect(purpose).toEqual(expect.stringMatching(/\w/));
  });
});

it('the health check states the release, and needs no key', async () => {
  expect(await read('/health')).toMatchObject({ status: 200, body: { status: 'ok', version: RELEASE } });
});
