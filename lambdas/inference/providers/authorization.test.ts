import { describe, expect, it } from '@jest/globals';
import type { RequestSigner } from '../../platform/core/ports.ts';
import { nativePayload as anthropicPayload } from '../testing/providers/anthropic/fixtures.ts';
import { DEPENDENCIES, failureOf, routeOf } from '../testing/providers/http-calls.ts';
import { nativePayload as openAiPayload } from '../testing/providers/openai/fixtures.ts';
import { native as responsesPayload } from '../testing/providers/responses/fixtures.ts';
import { SIGNATURES } from '../testing/providers/sealing.ts';
import { createAnthropicProvider } from './anthropic/provider.ts';
import { sendRequest } from './kinds/openai-http.ts';
import { createOpenAiProvider } from './openai/provider.ts';
import { createResponsesProvider } from './responses/provider.ts';

type SignerInput = Parameters<RequestSigner>[0];

interface AuthorizedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const MESSAGES = [{ role: 'user', content: 'hi' }];
const PROVIDERS = {
  anthropic: [createAnthropicProvider, anthropicPayload({ max_tokens: 9, messages: MESSAGES }, false)],
  openai: [createOpenAiProvider, openAiPayload({ messages: MESSAGES }, false)],
  'openai-responses': [createResponsesProvider, responsesPayload({}, false)],
} as const;

/** An upstream that rejects every request, and what it receives. */
const rejecting =
  (requests: AuthorizedRequest[]): typeof fetch =>
  async (url, init) => {
    requests.push({ url: String(url), headers: init?.headers as AuthorizedRequest['headers'] });
    return new Response('{}', { status: 503 });
  };

/** Makes one call that the upstream rejects, and returns what it sends and what it signs. */
async function callTo(route: object, protocol: keyof typeof PROVIDERS, sign?: RequestSigner) {
  const signed: SignerInput[] = [];
  const requests: AuthorizedRequest[] = [];
  const [create, payload] = PROVIDERS[protocol];
  const provider = create({
    ...DEPENDENCIES,
    fetch: rejecting(requests),
    sign:
      sign ??
      (async (request) => {
        signed.push(request);
        return { ...request.headers, authorization: 'AWS4-HMAC-SHA256 …' };
      }),
  });
  const failure = await failureOf(
    provider.chat({
      route: routeOf({ protocol, upstream_model: 'm', ...route }),
      payload,
      identity: { id: 'x', model: 'a/m' },
      signatures: SIGNATURES,
      maxBytes: 1_000_000,
      signal: new AbortController().signal,
      traceparent: TRACEPARENT,
    }),
  );
  return { signed, sent: requests, failure };
}

const MANTLE = 'https://bedrock-mantle.us-east-1.api.aws';

describe('a signed call', () => {
  it('sends the span of its attempt, which the signature does not cover', async () => {
    for (const protocol of ['anthropic', 'openai', 'openai-responses'] as const) {
      const { signed, sent } = await callTo({ base_url: `${MANTLE}/v1`, auth: 'sigv4' }, protocol);
      expect(sent).toMatchObject([{ headers: { traceparent: TRACEPARENT } }]);
      expect(signed).toHaveLength(1);
      expect(signed[0]?.headers).not.toHaveProperty('traceparent');
    }
  });

  it.each([
    ['anthropic', `${MANTLE}/anthropic/v1`, '/messages', 'bedrock-mantle', 'us-east-1'],
    [
      'anthropic',
      'https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic/v1',
      '/messages',
      'bedrock',
      'eu-west-1',
    ],
    ['openai', `${MANTLE}/v1`, '/chat/completions', 'bedrock-mantle', 'us-east-1'],
    [
      'openai',
      'https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1',
      '/chat/completions',
      'bedrock',
      'us-west-2',
    ],
    ['openai-responses', `${MANTLE}/v1`, '/responses', 'bedrock-mantle', 'us-east-1'],
  ] as const)(
    'sends %s to %s with the service and region of its host',
    async (protocol, base, path, service, region) => {
      const { signed, sent } = await callTo({ base_url: base, auth: 'sigv4' }, protocol);
      expect(signed).toEqual([expect.objectContaining({ url: `${base}${path}`, service, region })]);
      expect(sent).toMatchObject([
        { url: `${base}${path}`, headers: { authorization: 'AWS4-HMAC-SHA256 …' } },
      ]);
      expect(sent[0]?.headers).not.toHaveProperty('x-api-key');
    },
  );

  it('identifies the service and region of the route if the host name contains neither', async () => {
    const routeFields = { base_url: 'http://127.0.0.1:9/v1', auth: 'sigv4', aws_service: 'bedrock-mantle' };
    expect((await callTo(routeFields, 'anthropic')).signed).toMatchObject([
      { service: 'bedrock-mantle', region: undefined },
    ]);
    const there = { ...routeFields, aws_region: 'ap-south-1' };
    expect((await callTo(there, 'openai')).signed).toMatchObject([{ region: 'ap-south-1' }]);
  });

  it('contains the version and the workspace of Messages, as a call with a key does', async () => {
    const base_url = 'https://aws-external-anthropic.us-west-2.api.aws/v1';
    const { signed, sent } = await callTo({ base_url, auth: 'sigv4', workspace: 'wrkspc_1' }, 'anthropic');
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-workspace-id': 'wrkspc_1' };
    expect(signed).toMatchObject([{ service: 'aws-external-anthropic', region: 'us-west-2', headers }]);
    expect(sent).toMatchObject([{ headers }]);
    const withKey = await callTo({ base_url, secret: 'env:KEY', workspace: 'wrkspc_1' }, 'anthropic');
    expect(withKey.sent).toMatchObject([{ headers: { ...headers, 'x-api-key': 'key-of-env:KEY' } }]);
    expect(withKey.signed).toEqual([]);
  });

  it('sends nothing without credentials, and permits another route', async () => {
    const route = { base_url: `${MANTLE}/anthropic/v1`, auth: 'sigv4' };
    const { failure, sent } = await callTo(route, 'anthropic', async () => {
      throw new Error('no credentials');
    });
    expect(failure).toMatchObject({ kind: 'secret', retryable: true });
    expect(sent).toEqual([]);
  });
});

