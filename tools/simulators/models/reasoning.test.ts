import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../testing/models/running-upstream.ts';

const upstream = runningUpstream();

type Json = Readonly<Record<string, unknown>>;

interface ToolCall {
  readonly id: string;
  readonly extra_content?: object;
}

interface ReadAnswer {
  readonly status: number;
  readonly body: {
    readonly choices: readonly [{ readonly message: Json & { readonly tool_calls: readonly ToolCall[] } }];
    readonly content: readonly Json[];
    readonly output: { readonly message: { readonly content: readonly Json[] } };
  };
}

const read = async (response: Promise<Response>): Promise<ReadAnswer> => ({
  status: (await response).status,
  body: (await (await response).json()) as ReadAnswer['body'],
});
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const chatTool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
});
const rejection = { status: 400 };
const thinking = { type: 'enabled', budget_tokens: 1024 };

describe('a chat model of DeepSeek', () => {
  const first = user('call clock {}');
  const send = (fields: object) =>
    read(upstream.post({ model: 'deepseek-sim', tools: [chatTool('clock')], messages: [first], ...fields }));

  it('wants the reasoning of a turn that called tools, be it empty', async () => {
    const { message } = (await send({})).body.choices[0];
    const { reasoning_content: _thought, ...bare } = message;
    const result = { role: 'tool', tool_call_id: message.tool_calls[0]?.id, content: 'x' };
    const next = (returned: object, fields: object = {}) =>
      send({ messages: [first, returned, result], ...fields });
    expect(await next(bare)).toMatchObject({
      status: 400,
      body: {
        error: {
          message: expect.stringContaining('must be passed back'),
          code: 'invalid_request_error',
        },
      },
    });
    for (const returned of [message, { ...bare, reasoning_content: '' }])
      expect(await next(returned)).toMatchObject({ status: 200 });
    for (const other of [{ thinking: { type: 'disabled' } }, { model: 'gpt-sim' }])
      expect(await next(bare, other)).toMatchObject({ status: 200 });
  });
});

describe('a chat model of Gemini', () => {
  const first = user('call a {}\ncall b {}');
  const request = { model: 'gemini-sim', tools: [chatTool('a'), chatTool('b')] };
  const send = (tool_calls: readonly ToolCall[], later: readonly object[] = []) => {
    const results = tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    const messages = [first, { role: 'assistant', tool_calls }, ...results, ...later];
    return read(upstream.post({ ...request, messages }));
  };

  it('signs the first call of a step, and wants the signature or its placeholder back', async () => {
    const response = await read(upstream.post({ ...request, messages: [first] }));
    const calls = response.body.choices[0].message.tool_calls;
    const signed = (signature: unknown) => ({
      extra_content: { google: { thought_signature: signature } },
    });
    expect(calls).toEqual([expect.objectContaining(signed(expect.any(String))), expect.anything()]);
    expect(calls[1]).not.toHaveProperty('extra_content');
    expect(await send(calls)).toMatchObject({ status: 200 });
    const bare = calls.map(({ extra_content: _signature, ...call }) => call);
    const error = (message: string) => ({
      status: 400,
      body: [{ error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) } }],
    });
    expect(await send(bare)).toMatchObject(error('missing a thought_signature'));
    // Of what was called before the user spoke again, nothing is wanted.
    expect(await send(bare, [user('thanks')])).toMatchObject({ status: 200 });
    const replaced = (signature: string) =>
      send(calls.map((call, index) => (index === 0 ? { ...call, ...signed(signature) } : call)));
    expect(await replaced('skip_thought_signature_validator')).toMatchObject({ status: 200 });
    expect(await replaced('AAAA')).toMatchObject(error('Corrupted'));
  });
});

it('a Claude model requires its thought before a call, unchanged and from the same model', async () => {
  const prompt = user('call clock {}');
  const tools = [{ name: 'clock', input_schema: { type: 'object' } }];
  const send = (fields: object) =>
    read(upstream.postMessage({ model: 'claude-sim', max_tokens: 2000, thinking, tools, ...fields }));
  const { content } = (await send({ messages: [prompt] })).body;
  const [thought, ...rest] = content;
  const { id } = rest.find(({ type }) => type === 'tool_use') ?? {};
  const result = user([{ type: 'tool_result', tool_use_id: id, content: 'x' }]);
  const next = (blocks: readonly object[], fields = {}) =>
    send({ messages: [prompt, assistant(blocks), result], ...fields });
  const error = (message: string) => ({
    status: 400,
    body: { error: { type: 'invalid_request_error', message: expect.stringContaining(message) } },
  });
  expect(await next(content)).toMatchObject({ status: 200 });
  expect(await next(rest, { thinking: { type: 'disabled' } })).toMatchObject({ status: 200 });
  expect(await next(rest)).toMatchObject(error('Expected `thinking` or `redacted_thinking`'));
  const invalid = error('messages.1.content.0: Invalid `signature` in `thinking` block');
  expect(await next([{ ...thought, thinking: 'other' }, ...rest])).toMatchObject(invalid);
  expect(await next([{ ...thought, signature: 'AAAA' }, ...rest])).toMatchObject(invalid);
  expect(await next(content, { model: 'claude-sim-2' })).toMatchObject(invalid);
  const hidden = { type: 'redacted_thinking', data: 'AAAA' };
  expect(await next([hidden, ...rest])).toMatchObject(error('Invalid `data`'));
});

describe('a Converse model that reasons', () => {
  const prompt = user([{ text: 'call clock {}' }]);
  const tools = [{ toolSpec: { name: 'clock', inputSchema: { json: { type: 'object' } } } }];
  const send = (fields: object, model = 'sim') =>
    read(
      upstream.postConverse(
        'converse',
        {
          additionalModelRequestFields: { thinking },
          inferenceConfig: { maxTokens: 2000 },
          toolConfig: { tools },
          messages: [prompt],
          ...fields,
        },
        model,
      ),
    );

  it('wants its reasoning before a call, as it was given, and by the same model', async () => {
    const { content } = (await send({})).body.output.message;
    const [, ...rest] = content;
    const toolUseId = content.flatMap(({ toolUse }) => Object(toolUse).toolUseId ?? [])[0];
    const result = user([{ toolResult: { toolUseId, content: [{ text: 'x' }] } }]);
    const next = (blocks: readonly object[], model?: string) =>
      send({ messages: [prompt, assistant(blocks), result] }, model);
    expect(await next(content)).toMatchObject({ status: 200 });
    expect(await next(rest)).toMatchObject(rejection);
    expect(await next(content, 'other')).toMatchObject(rejection);
    for (const changed of [{ reasoningText: { text: 'x', signature: 'AAAA' } }, { redactedContent: 'AAAA' }])
      expect(await next([{ reasoningContent: changed }, ...rest])).toMatchObject(rejection);
  });

  it.each<[string, object]>([
    ['a small budget', { additionalModelRequestFields: { thinking: { ...thinking, budget_tokens: 9 } } }],
    ['a budget above the limit', { inferenceConfig: { maxTokens: 1024 } }],
    ['a temperature', { inferenceConfig: { maxTokens: 2000, temperature: 0 } }],
    ['a forced tool', { toolConfig: { tools, toolChoice: { any: {} } } }],
  ])('rejects %s', async (_name, fields) => {
    expect(await send(fields)).toMatchObject(rejection);
  });
});
