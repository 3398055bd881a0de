import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mostOf, probeRoute } from '../../../operator/probe/probe.ts';
import { startUpstream, type Upstream } from '../../../simulators/models/server.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ chunkDelayMs: 0 });
});
afterAll(() => upstream.close());

const HEADERS = { authorization: 'Bearer key', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };

async function probe(protocol: 'openai-responses' | 'anthropic', path: string, send: typeof fetch = fetch) {
  const route = {
    ...{ protocol, upstream_model: 'sim', dialect: undefined, reasoning: false },
    base_url: `${upstream.url}${path}`,
  };
  const probed = await probeRoute(route, {
    ...{ fetch: send, pauseMs: 1, secret: 'key', authorize: async () => HEADERS },
  });
  const most = mostOf(route);
  for (const name of ['calls', 'input', 'output'] as const)
    expect([name, probed.used[name] <= most[name]]).toEqual([name, true]);
  return { found: probed.found, unclear: probed.unclear };
}

describe('a probe of a host of the Responses API', () => {
  it('finds whether it takes custom tools, and that its model is asked by effort', async () => {
    const effort = { reasoning_request: 'effort' };
    expect(await probe('openai-responses', '/v1')).toEqual({ found: effort, unclear: {} });
    expect(await probe('openai-responses', '/hosts/no-custom-tools/v1')).toEqual({
      found: { ...effort, custom_tools: false },
      unclear: {},
    });
  });
});

describe('a probe of a host of the Messages API', () => {
  it('finds how its model is asked to think', async () => {
    const asked = async (refused: string) => {
      const refusing: typeof fetch = async (url, init) =>
        String(init?.body).includes(refused) ? new Response('{}', { status: 400 }) : fetch(url, init);
      return probe('anthropic', '/v1', refusing);
    };
    expect(await asked('nothing')).toEqual({ found: { reasoning_request: 'adaptive' }, unclear: {} });
    expect(await asked('"adaptive"')).toEqual({ found: { reasoning_request: 'budget' }, unclear: {} });
    expect(await asked('"thinking"')).toEqual({ found: {}, unclear: {} });
  });
});

describe('a route of another protocol', () => {
  it('is refused by name', () => {
    expect(() => mostOf({ protocol: 'bedrock', upstream_model: 'amazon.nova-lite-v1:0' })).toThrow(
      'routes of the protocol bedrock are not probed; those of openai, openai-responses, anthropic are',
    );
  });
});
