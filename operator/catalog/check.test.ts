import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UnbilledOfRoute } from '../../lambdas/ledger/core/ports.ts';
import { createSecretsClient } from '../../lambdas/platform/aws/clients.ts';
import { usdJson } from '../../lambdas/platform/core/money.ts';
import { wireServer } from '../../lambdas/platform/testing/connections/wire-server.ts';
import { createRouteAccess } from '../calls/route-access.ts';
import { checkCatalog } from './check.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const NOW = new Date('2026-11-22T12:00:00Z');

/** The lifecycles that Bedrock's control plane reports for the models that it knows. */
const LIFECYCLES: Readonly<Record<string, object>> = {
  'amazon.nova-lite-v1:0': { status: 'ACTIVE' },
  'vendor.legacy-v1:0': { status: 'LEGACY', endOfLifeTime: '2027-01-08T00:00:00Z' },
  'vendor.past-v1:0': { status: 'LEGACY', endOfLifeTime: '2026-11-01T00:00:00Z' },
};

const server = wireServer();
const { requests } = server;

/** Two pages of a provider's list of models in the format of Anthropic, one in that of OpenAI, and a control plane. */
function responseOf(
  path: string,
  query: URLSearchParams,
): { readonly status: number; readonly body: string } {
  const json = (body: object) => ({ status: 200, body: JSON.stringify(body) });
  if (path === '/openai/v1/models')
    return json({ object: 'list', data: [{ id: 'gpt-a' }, { id: 'models/gemini-a' }] });
  if (path === '/mantle/v1/models') return json({ data: [{ id: 'gpt-a' }, { id: 'anthropic.claude-a' }] });
  if (path === '/anthropic/v1/models')
    return query.get('after_id') === 'claude-a'
      ? json({ data: [{ id: 'claude-b' }], has_more: false, last_id: 'claude-b' })
      : json({ data: [{ id: 'claude-a' }], has_more: true, last_id: 'claude-a' });
  if (path === '/gemini/v1/models')
    return query.get('pageToken') === 'more'
      ? json({ models: [{ name: 'models/gemini-b' }] })
      : json({ models: [{ name: 'models/gemini-a' }], nextPageToken: 'more' });
  if (path === '/html/v1/models') return { status: 200, body: '<html>' };
  if (path === '/other/v1/models') return json({ models: [] });
  const [, id] = /^\/foundation-models\/(.+)$/.exec(path) ?? [];
  const lifecycle = id === undefined ? undefined : LIFECYCLES[decodeURIComponent(id)];
  if (lifecycle !== undefined) return json({ modelDetails: { modelLifecycle: lifecycle } });
  return { status: id === undefined ? 401 : 404, body: '{}' };
}

beforeAll(() => {
  server.respond = (response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://host');
    const { status, body } = responseOf(pathname, searchParams);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  process.env.CHECKED_KEY = 'sk-checked';
});
afterAll(() => {
  delete process.env.CHECKED_KEY;
});

/** A catalog of one model for each route, with the fields of `model`. */
const catalogOf = (routes: readonly object[], model: object = {}) => ({
  version: 'v',
  json: JSON.stringify({
    models: routes.map((route, at) => ({
      id: `m/${at}`,
      type: 'chat',
      owned_by: 'm',
      created: 0,
      price: { unit: 'per_million_tokens', input: 1, output: 1 },
      routes: [{ id: `r-${at}`, ...route }],
      ...model,
    })),
  }),
});

const access = createRouteAccess(
  {
    environment: {},
    client: { region: 'us-west-2', credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } },
  },
  // Never asked: every secret of these catalogs is in the environment.
  createSecretsClient({ region: 'us-west-2' }),
  SILENT,
);

interface CheckOutput {
  readonly counts: Readonly<Record<string, number>>;
  readonly routes: readonly {
    readonly state: string;
    readonly reason: string;
    readonly ends_on: string | null;
  }[];
  readonly warnings: readonly string[];
  readonly unbilled: readonly object[];
}

