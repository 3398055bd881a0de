import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const TRIGGER = 'ANTHROPIC_MAGIC_STRING_TRIGGER_REDACTED_THINKING_0';

type Json = Readonly<Record<string, never>>;
const read = async (httpResponse: Promise<Response>) => {
  const response = await httpResponse;
  return { status: response.status, body: (await response.json()) as Json };
};
const accepted = async (httpResponse: Promise<Response>): Promise<Json> => {
  const { status, body } = await read(httpResponse);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const user = (content: unknown) => ({ role: 'user', content });

describe('a chat model of DeepSeek', () => {
  const tool = { type: 'function', function: { name: 'clock', parameters: { type: 'object' } } };
  const request = { model: 'deepseek-sim', tools: [tool] };
  const first = [user('call clock {}')];
  const acceptedOutput = async () =>
    (
      (await accepted(upstream.post({ ...request, messages: first }))) as unknown as {
        choices: { message: Json }[];
      }
    ).choices[0]?.message ?? {};
  const next = (message: object) => ({
    ...request,
    messages: [
      ...first,
      message,
      { role: 'tool', tool_call_id: Object(message).tool_calls[0].id, content: 'x' },
    ],
  });

  it('shows its reasoning before its output, unless reasoning is disabled', async () => {
    expect(await acceptedOutput()).toMatchObject({ reasoning_content: expect.stringContaining('think') });
    const text = await (await upstream.post({ ...request, messages: first, stream: true })).text();
    expect(text.indexOf('reasoning_content')).toBeLessThan(text.indexOf('tool_calls'));
    const off = await accepted(
      upstream.post({ ...request, messages: first, thinking: { type: 'disabled' } }),
    );
    expect(JSON.stringify(off)).not.toContain('reasoning_content');
  });

  it('wants the reasoning of a turn that called tools, be it empty', async () => {
    const message = await acceptedOutput();
    const { reasoning_content: _thought, ...bare } = message as Record<string, unknown>;
    expect(await read(upstream.post(next(bare)))).toEqual({
      status: 400,
      body: {
        error: {
          message: expect.stringContaining('must be passed back'),
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_request_error',
        },
      },
    });
    for (const returned of [message, { ...bare, reasoning_content: '' }])
      await accepted(upstream.post(next(returned)));
    await accepted(upstream.post({ ...next(bare), thinking: { type: 'disabled' } }));
    await accepted(upstream.post({ ...next(bare), model: 'gpt-sim' }));
  });
});

describe('a chat model of Gemini', () => {
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
  const request = { model: 'gemini-sim', tools: [tool('a'), tool('b')] };
  const first = [user('call a {}\ncall b {}')];
  type Call = { id: string; extra_content?: object };
  const calls = async () =>
    (
      (await accepted(upstream.post({ ...request, messages: first }))) as unknown as {
        choices: [{ message: { tool_calls: Call[] } }];
      }
    ).choices[0].message.tool_calls;
  const send = (tool_calls: readonly Call[], later: object[] = []) => {
    const results = tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    const messages = [...first, { role: 'assistant', tool_calls }, ...results, ...later];
    return read(upstream.post({ ...request, messages }));
  };
  const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });

  it('signs the first call of a step, and wants the signature back', async () => {
    const toolCalls = await calls();
    expect(toolCalls).toMatchObject([signed(expect.any(String) as unknown as string), {}]);
    expect(toolCalls[1]).not.toHaveProperty('extra_content');
    expect((await send(toolCalls)).status).toBe(200);
    const bare = toolCalls.map(({ extra_content: _, ...call }) => call);
    expect(await send(bare)).toMatchObject({
      status: 400,
      body: [
        {
          error: {
            status: 'INVALID_ARGUMENT',
            message: expect.stringContaining('missing a thought_signature'),
          },
        },
      ],
    });
    // Of what was called before the user spoke again, nothing is wanted.
    expect((await send(bare, [user('thanks')])).status).toBe(200);
  });

  it('accepts the documented placeholder, and no other signature', async () => {
    const toolCalls = await calls();
    const replaced = (signature: string) =>
      send(toolCalls.map((call, index) => (index === 0 ? { ...call, ...signed(signature) } : call)));
    expect((await replaced('skip_thought_signature_validator')).status).toBe(200);
    expect(await replaced('AAAA')).toMatchObject({
      status: 400,
      body: [{ error: { message: expect.stringContaining('Corrupted') } }],
    });
  });
});

