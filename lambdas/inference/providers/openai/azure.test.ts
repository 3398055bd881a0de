import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startUpstream, type Upstream } from '../../../../tools/simulators/models/server.ts';
import type { Provider } from '../../core/upstream/provider.ts';
import { createAccessTokens } from '../../store/access-tokens.ts';
import { DEPENDENCIES, eventsOf, failureOf, routeOf } from '../../testing/providers/http-calls.ts';
import { IDENTITY, nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { native } from '../../testing/providers/responses/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { createResponsesProvider } from '../responses/provider.ts';
import { createOpenAiProvider } from './provider.ts';

let azure: Upstream;
beforeAll(async () => {
  azure = await startUpstream({ chunkDelayMs: 0 });
});
afterAll(() => azure.close());

const clientOf = (client_secret: string) =>
  JSON.stringify({ tenant_id: 'contoso', client_id: 'app', client_secret, authority: `${azure.url}/entra` });

const readSecret = async (reference: string) =>
  ({ 'env:KEY': 'k', 'env:CLIENT': clientOf('sim-client-secret'), 'env:WRONG': clientOf('wrong') })[
    reference
  ] ?? '';

const dependencies = {
  ...DEPENDENCIES,
  readSecret,
  readToken: createAccessTokens({ fetch, readSecret, clock: Date.now }).read,
};
const chat = createOpenAiProvider(dependencies);
const responses = createResponsesProvider(dependencies);

const send = (provider: Provider, fields: object, content = 'Say exactly: hi', stream = false) => {
  const messages = [{ role: 'user', content }];
  return provider.chat({
    route: routeOf({ protocol: 'openai', upstream_model: 'sim-gpt', ...fields }),
    payload:
      provider === responses ? native({ input: content }, stream) : nativePayload({ messages }, stream),
    identity: IDENTITY,
    signatures: SIGNATURES,
    maxBytes: 1_000_000,
    signal: AbortSignal.timeout(10_000),
  });
};

const KEY = { auth: 'api-key', secret: 'env:KEY' };
const ENTRA = { auth: 'entra', secret: 'env:CLIENT' };
const v1 = () => ({ base_url: `${azure.url}/azure/openai/v1` });
const dated = () => ({ base_url: `${azure.url}/azure/openai`, api_version: '2024-10-21' });

describe('a call to Azure OpenAI', () => {
  it.each([
    ['below v1 with a key', v1, KEY],
    ['below v1 of a preview with a key', () => ({ ...v1(), api_version: 'preview' }), KEY],
    ['below v1 by Entra', v1, ENTRA],
    ['of a deployment with a key', dated, KEY],
    ['of a deployment by Entra', dated, ENTRA],
  ])('succeeds %s', async (_name, authority, auth) => {
    const response = await send(chat, { ...authority(), ...auth });
    expect(response).toMatchObject({ kind: 'json', outputText: 'hi' });
    // What the filter says of prompt and answer is left out.
    expect(JSON.stringify(response)).not.toContain('filter_results');
  });

  it.each([
    ['below v1', v1],
    ['with a dated version, which has no deployment in this path', dated],
  ])('succeeds in the Responses format %s', async (_name, authority) => {
    const route = { ...authority(), ...KEY, protocol: 'openai-responses' };
    expect(await send(responses, route)).toMatchObject({ kind: 'json', outputText: 'hi' });
  });

  it.each<[string, () => object, object, number]>([
    ['a deployment that is not there', v1, { ...KEY, upstream_model: 'gpt-none' }, 404],
    ['a deployment of a path that is not there', dated, { ...KEY, upstream_model: 'gpt/none' }, 404],
    ['an unknown version', dated, { ...KEY, api_version: 'preview' }, 404],
    ['a dated version below v1', v1, { ...KEY, api_version: '2024-10-21' }, 400],
    ['no version', () => ({ base_url: `${azure.url}/azure/openai/deployments/sim-gpt` }), KEY, 404],
    ['a key as OpenAI takes it', dated, { secret: 'env:KEY' }, 401],
  ])('fails for %s', async (_name, authority, fields, status) => {
    expect(await failureOf(send(chat, { ...authority(), ...fields }))).toMatchObject({
      kind: 'status',
      status,
    });
  });

  it('fails before it is sent if Entra rejects the client, and another route can be attempted', async () => {
    const failure = await failureOf(send(chat, { ...v1(), auth: 'entra', secret: 'env:WRONG' }));
    expect(failure).toMatchObject({ kind: 'secret', retryable: true });
    expect(String((failure as Error & { cause?: unknown }).cause)).toContain('Microsoft Entra returned 401');
  });

  it('returns 400 if the filter stops the prompt, so that the caller changes it', async () => {
    for (const [provider, protocol] of [
      [chat, 'openai'],
      [responses, 'openai-responses'],
    ] as const) {
      const failure = await failureOf(
        send(provider, { ...v1(), ...KEY, protocol }, 'Please filter this prompt.'),
      );
      expect(failure).toMatchObject({ status: 400, retryable: false });
      expect((failure as { rejection?: unknown }).rejection).toMatchObject({ filtered: true });
    }
  });

  it('ends as filtered if the filter stops the output, complete and streamed', async () => {
    const prompt = 'Filter this answer: write 50 words.';
    const response = await send(chat, { ...v1(), ...KEY }, prompt);
    expect(response).toMatchObject({
      completeResponse: {
        body: { choices: [{ finish_reason: 'content_filter', message: { content: null } }] },
      },
    });
    const events = await eventsOf(send(chat, { ...dated(), ...KEY }, prompt, true));
    const choices = events.flatMap(
      ({ nativeEvent }) => (nativeEvent?.choices as { finish_reason: unknown }[]) ?? [],
    );
    expect(choices.map((each) => each.finish_reason)).toEqual([null, null, null, null, 'content_filter']);
  });
});
