import { describe, expect, it } from '@jest/globals';
import { CheckFailure } from '../../core/smoke-test/check.ts';
import type { SmokeClient, SmokeRequest, SmokeResponse } from '../../core/smoke-test/client.ts';
import { type RunSmokeDependencies, runSmoke } from './consumer.ts';

const route = (capabilities: readonly string[]) => ({
  id: 'acme',
  protocol: 'openai',
  base_url: 'https://models.example.com/v1',
  upstream_model: 'chat-1',
  secret: 'env:ACME_KEY',
  capabilities,
});
const chat = (id: string, price: number, capabilities = ['stream']) => ({
  id,
  type: 'chat',
  owned_by: 'acme',
  created: 1_760_000_000,
  display_name: id,
  context_window: 8_000,
  max_output_tokens: 1_000,
  price: { unit: 'per_million_tokens', input: price, output: price },
  routes: [{ ...route(capabilities), id: id.replace('/', '-') }],
});
const catalog = (...models: readonly object[]) => JSON.stringify({ models });

const RESPONSE = {
  choices: [{ message: { role: 'assistant', content: 'a secret answer' } }],
  usage: { completion_tokens: 2 },
};
const STREAM = 'data: {"choices":[]}\n\ndata: [DONE]\n\n';

/** A service that answers calls of chat well, but for what `broken` throws or answers instead. */
function serviceOf(broken: (request: SmokeRequest, path: string) => string | undefined = () => undefined) {
  const request: SmokeRequest[] = [];
  const smokeResponse = (json: unknown, text: string): SmokeResponse => ({
    json,
    text,
    headers: new Headers({ 'x-route': 'acme' }),
    bytes: new TextEncoder().encode(text),
  });
  const call = async (path: string, each: SmokeRequest = {}): Promise<SmokeResponse> => {
    if (path !== '/health') request.push(each);
    const instead = broken(each, path);
    if (instead !== undefined) return smokeResponse({}, instead);
    return smokeResponse(RESPONSE, STREAM);
  };
  const client: SmokeClient = { inference: call, platform: call };
  return { client, sent: request };
}

/** A run, and everything that it reports. */
async function run(client: SmokeClient | undefined, json: string | undefined, models?: string) {
  const lines: unknown[] = [];
  let now = 0;
  const note = (message: string, fields: object = {}) => void lines.push({ message, ...fields });
  const dependencies: RunSmokeDependencies = {
    models,
    readCatalog: async () => (json === undefined ? undefined : { json }),
    openClient: async () => client,
    clock: () => {
      now += 5;
      return now;
    },
    log: { info: note, warn: note, error: note },
  };
  const found = await runSmoke(dependencies)().catch((failure: Error) => failure.message);
  return { found, lines };
}

const passed = (...steps: readonly string[]) => ({ passed: ['health', ...steps] });
const failed = (...steps: readonly string[]) => `the smoke test failed: ${steps.join(', ')}`;

const isStream = ({ json }: SmokeRequest) => Object(json).stream === true;
const modelsOf = (request: readonly SmokeRequest[]) => request.map(({ json }) => Object(json).model);

describe('a scheduled smoke test', () => {
  it('makes a call and a stream to the cheapest chat model', async () => {
    const { client, sent } = serviceOf();
    const models = [chat('acme/dear', 9), chat('acme/cheap', 1), chat('acme/usual', 5)];
    const { found } = await run(client, catalog(...models));
    expect(found).toEqual(passed('chat', 'chat stream'));
    expect(modelsOf(sent)).toEqual(['acme/cheap', 'acme/cheap']);
  });

  it('makes them of each model that is named', async () => {
    const { client, sent } = serviceOf();
    const models = [chat('acme/dear', 9), chat('acme/cheap', 1), chat('acme/usual', 5)];
    await run(client, catalog(...models), 'acme/usual,acme/dear');
    expect(modelsOf(sent)).toEqual(['acme/usual', 'acme/usual', 'acme/dear', 'acme/dear']);
  });

  it('names the step that fails, and makes the others', async () => {
    const { client } = serviceOf((request) => {
      if (modelsOf([request])[0] !== undefined && !isStream(request))
        throw new CheckFailure('all_routes_failed', 'the words of an upstream');
      return undefined;
    });
    const { found, lines } = await run(client, catalog(chat('acme/chat', 1)));
    expect(found).toBe(failed('chat'));
    expect(lines).toContainEqual({
      message: 'a smoke test failed',
      step: 'chat',
      model: 'acme/chat',
      code: 'all_routes_failed',
      route: undefined,
      ms: 5,
    });
    expect(JSON.stringify(lines)).not.toMatch(/words of an upstream|secret answer/);
  });

  it.each([
    ['has no end', 'data: {"choices":[]}\n\n', 'unexpected'],
    ['has no events', '', 'unexpected'],
    ['ends in an error', 'data: {"error":{"code":"stream_broken"}}\n\ndata: [DONE]\n\n', 'stream_broken'],
  ])('detects a stream that %s', async (_what, text, code) => {
    const { client } = serviceOf((request) => (isStream(request) ? text : undefined));
    const { found, lines } = await run(client, catalog(chat('acme/chat', 1)));
    expect(found).toBe(failed('chat stream'));
    expect(lines).toContainEqual(expect.objectContaining({ step: 'chat stream', code }));
  });

  it('transcribes English within 90 seconds', async () => {
    const audio = { id: 'acme/stt', type: 'audio', owned_by: 'acme', created: 1 };
    const price = { unit: 'per_minute', minute: 0.006 };
    const models = [{ ...audio, price, routes: [route([])] }];
    const { client, sent } = serviceOf();
    await run(client, catalog(...models), 'acme/stt');
    const [{ form, minTimeoutMs } = {}] = sent;
    expect([form?.get('model'), form?.get('language'), minTimeoutMs]).toEqual(['acme/stt', 'en', 90_000]);
  });

  it('neither passes nor fails a feature that the model does not support', async () => {
    const { client } = serviceOf();
    const { found } = await run(client, catalog(chat('acme/chat', 1, [])));
    expect(found).toEqual(passed('chat'));
  });

  it.each([
    ['no catalog has been applied', undefined, undefined],
    ['a model is named that the catalog has not', catalog(chat('acme/chat', 1)), 'acme/gone'],
  ])('fails where there is nothing to call: %s', async (_why, json, models) => {
    const { client, sent } = serviceOf();
    const { found } = await run(client, json, models);
    expect(found).toBe(failed('catalog'));
    expect(sent).toEqual([]);
  });

  it('fails if the platform API is not well, and calls models all the same', async () => {
    const { client, sent } = serviceOf((_, path) => {
      if (path === '/health') throw new CheckFailure('http_503', 'a response without an error in it');
      return undefined;
    });
    const { found } = await run(client, catalog(chat('acme/chat', 1)));
    expect([found, sent.length]).toEqual([failed('health'), 2]);
  });

  it('does nothing without a key, which is not a failure', async () => {
    const { found } = await run(undefined, catalog(chat('acme/chat', 1)));
    expect(found).toBeNull();
  });
});