describe('a Claude model with thinking', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const request = {
    model: 'claude-sim',
    max_tokens: 2000,
    thinking,
    tools: [{ name: 'clock', input_schema: { type: 'object' } }],
  };
  const exchange = async (prompt: string) => {
    const body = { ...request, messages: [user(prompt)] };
    const { content } = (await accepted(upstream.postMessage(body))) as unknown as { content: Json[] };
    const [id] = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = (blocks: readonly object[], over = {}) => {
      const results = user([{ type: 'tool_result', tool_use_id: id, content: 'x' }]);
      const messages = [user(prompt), { role: 'assistant', content: blocks }, results];
      return read(upstream.postMessage({ ...request, messages, ...over }));
    };
    return { content, next };
  };
  const message = (text: string) => ({
    status: 400,
    body: { error: { type: 'invalid_request_error', message: expect.stringContaining(text) } },
  });

  it('requires its thought before a call, unchanged and from the same model', async () => {
    const { content, next } = await exchange('call clock {}');
    const [thought, ...rest] = content;
    expect(thought).toMatchObject({ type: 'thinking' });
    expect((await next(content)).status).toBe(200);
    expect(await next(rest)).toMatchObject(message('Expected `thinking` or `redacted_thinking`'));
    const invalid = message('messages.1.content.0: Invalid `signature` in `thinking` block');
    expect(await next([{ ...thought, thinking: 'other' }, ...rest])).toMatchObject(invalid);
    expect(await next([{ ...thought, signature: 'AAAA' }, ...rest])).toMatchObject(invalid);
    expect(await next(content, { model: 'claude-sim-2' })).toMatchObject(invalid);
    expect((await next(rest, { thinking: { type: 'disabled' } })).status).toBe(200);
  });

  it('hides a thought on its trigger, and recognizes it later', async () => {
    const { content, next } = await exchange(`${TRIGGER}\ncall clock {}`);
    const [hidden, ...rest] = content;
    expect(hidden).toEqual({ type: 'redacted_thinking', data: expect.any(String) });
    expect((await next(content)).status).toBe(200);
    expect(await next([{ ...hidden, data: 'AAAA' }, ...rest])).toMatchObject(message('Invalid `data`'));
  });
});

describe('a Converse model that reasons', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const spec = { toolSpec: { name: 'clock', inputSchema: { json: { type: 'object' } } } };
  const request = {
    additionalModelRequestFields: { thinking },
    inferenceConfig: { maxTokens: 2000 },
    toolConfig: { tools: [spec] },
  };
  const exchange = async (prompt: string) => {
    const messages = [user([{ text: prompt }])];
    const { output } = (await accepted(
      upstream.postConverse('converse', { ...request, messages }),
    )) as unknown as { output: { message: { content: Json[] } } };
    const { content } = output.message;
    const toolUseId = content.flatMap(({ toolUse }) => Object(toolUse).toolUseId ?? [])[0];
    const next = (blocks: readonly object[], model = 'sim') => {
      const result = user([{ toolResult: { toolUseId, content: [{ text: 'x' }] } }]);
      const all = [...messages, { role: 'assistant', content: blocks }, result];
      return read(upstream.postConverse('converse', { ...request, messages: all }, model));
    };
    return { content, next };
  };
  const rejection = { status: 400 };

  it('wants its reasoning before a call, as it was given, and by the same model', async () => {
    const { content, next } = await exchange('call clock {}');
    const [, ...rest] = content;
    expect((await next(content)).status).toBe(200);
    expect(await next(rest)).toMatchObject(rejection);
    expect(await next(content, 'other')).toMatchObject(rejection);
    const changed = { reasoningContent: { reasoningText: { text: 'x', signature: 'AAAA' } } };
    expect(await next([changed, ...rest])).toMatchObject(rejection);
  });

  it('hides its reasoning on its trigger, and recognizes it later', async () => {
    const { content, next } = await exchange(`${TRIGGER}\ncall clock {}`);
    expect(content[0]).toEqual({ reasoningContent: { redactedContent: expect.any(String) } });
    expect((await next(content)).status).toBe(200);
    const changed = { reasoningContent: { redactedContent: 'AAAA' } };
    expect(await next([changed, ...content.slice(1)])).toMatchObject(rejection);
  });

  it.each<[string, object]>([
    ['a small budget', { additionalModelRequestFields: { thinking: { ...thinking, budget_tokens: 9 } } }],
    ['a budget above the limit', { inferenceConfig: { maxTokens: 1024 } }],
    ['a temperature', { inferenceConfig: { maxTokens: 2000, temperature: 0 } }],
    ['a forced tool', { toolConfig: { tools: [spec], toolChoice: { any: {} } } }],
  ])('rejects %s', async (_name, over) => {
    const body = { ...request, messages: [user([{ text: 'x' }])] };
    await accepted(upstream.postConverse('converse', body));
    expect(await read(upstream.postConverse('converse', { ...body, ...over }))).toMatchObject(rejection);
  });
});
