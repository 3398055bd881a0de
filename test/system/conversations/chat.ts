import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { service } from './service.ts';

let client: OpenAI;

beforeAll(async () => {
  const { key } = await service.account('5');
  client = service.openai(key);
}, 90_000);

const ask = (content: string) => [{ role: 'user' as const, content }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
      required: ['city', 'unit'],
    },
  },
};

describe('the official OpenAI SDK', () => {
  it('gets a whole answer, with our id, the model asked for and usage', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'sim/chat', messages: ask('Repeat exactly: Grüße, 世界 🌍') })
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

  it('streams the same answer in many chunks', async () => {
    const text = 'The quick brown fox jumps over the lazy dog, again and again.';
    const stream = await client.chat.completions.create({
      model: 'sim/chat',
      messages: ask(`Repeat exactly: ${text}`),
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

  it('gets usage with its cost as the last event of a stream that asked for it', async () => {
    const stream = await client.chat.completions.create({
      model: 'sim/chat',
      messages: ask('Repeat exactly: counted'),
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

  it('calls a forced tool, streaming and not, and takes its result back', async () => {
    const request = {
      model: 'sim/chat',
      messages: ask('What is the weather in Oslo?'),
      tools: [weather],
      tool_choice: { type: 'function' as const, function: { name: 'get_weather' } },
    };
    const whole = await client.chat.completions.create(request);
    expect(whole.choices[0]?.finish_reason).toBe('tool_calls');
    const call = whole.choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('no function call');
    expect(JSON.parse(call.function.arguments)).toMatchObject({ unit: expect.stringMatching(/^[cf]$/) });

    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: call.function });

    const answer = await client.chat.completions.create({
      model: 'sim/chat',
      tools: [weather],
      messages: [
        ...request.messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'minus 7 degrees' },
      ],
    });
    expect(answer.choices[0]?.message.content).toContain('minus 7 degrees');
  });

  it('gets JSON of the schema it asked for', async () => {
    const { choices } = await client.chat.completions.create({
      model: 'sim/chat',
      messages: ask('Describe a person.'),
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'person',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
            required: ['name', 'age'],
            additionalProperties: false,
          },
        },
      },
    });
    const person = JSON.parse(choices[0]?.message.content ?? '') as Record<string, unknown>;
    expect(Object.keys(person).sort()).toEqual(['age', 'name']);
    expect(Number.isInteger(person.age)).toBe(true);
  });

  it('sends an image, several choices, stop sequences and a developer message', async () => {
    const png =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const image = await client.chat.completions.create({
      model: 'sim/chat',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: png } },
          ],
        },
      ],
    });
    expect(image.choices[0]?.message.content).toMatch(/image/i);
    const several = await client.chat.completions.create({ model: 'sim/chat', messages: ask('Hello'), n: 3 });
    expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    const stopped = await client.chat.completions.create({
      model: 'sim/chat',
      messages: ask('Repeat exactly: one two three'),
      stop: [' two'],
    });
    expect(stopped.choices[0]?.message.content).toBe('one');
    const short = await client.chat.completions.create({
      model: 'sim/chat',
      messages: ask('write 500 words'),
      max_completion_tokens: 5,
    });
    expect(short.choices[0]?.finish_reason).toBe('length');
    expect(short.usage?.completion_tokens).toBe(5);
  });

  it('applies the default of 256 tokens', async () => {
    const { usage } = await client.chat.completions.create({
      model: 'sim/chat',
      messages: ask('write 900 words'),
    });
    expect(usage?.completion_tokens).toBe(256);
  });

  it('lists models, and finds one by id with a slash and by alias', async () => {
    const list = await client.models.list();
    expect(list.data.map(({ id }) => id)).toContain('sim/chat');
    expect((await client.models.retrieve('sim/chat')).id).toBe('sim/chat');
    expect((await client.models.retrieve('claude-sonnet-4-5')).id).toBe('sim/chat-large');
    await expect(client.models.retrieve('nobody/nothing')).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('talks to a model through its alias in another provider’s style', async () => {
    const { model } = await client.chat.completions.create({
      model: 'claude-sonnet-4-5',
      messages: ask('Hi'),
    });
    expect(model).toBe('claude-sonnet-4-5');
  });

  it('abandons a stream, and pays what the route reports in the end', async () => {
    const { id, key } = await service.account('1');
    const { data: stream, response } = await service
      .openai(key)
      .chat.completions.create({
        model: 'sim/chat',
        messages: ask('write 150 words'),
        max_tokens: 200,
        stream: true,
      })
      .withResponse();
    for await (const _chunk of stream) break;
    let held = 1;
    for (const untilMs = Date.now() + 10_000; held > 0 && Date.now() < untilMs; await sleep(50)) {
      ({ held } = await service.admin<{ held: number }>('wallet', 'show', '--account', id));
    }
    expect(held).toBe(0);
    const path = `/v1/usage/${response.headers.get('x-request-id')}`;
    const record = (await (await service.fetch(path, { key })).json()) as { output_units: number };
    expect(record).toMatchObject({ status: 'completed', estimated: false });
    expect(record.output_units).toBeGreaterThan(100);
    expect(await service.admin('audit')).toMatchObject({ exact: true });
  }, 20_000);
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
      messages: ask('Repeat exactly: one two three four five six'),
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

describe('typed exceptions of the SDK', () => {
  const create = (key: string, body: object = {}) =>
    service.openai(key).chat.completions.create({ model: 'sim/chat', messages: ask('Hi'), ...body });

  it('400: BadRequestError with the field', async () => {
    const { key } = await service.account('1');
    const failure = await create(key, { temperature: 3 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'temperature',
      type: 'invalid_request_error',
    });
  });

  it('401: AuthenticationError', async () => {
    await expect(create('uis_nonsense')).rejects.toThrow(OpenAI.AuthenticationError);
  });

  it('402: insufficient credit', async () => {
    const { key } = await service.account('0');
    const failure = await create(key).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ status: 402, code: 'insufficient_credit', type: 'billing_error' });
  });

  it.each([
    ['credit', '0.002', {}],
    ['a daily cap', '1', { daily_usd: '0.002' }],
  ])(
    '402 for %s says which smaller output would fit, and no larger one does',
    async (_what, credit, policy) => {
      const { key } = await service.account(credit, policy);
      const refusalOf = async (max_tokens: number) => {
        const failure = await create(key, { max_tokens }).catch((error: unknown) => error);
        expect(failure).toMatchObject({ status: 402 });
        return (failure as { readonly error: { readonly affordable_max_tokens?: number } }).error;
      };
      const { affordable_max_tokens: affordable = 0 } = await refusalOf(16_000);
      expect(affordable).toBeGreaterThan(1_000);
      expect(await refusalOf(affordable + 1)).toMatchObject({ affordable_max_tokens: affordable });
      expect(await create(key, { max_tokens: affordable })).toMatchObject({ object: 'chat.completion' });
    },
  );

  it('402: daily and monthly caps', async () => {
    const daily = await service.account('1', { daily_usd: '0.000001' });
    expect(await create(daily.key).catch((error: unknown) => error)).toMatchObject({
      code: 'daily_usd_exceeded',
    });
    const monthly = await service.account('1', { monthly_usd: 0.000001 });
    expect(await create(monthly.key).catch((error: unknown) => error)).toMatchObject({
      code: 'monthly_usd_exceeded',
    });
  });

  it('403: PermissionDeniedError for a model or a kind of call out of scope', async () => {
    const model = await service.account('1', { allowed_models: ['sim/chat-large'] });
    await expect(create(model.key)).rejects.toThrow(OpenAI.PermissionDeniedError);
    expect(await create(model.key).catch((error: unknown) => error)).toMatchObject({
      code: 'model_not_allowed',
      param: 'model',
    });
    await expect(create(model.key, { model: 'claude-sonnet-4-5' })).resolves.toBeDefined();
    const kind = await service.account('1', { allowed_kinds: ['tts'] });
    expect(await create(kind.key).catch((error: unknown) => error)).toMatchObject({
      code: 'kind_not_allowed',
      status: 403,
    });
  });

  it('429: RateLimitError with Retry-After, for requests and for tokens', async () => {
    const { key } = await service.account('1', { rpm: 1 });
    await create(key);
    const failure = await create(key).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
    expect(failure).toMatchObject({ code: 'requests_per_minute', type: 'rate_limit_error' });
    const { headers } = failure as InstanceType<typeof OpenAI.RateLimitError>;
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
    const tokens = await service.account('1', { tpm: 10 });
    expect(await create(tokens.key).catch((error: unknown) => error)).toMatchObject({
      code: 'tokens_per_minute',
    });
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

  it('503: InternalServerError when every route is dead', async () => {
    const { key } = await service.account('1');
    const failure = await create(key, { model: 'sim/chat-down' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.InternalServerError);
    expect(failure).toMatchObject({ status: 503, type: 'service_unavailable', code: 'all_routes_failed' });
  });
});
