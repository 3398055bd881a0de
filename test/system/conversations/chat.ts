import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { withinOneMinute } from '../../../tools/test-kit/waiting.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const userMessage = (content: string) => [{ role: 'user' as const, content }];
describe('the official OpenAI SDK', () => {
  it('receives a complete response, with our id, the requested model and usage', async () => {
    const { data, response } = await payer.client.chat.completions
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
    const stream = await payer.client.chat.completions.create({
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

  it('receives several choices where a route supports them, and an error where none does', async () => {
    const create = (model: string) =>
      payer.client.chat.completions.create({ model, messages: userMessage('Hello'), n: 3 });
    expect((await create('sim/chat')).choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const model of ['sim/chat-anthropic', 'sim/chat-bedrock'])
      await expect(create(model)).rejects.toMatchObject({ status: 400, code: 'unsupported_by_model' });
  });

  it('lists models, and returns one by id with a slash and by alias', async () => {
    const list = await payer.client.models.list();
    expect(list.data.map(({ id }) => id)).toContain('sim/chat');
    expect((await payer.client.models.retrieve('sim/chat')).id).toBe('sim/chat');
    expect((await payer.client.models.retrieve('claude-sonnet-4-5')).id).toBe('sim/chat-large');
    await expect(payer.client.models.retrieve('nobody/nothing')).rejects.toThrow(OpenAI.NotFoundError);
  });
});

describe('a stream on the wire', () => {
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
    await service.fault({ wait_after_chunks: 2 });
    const messages = userMessage('Repeat exactly: one two three four five six');
    const { body } = await service.chat({ model: 'sim/chat', stream: true, messages }, payer);
    const reader = (body ?? new ReadableStream<Uint8Array>()).getReader();
    expect(await readUntil(reader, '"content":"one')).not.toContain('three');
    await service.endFaults();
    expect(await readUntil(reader, 'data: [DONE]')).toContain('six');
  });
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
    const outcomeOf = async (key: string) =>
      create(key, { max_tokens: 1 }).then(
        () => 'served',
        (error: { code: string }) => error.code,
      );
    const { key, outcomes } = await withinOneMinute(async () => {
      const account = await service.account('0', { rpm: 2 });
      const unpaid = await outcomeOf(account.key);
      await service.admin('credit', 'grant', '--account', account.id, '--amount', '1');
      return { ...account, outcomes: [unpaid, await outcomeOf(account.key), await outcomeOf(account.key)] };
    });
    expect(outcomes).toEqual(['insufficient_credit', 'served', 'requests_per_minute']);
    const outcome = () => outcomeOf(key);
    const keyId = `key_${key.slice(30, 56)}`;
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