async function check(
  routes: readonly object[],
  bedrockUrl: string | null | undefined = server.origin,
  losses: readonly UnbilledOfRoute[] = [],
  model: object = {},
) {
  const operator = {
    catalog: async () => catalogOf(routes, model),
    routes: access,
    unbilled: async () => losses,
  };
  const { output, endedCount } = await checkCatalog(operator, { fetch, bedrockUrl, now: NOW });
  return { ...(output as unknown as CheckOutput), ended: endedCount };
}

const openai = (model: string, path = 'openai') => ({
  protocol: 'openai',
  base_url: `${server.origin}/${path}/v1`,
  upstream_model: model,
  secret: 'env:CHECKED_KEY',
});
const SIGNED = { auth: 'sigv4', aws_service: 'bedrock', secret: undefined };
const bedrock = (model: string) => ({ protocol: 'bedrock', upstream_model: model });

describe('catalog check', () => {
  it('suggests the factor of a model that covers what its routes reported beyond the bounds', async () => {
    const loss = { calls: 4, amount: 2_000_000n, factor: 1.337 };
    const { unbilled } = await check([openai('gpt-a')], server.origin, [
      { ...loss, route: 'r-0' },
      { ...loss, route: 'gone' },
    ]);
    expect(unbilled).toEqual([
      { model: 'm/0', route: 'r-0', calls: 4, amount: usdJson(2_000_000n), token_factor: 1.34 },
    ]);
  });

  it.each([
    [{ aliases: ['claude-sonnet-5-5'], max_output_tokens: 65_536 }, 1],
    [{ aliases: ['claude-sonnet-5-5'], max_output_tokens: 128_000 }, 0],
  ])(
    'warns of an alias of a known agent only if the model writes less than that requests: %j',
    async (model, count) => {
      const { warnings, ended } = await check([openai('gpt-a')], server.origin, [], model);
      expect({ count: warnings.length, ended }).toEqual({ count, ended: 0 });
    },
  );

  it('matches models with the lists of their providers, each read once with the key of the route', async () => {
    const { routes, counts } = await check([
      openai('gpt-a'),
      { ...openai('gpt-a'), protocol: 'openai-responses' },
      openai('gemini-a'),
      openai('gpt-gone'),
    ]);
    expect(routes.map(({ state, reason }) => [state, reason])).toEqual([
      ['alive', 'the provider lists it'],
      ['alive', 'the provider lists it'],
      ['alive', 'the provider lists it'],
      ['unknown', 'the provider does not list it'],
    ]);
    expect(counts).toEqual({ alive: 3, ended: 0, unknown: 1 });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-checked']);
  });

  it.each([
    ['anthropic', 'claude', { 'x-api-key': 'sk-checked', 'anthropic-version': '2023-06-01' }],
    ['gemini', 'gemini', { 'x-goog-api-key': 'sk-checked' }],
  ])('reads every page of a list of %s', async (protocol, name, headers) => {
    const models = ['a', 'b', 'c'].map((letter) => openai(`${name}-${letter}`, protocol));
    const { routes } = await check(models.map((route) => ({ ...route, protocol })));
    expect(routes.map(({ state }) => state)).toEqual(['alive', 'alive', 'unknown']);
    expect(requests).toMatchObject([{ headers }, { headers }]);
    for (const request of requests) expect(request.headers).not.toHaveProperty('authorization');
  });

  it('requests nothing for a route of Amazon Polly, which has no list of models', async () => {
    const { routes } = await check([{ protocol: 'polly', upstream_model: 'neural' }], server.origin, [], {
      type: 'tts',
      price: { unit: 'per_million_characters', character: 16 },
    });
    expect(routes).toMatchObject([
      { state: 'unknown', reason: expect.stringContaining('no list of models') },
    ]);
    expect(requests).toEqual([]);
  });

  it('requests the life cycle of each Bedrock model from AWS, signed, and reports the announced ends', async () => {
    const { routes, ended } = await check([
      bedrock('us.amazon.nova-lite-v1:0'),
      bedrock('vendor.legacy-v1:0'),
      bedrock('vendor.past-v1:0'),
      bedrock('amazon.nova-canvas-v1:0'),
      bedrock('vendor.none-v1:0'),
      { ...openai('amazon.nova-lite-v1:0'), ...SIGNED },
      {
        ...openai('amazon.nova-lite-v1:0'),
        ...SIGNED,
        protocol: 'openai-responses',
      },
    ]);
    expect(routes.map(({ state, ends_on }) => [state, ends_on])).toEqual([
      ['alive', null],
      ['alive', '2027-01-08'],
      ['ended', '2026-11-01'],
      ['ended', '2026-09-30'],
      ['unknown', null],
      ['alive', null],
      ['alive', null],
    ]);
    expect(ended).toBe(2);
    // One request for a model, none for one whose end is known.
    expect(requests.map(({ path }) => decodeURIComponent(path)).sort()).toEqual([
      '/foundation-models/amazon.nova-lite-v1:0',
      '/foundation-models/vendor.legacy-v1:0',
      '/foundation-models/vendor.none-v1:0',
      '/foundation-models/vendor.past-v1:0',
    ]);
    for (const { headers } of requests)
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/us-west-2\/bedrock\/aws4_request/,
      );
  });

  it('reports an unknown state if no server responds, or if the response is unexpected', async () => {
    const { routes } = await check([
      openai('m', 'refused'),
      openai('m', 'html'),
      openai('m', 'other'),
      { ...openai('m'), base_url: 'http://127.0.0.1:1/v1' },
      { ...openai('m'), secret: 'env:NOT_THERE' },
    ]);
    const host = new URL(server.origin).host;
    expect(routes.map(({ state, reason }) => [state, reason])).toEqual([
      ['unknown', `${host} answered 401`],
      ['unknown', `${host} did not answer with JSON`],
      ['unknown', 'the answer has another format'],
      ['unknown', '127.0.0.1:1 does not answer'],
      ['unknown', 'there is no secret env:NOT_THERE'],
    ]);
  });

  it('reads the models of bedrock-mantle and of Claude Platform on AWS from their lists, with signed requests', async () => {
    const mantle = { ...SIGNED, aws_service: 'bedrock-mantle', aws_region: 'eu-west-1' };
    const platform = { ...SIGNED, aws_service: 'aws-external-anthropic', workspace: 'wrkspc_1' };
    const { routes } = await check([
      { ...openai('gpt-a', 'mantle'), ...mantle },
      { ...openai('anthropic.claude-a', 'mantle/anthropic'), ...mantle, protocol: 'anthropic' },
      { ...openai('claude-b', 'anthropic'), ...platform, protocol: 'anthropic' },
      { ...openai('claude-z', 'anthropic'), ...platform, protocol: 'anthropic' },
    ]);
    expect(routes.map(({ state }) => state)).toEqual(['alive', 'alive', 'alive', 'unknown']);
    const signedFor = requests.map(({ path, headers }) => [
      path,
      /id\/\d{8}\/([^/]+\/[^/]+)\//.exec(headers.authorization ?? '')?.[1],
      headers['anthropic-workspace-id'],
    ]);
    expect(signedFor.sort()).toEqual([
      ['/anthropic/v1/models?limit=1000&after_id=claude-a', 'us-west-2/aws-external-anthropic', 'wrkspc_1'],
      ['/anthropic/v1/models?limit=1000', 'us-west-2/aws-external-anthropic', 'wrkspc_1'],
      ['/mantle/v1/models', 'eu-west-1/bedrock-mantle', undefined],
      ['/mantle/v1/models', 'eu-west-1/bedrock-mantle', undefined],
    ]);
  });

  it.each<[string, readonly object[], string | null | undefined, string]>([
    [
      'Azure, which lists no deployments',
      [{ auth: 'api-key' }, { auth: 'entra' }, { api_version: 'preview' }],
      undefined,
      'Azure lists models, not deployments',
    ],
    [
      'AWS for a local service',
      [bedrock('amazon.nova-lite-v1:0'), { ...SIGNED, aws_service: 'bedrock-mantle' }],
      null,
      'AWS is asked for a stage only',
    ],
  ])('sends no request to %s', async (_whom, routes, bedrockUrl, reason) => {
    const checked = await check(
      routes.map((route) => ({ ...('protocol' in route ? {} : openai('gpt-a', 'mantle')), ...route })),
      bedrockUrl,
    );
    for (const route of checked.routes) expect(route).toMatchObject({ state: 'unknown', reason });
    expect(requests).toEqual([]);
  });
});