describe('a call to Azure', () => {
  const V1 = { base_url: 'https://r.openai.azure.com/openai/v1', secret: 'env:KEY' };
  const DATED = { ...V1, base_url: 'https://r.openai.azure.com/openai', api_version: '2024-10-21' };

  it.each([
    ['openai', V1, 'https://r.openai.azure.com/openai/v1/chat/completions'],
    [
      'openai',
      { ...V1, api_version: 'preview' },
      'https://r.openai.azure.com/openai/v1/chat/completions?api-version=preview',
    ],
    [
      'openai',
      { ...DATED, upstream_model: 'my gpt/5' },
      'https://r.openai.azure.com/openai/deployments/my%20gpt%2F5/chat/completions?api-version=2024-10-21',
    ],
    ['openai-responses', DATED, 'https://r.openai.azure.com/openai/responses?api-version=2024-10-21'],
  ] as const)(
    'sends %s to the address of its version, with the key in the header of Azure: %j',
    async (protocol, route, url) => {
      const { sent } = await callTo({ ...route, auth: 'api-key' }, protocol);
      expect(sent).toMatchObject([{ url, headers: { 'api-key': 'key-of-env:KEY' } }]);
      expect(sent[0]?.headers).not.toHaveProperty('authorization');
    },
  );

  it.each(['openai', 'openai-responses', 'anthropic'] as const)(
    'sends %s with the token of Entra',
    async (protocol) => {
      const { sent } = await callTo({ ...V1, auth: 'entra' }, protocol);
      expect(sent).toMatchObject([{ headers: { authorization: 'Bearer entra-token-of-env:KEY' } }]);
      expect(sent[0]?.headers).not.toHaveProperty('x-api-key');
    },
  );

  it('sends nothing without a token, and permits another route', async () => {
    const { sent, failure } = await callTo({ ...V1, secret: 'env:ABSENT', auth: 'entra' }, 'openai');
    expect(failure).toMatchObject({ kind: 'secret', retryable: true });
    expect(sent).toEqual([]);
  });

  it('uses the address of its deployment also for embeddings', async () => {
    const requests: AuthorizedRequest[] = [];
    const route = routeOf(
      { protocol: 'openai', ...DATED, auth: 'api-key', upstream_model: 'embed' },
      'embeddings',
    );
    const signal = new AbortController().signal;
    const request = { route, path: '/embeddings', body: {}, signal } as const;
    await failureOf(sendRequest({ ...DEPENDENCIES, fetch: rejecting(requests) }, request));
    expect(requests).toMatchObject([
      {
        url: 'https://r.openai.azure.com/openai/deployments/embed/embeddings?api-version=2024-10-21',
        headers: { 'api-key': 'key-of-env:KEY' },
      },
    ]);
  });
});
