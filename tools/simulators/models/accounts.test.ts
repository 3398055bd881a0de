import { describe, expect, it } from '@jest/globals';
import { chatRequest, runningUpstream } from '../testing/models/running-upstream.ts';

const upstream = runningUpstream();

type Json = Readonly<Record<string, unknown>>;

const json = async (response: Promise<Response>): Promise<Json> => {
  const httpResponse = await response;
  const text = await httpResponse.text();
  if (httpResponse.status !== 200) throw new Error(text);
  return JSON.parse(text);
};

const userMessage = (text: string) => [{ role: 'user', content: text }];

const message = async (fields: object): Promise<Json> =>
  (
    await json(
      upstream.postMessage({ model: 'sim', max_tokens: 99, messages: userMessage('hello'), ...fields }),
    )
  ).usage as Json;

const converse = (fields: object): Promise<Json> =>
  json(
    upstream.postConverse('converse', {
      messages: [{ role: 'user', content: [{ text: 'hello' }] }],
      ...fields,
    }),
  );

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
    const response = upstream.post({ ...chatRequest('hello'), service_tier, stream });
    return /"service_tier":"(\w+)"/.exec(await (await response).text())?.[1];
  };

  it.each([
    [undefined, 'default'],
    ['auto', 'default'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['fast', 'priority'],
  ])('follows the request in a chat completion: %s', async (requestedTier, usedTier) => {
    expect(await chatTier(requestedTier)).toBe(usedTier);
    expect(await chatTier(requestedTier, true)).toBe(usedTier);
  });

  it('follows the speed in a message', async () => {
    expect(await message({})).toMatchObject({ service_tier: 'standard' });
    expect(await message({ speed: 'fast', inference_geo: 'us' })).toMatchObject({
      speed: 'fast',
      inference_geo: 'us',
    });
  });

  it('follows the request in Converse', async () => {
    expect(await converse({ serviceTier: { type: 'flex' } })).toMatchObject({
      serviceTier: { type: 'flex' },
    });
    expect(Object.keys(await converse({}))).not.toContain('serviceTier');
  });

  describe('another tier of the route', () => {
    it('replaces the requested tier in the response', async () => {
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

it('replaces the model’s token counts with those of a fault, in every wire format, streamed or not', async () => {
  const streamed = async (response: Promise<Response>) => (await response).text();
  await upstream.fault({ usage: { total_tokens: 77_777, num_sources_used: 3 } }, { times: 2 });
  expect((await json(upstream.post(chatRequest('hello')))).usage).toMatchObject({ total_tokens: 77_777 });
  const options = { stream: true, stream_options: { include_usage: true } };
  expect(await streamed(upstream.post({ ...chatRequest('hello'), ...options }))).toContain(
    '"num_sources_used":3',
  );
  await upstream.fault({ usage: { output_tokens: 77_777 } }, { times: 2 });
  expect(await message({})).toMatchObject({ output_tokens: 77_777 });
  const request = { model: 'sim', max_tokens: 99, messages: userMessage('hello'), stream: true };
  expect(await streamed(upstream.postMessage(request))).toContain('"output_tokens":77777');
  await upstream.fault({ usage: { outputTokens: 77_777 } });
  expect(await converse({})).toMatchObject({ usage: { outputTokens: 77_777 } });
});
