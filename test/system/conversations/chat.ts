import { beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { service } from './service.ts';

let client: OpenAI;

beforeAll(async () => {
  const { key } = await service.account('5');
  client = service.openai(key);
}, 90_000);

const userMessage = (content: string) => [{ role: 'user' as const, content }];
describe('the official OpenAI SDK', () => {
  it('receives a complete response, with our id, the requested model and usage', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'sim/chat', messages: userMessage('Repeat exactly: Grüße, 世界 🌍') })
      .withResponse();
    expect(data.object).toBe('chat.completion');
    expect(data.id).toMatch(/^chatcmpl-[0-9A-Z]{26}$/);
    expect(data.model).toBe('sim/chat');
    expect(data.choices[0]).toMatchObject({ index: 0, finish_reason: 'stop' });
    expect(data.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Grüße, 世界 🌍' });
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = data.usage ?? {};
    expect(prompt_tokens).toBeGreaterThan(0);
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
    expect(response.headers.get('x-route')).toBe('sim-chat');
    expect(Number(response.headers.get('x-cost-usd'))).toBeGreaterThan(0);
    expect(Number(response.headers.get('x-balance-usd'))).toBeLessThan(5);
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('100000');
    expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+ms|[\d.]+s|\dm[\d.]+s)$/);
  });

  it('streams the same output in many chunks', async () => {
    const text = 'The quick brown fox jumps over the lazy dog, again and again.';
    const stream = await client.chat.completions.create({
      model: 'sim/chat',
      messages: userMessage(`Repeat exactly: ${text}`),
      stream: true,
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(text);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(
      chunks.every(({ model, object }) => model === 'sim/chat' && object === 'chat.completion.chunk'),
    ).toBe(true);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.every((chunk) => chunk.choices.length > 0 && chunk.usage === undefined)).toBe(true);
    expect(chunks.length).toBeGreaterThan(10);
  });

  it('receives usage with its cost as the last event of a stream that requested it', async () => {
    const stream = await client.chat.completions.create({
      model: 'sim/chat',
      messages: userMessage('Repeat exactly: counted'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.total_tokens).toBeGreaterThan(0);
    expect(last?.usage).toMatchObject({ cost: expect.any(Number) });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('receives several choices, and an output that its bound ends', async () => {
    const several = await client.chat.completions.create({
      model: 'sim/chat',
      messages: userMessage('Hello'),
      n: 3,
    });
    expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    const short = await client.chat.completions.create({
      model: 'sim/chat',
      messages: userMessage('write 500 words'),
      max_completion_tokens: 5,
    });
    expect(short.choices[0]?.finish_reason).toBe('length');
    expect(short.usage?.completion_tokens).toBe(5);
  });

  it('applies the default of 256 tokens', async () => {
    const { usage } = await client.chat.completions.create({
      model: 'sim/chat',
      messages: userMessage('write 900 words'),
    });
    expect(usage?.completion_tokens).toBe(256);
  });

  it('lists models, and returns one by id with a slash and by alias', async () => {
    const list = await client.models.list();
    expect(list.data.map(({ id }) => id)).toContain('sim/chat');
    expect((await client.models.retrieve('sim/chat')).id).toBe('sim/chat');
    expect((await client.models.retrieve('claude-sonnet-4-5')).id).toBe('sim/chat-large');
    await expect(client.models.retrieve('nobody/nothing')).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('talks to a model of its key’s scope through its alias in another provider’s style', async () => {
    const { key } = await service.account('1', { allowed_models: ['sim/chat-large'] });
    const { model } = await service.openai(key).chat.completions.create({
      model: 'claude-sonnet-4-5',
      messages: userMessage('Hi'),
    });
    expect(model).toBe('claude-sonnet-4-5');
  });
});

describe('a stream on the wire', () => {
  const fault = (fields: object) =>
    fetch(`${service.session.upstream_control_url}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fault: fields }),
    });

  const clearFaults = () => fetch(`${service.session.upstream_control_url}/faults`, { method: 'DELETE' });

  /** The text of each content chunk, as it arrives. */
  async function openStream() {
    const { key } = await service.account('1');
    const request = {
      model: 'sim/chat',
      stream: true,
      messages: userMessage('Repeat exactly: one two three four five six'),
    };
    const response = await service.chat(request, { key });
    return { status: response.status, reader: (response.body ?? new ReadableStream()).getReader() };
  }

  /** Reads on, up to the text; throws if the stream ends before. */
  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
    let received = '';
    while (!received.includes(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended before ${text}`);
      received += new TextDecoder().decode(value);
    }
    return received;
  }

  it('delivers a chunk while the upstream still waits with the next one', async () => {
    await fault({ wait_after_chunks: 2 });
    const { reader } = await openStream();
    expect(await readUntil(reader, '"content":"one')).not.toContain('three');
    await clearFaults();
    expect(await readUntil(reader, 'data: [DONE]')).toContain('six');
  });

  it('sends its headers while the upstream still waits with the first content', async () => {
    await fault({ wait_after_chunks: 0 });
    const { status, reader } = await openStream();
    expect(status).toBe(200);
    await clearFaults();
    expect(await readUntil(reader, 'data: [DONE]')).toContain('one');
  }, 30_000);
});

describe('the account of a key', () => {
  const create = (key: string, body: object = {}) =>
    service.openai(key).chat.completions.create({ model: 'sim/chat', messages: userMessage('Hi'), ...body });

  it.each([
    ['credit', '0.002', {}],
    ['a daily cap', '1', { daily_usd: '0.002' }],
  ])('402 for %s states the largest smaller output that fits', async (_what, credit, policy) => {
    const { key } = await service.account(credit, policy);
    const rejectionOf = async (max_tokens: number) => {
      const failure = await create(key, { max_tokens }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ status: 402 });
      return (failure as { readonly error: { readonly affordable_max_tokens?: number } }).error;
    };
    const { affordable_max_tokens: affordable = 0 } = await rejectionOf(16_000);
    expect(affordable).toBeGreaterThan(1_000);
    expect(await rejectionOf(affordable + 1)).toMatchObject({ affordable_max_tokens: affordable });
    expect(await create(key, { max_tokens: affordable })).toMatchObject({ object: 'chat.completion' });
  });

  it('follows a change of policy, a top-up and a revocation on the next call', async () => {
    const { id, key } = await service.account('0', { rpm: 2 });
    const keyId = `key_${key.slice(30, 56)}`;
    const outcome = async () =>
      create(key, { max_tokens: 1 }).then(
        () => 'served',
        (error: { code: string }) => error.code,
      );
    expect(await outcome()).toBe('insufficient_credit');
    await service.admin('credit', 'grant', '--account', id, '--amount', '1');
    expect(await outcome()).toBe('served');
    expect(await outcome()).toBe('requests_per_minute');
    await service.admin('key', 'policy', '--key', keyId, '--policy', '{"rpm":50}');
    expect(await outcome()).toBe('served');
    await service.admin('key', 'policy', '--key', keyId, '--policy', '{"daily_usd":0.000000001}');
    expect(await outcome()).toBe('daily_usd_exceeded');
    await service.admin('key', 'policy', '--key', keyId, '--policy', '{}');
    expect(await outcome()).toBe('served');
    await service.admin('key', 'revoke', '--key', keyId);
    expect(await outcome()).toBe('invalid_api_key');
  });
});
