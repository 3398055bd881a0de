import { beforeEach, describe, expect, it } from '@jest/globals';
import { ask, runningUpstream } from './running-upstream.ts';

const upstream = runningUpstream();

type Json = Readonly<Record<string, unknown>>;

const json = async (response: Promise<Response>): Promise<Json> => {
  const answer = await response;
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return JSON.parse(text);
};

const say = (text: string) => [{ role: 'user', content: text }];

const message = async (more: object): Promise<Json> =>
  (await json(upstream.postMessage({ model: 'sim', max_tokens: 99, messages: say('hello'), ...more })))
    .usage as Json;

const converse = (more: object): Promise<Json> =>
  json(
    upstream.postConverse('converse', {
      messages: [{ role: 'user', content: [{ text: 'hello' }] }],
      ...more,
    }),
  );

const system = (text: string, ttl?: '5m' | '1h') => [
  { type: 'text', text, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } },
];

describe('a marked prefix of a message', () => {
  it('is written once and read from then on, whatever follows it', async () => {
    const written = await message({ system: system('Be brief, A.') });
    expect(written.cache_creation_input_tokens).toBeGreaterThan(0);
    expect(written).toMatchObject({ cache_read_input_tokens: 0 });
    const read = await message({ system: system('Be brief, A.'), messages: say('something else') });
    expect(read).toMatchObject({ cache_creation_input_tokens: 0 });
    expect(read.cache_read_input_tokens).toBeGreaterThan(0);
  });

  it.each<[string, object]>([
    ['another prefix', { system: system('Be brief, B2.') }],
    ['another model', { system: system('Be brief, B.'), model: 'sim-2' }],
    ['another lifetime', { system: system('Be brief, B.', '1h') }],
  ])('is not that of %s', async (_what, other) => {
    await message({ system: system('Be brief, B.') });
    expect(await message(other)).toMatchObject({ cache_read_input_tokens: 0 });
  });

  it('is kept as long as it is asked for', async () => {
    const { cache_creation: hour } = await message({ system: system('Be brief, C.', '1h') });
    expect(hour).toMatchObject({
      ephemeral_5m_input_tokens: 0,
      ephemeral_1h_input_tokens: expect.any(Number),
    });
    const { cache_creation: plain } = await message({ system: system('Be brief, C.') });
    expect(plain).toMatchObject({ ephemeral_1h_input_tokens: 0 });
  });

  it('is the whole request where the request itself is marked', async () => {
    const request = { cache_control: { type: 'ephemeral' }, messages: say('the whole of it') };
    expect(await message(request)).toMatchObject({ cache_read_input_tokens: 0 });
    expect(await message(request)).toMatchObject({ cache_creation_input_tokens: 0 });
    expect(await message({ ...request, messages: say('another') })).toMatchObject({
      cache_read_input_tokens: 0,
    });
  });
});

it('a cache point of Converse is written once, with its lifetime, and read from then on', async () => {
  const request = { system: [{ text: 'Be brief, D.' }, { cachePoint: { type: 'default', ttl: '1h' } }] };
  const account = async () => (await converse(request)).usage as Json;
  const written = await account();
  expect(written).toMatchObject({ cacheReadInputTokens: 0, cacheDetails: [{ ttl: '1h' }] });
  const read = await account();
  expect(read).toMatchObject({ cacheWriteInputTokens: 0 });
  expect(read.cacheReadInputTokens).toBe(written.cacheWriteInputTokens);
  expect(Object.keys(read)).not.toContain('cacheDetails');
});

describe('the tier', () => {
  const chatTier = async (service_tier: string | undefined, stream = false) => {
    const response = upstream.post({ ...ask('hello'), service_tier, stream });
    return /"service_tier":"(\w+)"/.exec(await (await response).text())?.[1];
  };

  it.each([
    [undefined, 'default'],
    ['auto', 'default'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['fast', 'priority'],
  ])('of a chat completion is the one asked for: %s', async (asked, served) => {
    expect(await chatTier(asked)).toBe(served);
    expect(await chatTier(asked, true)).toBe(served);
  });

  it('of a message is its speed', async () => {
    expect(await message({})).toMatchObject({ service_tier: 'standard' });
    expect(await message({ speed: 'fast', inference_geo: 'us' })).toMatchObject({
      speed: 'fast',
      inference_geo: 'us',
    });
  });

  it('of Converse is the one asked for', async () => {
    expect(await converse({ serviceTier: { type: 'flex' } })).toMatchObject({
      serviceTier: { type: 'flex' },
    });
    expect(Object.keys(await converse({}))).not.toContain('serviceTier');
  });

  describe('of a route that serves another', () => {
    it('is that one', async () => {
      await upstream.fault({ served_tier: 'default' }, { times: 2 });
      expect(await chatTier('priority')).toBe('default');
      expect(await converse({ serviceTier: { type: 'priority' } })).toMatchObject({
        serviceTier: { type: 'default' },
      });
      await upstream.fault({ served_tier: 'standard' });
      expect(await message({ speed: 'fast' })).toMatchObject({ speed: 'standard' });
    });
  });
});

describe('a search that the provider runs', () => {
  let plain = 0;
  beforeEach(async () => {
    plain = Number((await message({})).input_tokens);
  });
  const search = { type: 'web_search_20260318', name: 'web_search' };

  it('is counted, and its pages are part of the prompt', async () => {
    const usage = await message({ tools: [search] });
    expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    expect(usage.input_tokens).toBeGreaterThan(plain + 1000);
  });

  it.each<[string, object]>([
    ['may not be used', { ...search, max_uses: 0 }],
    ['is another', { type: 'code_execution_20260521', name: 'code_execution' }],
  ])('is not run where the tool %s', async (_why, tool) => {
    const usage = await message({ tools: [tool] });
    expect(usage).toMatchObject({ input_tokens: plain });
    expect(Object.keys(usage)).not.toContain('server_tool_use');
  });
});

it('figures of a fault stand in place of the model’s, in every wire format, streamed or not', async () => {
  const streamed = async (response: Promise<Response>) => (await response).text();
  await upstream.fault({ usage: { total_tokens: 77_777, num_sources_used: 3 } }, { times: 2 });
  expect((await json(upstream.post(ask('hello')))).usage).toMatchObject({ total_tokens: 77_777 });
  const options = { stream: true, stream_options: { include_usage: true } };
  expect(await streamed(upstream.post({ ...ask('hello'), ...options }))).toContain('"num_sources_used":3');
  await upstream.fault({ usage: { output_tokens: 77_777 } }, { times: 2 });
  expect(await message({})).toMatchObject({ output_tokens: 77_777 });
  const request = { model: 'sim', max_tokens: 99, messages: say('hello'), stream: true };
  expect(await streamed(upstream.postMessage(request))).toContain('"output_tokens":77777');
  await upstream.fault({ usage: { outputTokens: 77_777 } });
  expect(await converse({})).toMatchObject({ usage: { outputTokens: 77_777 } });
});
