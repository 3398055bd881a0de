import { ConverseCommand, type ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import {
  CLAUDE_HEADERS,
  chatRequest,
  runningUpstream,
  SIGNED_HEADERS,
} from '../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, over = {}) => ({ role: 'assistant', content, ...over });

/** The error, the body, and the field that the rejection names. */
type Case = readonly [name: string, body: unknown, place: string | null];

describe('a bad chat completions request', () => {
  const chat = (over: object) => ({ ...chatRequest('hello'), ...over });
  const chatWith = (...messages: object[]) => chat({ messages });
  const tool = (name: string) => ({ type: 'function', function: { name } });
  const call = { ...tool('f'), id: 'call_1', function: { name: 'f', arguments: '{}' } };
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'x' };
  const image = (url: string) => user([{ type: 'image_url', image_url: { url } }]);
  const calling = (...later: object[]) =>
    chatWith(user('x'), assistant(null, { tool_calls: [call] }), ...later);

  it.each<Case>([
    ['that is not JSON', '{"model":', null],
    ['without a model', { messages: [user('x')] }, 'model'],
    ['with an unknown role', chatWith({ role: 'alien', content: 'x' }), 'messages[0].role'],
    ['with content of the wrong type', chatWith(user(3)), 'messages[0].content'],
    ['with an unknown part', chatWith(user([{ type: 'video' }])), 'messages[0].content[0].type'],
    [
      'with a broken data URL',
      chatWith(image('data:image/png;base64,%%')),
      'messages[0].content[0].image_url.url',
    ],
    ['with a temperature out of range', chat({ temperature: 3 }), 'temperature'],
    ['with no tokens to spend', chat({ max_tokens: 0 }), 'max_tokens'],
    ['with both token limits', chat({ max_tokens: 5, max_completion_tokens: 5 }), null],
    ['with stream options of no stream', chat({ stream_options: { include_usage: true } }), 'stream_options'],
    ['with a choice not offered', chat({ tools: [tool('g')], tool_choice: tool('f') }), 'tool_choice'],
    ['with a choice of no tools', chat({ tool_choice: 'auto' }), 'tool_choice'],
    ['with an illegal tool name', chat({ tools: [tool('a b')] }), 'tools[0].function.name'],
    [
      'with a schema without a name',
      chat({ response_format: { type: 'json_schema', json_schema: {} } }),
      'response_format.json_schema.name',
    ],
    ['with a result without a call', chatWith(user('x'), result), 'messages[1]'],
    ['with a call without a result', calling(), 'messages[1]'],
    ['with another message before the result', calling(user('y'), result), 'messages[2]'],
    ['with two results', calling(result, result), 'messages[3]'],
    ['with an assistant that says nothing', chatWith(assistant(null)), 'messages[0].content'],
  ])('causes an error in the envelope of OpenAI: %s', async (_name, body, param) => {
    const response = await upstream.post(body);
    const { error } = (await response.json()) as { error: object };
    expect(response.status).toBe(400);
    expect(error).toEqual({
      message: expect.any(String),
      type: 'invalid_request_error',
      param,
      code: param === null ? null : expect.any(String),
    });
  });

  it.each([{}, { authorization: 'Bearer' }, { authorization: 'Bearer  ' }, { authorization: 'Basic abc' }])(
    'causes 401 if its headers are %j',
    async (headers) => {
      const response = await upstream.post(chat({}), { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('API key') } });
    },
  );
});

describe('a bad request to the Messages API', () => {
  const base = { model: 'sim', max_tokens: 2000, messages: [user('hello')] };
  const chatWith = (...messages: object[]) => ({ ...base, messages });
  const blocks = (...content: object[]) => chatWith(user(content));
  const text = (words: string) => ({ type: 'text', text: words });
  const image = (source: object) => blocks({ type: 'image', source: { type: 'base64', ...source } });
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' };
  const [other, otherResult] = [
    { ...call, id: 'b' },
    { ...result, tool_use_id: 'b' },
  ];
  const tool = { name: 'f', input_schema: { type: 'object' } };
  const calling = (calls: object[], ...results: object[][]) =>
    chatWith(user('x'), assistant(calls), ...results.map(user));
  const offering = (...tools: object[]) => ({ ...base, tools });
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const format = (schema: object) => ({
    ...base,
    model: 'claude-sim-5',
    output_config: { format: { type: 'json_schema', schema } },
  });
  const listOf = (fields: object) => ({ type: 'array', items: { type: 'integer', ...fields } });
  const breakpoint = { ...text('x'), cache_control: { type: 'ephemeral' } };

  it.each<Case>([
    ['that is not JSON', '{"model":', 'not valid JSON'],
    ['without max_tokens', { ...base, max_tokens: undefined }, 'max_tokens: Field required'],
    ['with an unknown field', { ...base, n: 2 }, 'n: Extra inputs are not permitted'],
    ['with a temperature above 1', { ...base, temperature: 1.5 }, 'temperature: '],
    ['with null for a field', { ...base, system: null }, 'system: '],
    ['that begins with the assistant', chatWith(assistant('x')), 'messages: '],
    ['with a system message', chatWith({ role: 'system', content: 'x' }), 'messages.0.role: '],
    ['with content of the wrong type', chatWith(user(3)), 'messages.0.content: '],
    ['with a block without type', blocks({ text: 'x' }), 'messages.0.content.0.type: Field required'],
    ['with an unknown field in a block', blocks({ ...text('x'), foo: 1 }), 'messages.0.content.0.foo: Extra'],
    ['with a blank text', blocks(text(' ')), 'messages.0.content.0.text: '],
    ['with an empty message', chatWith(user(''), assistant('x'), user('y')), 'messages.0: '],
    ['with a trailing space in the prefill', chatWith(user('x'), assistant('y ')), 'messages: '],
    ['with an image of another format', image({ media_type: 'image/bmp', data: 'aaaa' }), 'media_type: '],
    ['with broken base64', image({ media_type: 'image/png', data: '%' }), 'source.data: Invalid base64'],
    ['with a call by the user', blocks(call), 'messages.0.content.0.type: '],
    ['with an illegal call id', calling([{ ...call, id: 'a:b' }]), 'content.0.id: '],
    ['with arguments as text', calling([{ ...call, input: '{}' }]), 'content.0.input: '],
    ['with a call without a result', calling([call], [text('y')]), 'messages.2: '],
    ['with a text before the result', calling([call], [text('y'), result]), 'messages.2'],
    ['with two calls of one id', calling([call, call], [result]), 'messages.1: '],
    ['with results in two messages', calling([call, other], [result], [otherResult]), 'messages.3: '],
    ['with an illegal tool name', offering({ ...tool, name: 'a b' }), 'tools.0.name: '],
    ['with a tool without a schema', offering({ name: 'f' }), 'tools.0.input_schema: Field required'],
    ['with an unknown choice', { ...offering(tool), tool_choice: { type: 'required' } }, 'tool_choice.type'],
    ['with a choice of no tools', { ...base, tool_choice: { type: 'auto' } }, 'tool_choice: '],
    [
      'with a small budget',
      { ...base, thinking: { ...thinking, budget_tokens: 9 } },
      'thinking.budget_tokens: ',
    ],
    ['with thinking and a temperature', { ...base, thinking, temperature: 0 }, 'temperature'],
    ['with five cache breakpoints', blocks(...Array(5).fill(breakpoint)), 'cache_control'],
    ['with a blank stop sequence', { ...base, stop_sequences: [' '] }, 'stop_sequences.0: '],
    ['to Claude with an open schema', format({ type: 'object' }), 'output_config.format.schema: '],
    ['to Claude with an unsupported schema', format(listOf({ minimum: 1 })), "'minimum' is not supported"],
  ])('causes an error in the envelope of the API: %s', async (_name, body, path) => {
    const response = await upstream.postMessage(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(path ?? '') },
      request_id: response.headers.get('request-id'),
    });
  });

  it('causes an error if it has no key or no known version', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await upstream.postTo('/v1/messages', base, { headers })).status;
    const version = { 'anthropic-version': '2023-06-01' };
    expect(await statusOf(version)).toBe(401);
    expect(await statusOf({ 'x-api-key': 'k' })).toBe(400);
    expect(await statusOf({ 'x-api-key': 'k', 'anthropic-version': '2024-01-01' })).toBe(400);
    expect(await statusOf({ ...version, authorization: 'Bearer k' })).toBe(200);
  });
});

describe('a bad Converse request', () => {
  const text = (words: string) => ({ text: words });
  const request = { messages: [user([text('hello')])] };
  const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
  const toolConfig = { tools: [spec('f')] };
  const chatWith = (...messages: unknown[]) => ({ messages, toolConfig });
  const offering = (...tools: object[]) => ({ ...request, toolConfig: { tools } });
  const inferring = (inferenceConfig: object) => ({ ...request, inferenceConfig });
  const toolUse = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'f', input: {} } });
  const toolResult = (content = [text('x')], over = {}) => ({
    toolResult: { toolUseId: 'a', content, ...over },
  });
  const calling = (id: string, ...later: object[]) =>
    chatWith(user([text('x')]), assistant([toolUse(id)]), ...later);
  const called = (...results: object[]) => calling('a', user(results));
  const image = (over: object) =>
    chatWith(user([{ image: { format: 'png', source: { bytes: 'aaaa' }, ...over } }]));
  const format = (schema: string) => ({
    ...request,
    outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema } } } },
  });
  const CLAUDE = 'eu.anthropic.claude-sim-5-v1:0';

  const rejection = async (body: unknown, model?: string) => {
    const response = await upstream.postConverse('converse', body, model);
    const { message } = (await response.json()) as { message: string };
    const type = response.headers.get('x-amzn-errortype')?.split(':')[0];
    return { status: response.status, type, message };
  };

  it.each<Case>([
    ['without messages', {}, 'messages'],
    ['that begins with the assistant', chatWith(assistant([text('x')])), 'messages'],
    ['with two user turns', chatWith(user([text('x')]), user([text('y')])), 'messages.2.member'],
    ['with an unknown role', chatWith({ role: 'system', content: [text('x')] }), 'messages.1.member.role'],
    ['with a blank text', chatWith(user([text(' ')])), 'messages.1.member.content.1.member.text'],
    ['with an empty system text', { ...request, system: [text('')] }, 'system.1.member.text'],
    ['with a block of two kinds', chatWith(user([{ ...text('x'), ...toolUse('a') }])), 'content.1.member'],
    ['with an unknown field', { ...request, max_tokens: 3 }, 'max_tokens'],
    ['with an illegal id', calling('a b'), 'toolUse.toolUseId'],
    ['with a long id', calling('a'.repeat(65)), 'toolUse.toolUseId'],
    ['with a call without a result', called(text('y')), 'messages.3.member'],
    ['that ends with a call', calling('a'), 'messages.2.member'],
    ['with a text before the result', called(text('y'), toolResult()), 'messages.3.member'],
    ['with a failure that says nothing', called(toolResult([], { status: 'error' })), 'toolResult'],
    ['with calls but no tools', { messages: called(toolResult()).messages }, 'toolConfig'],
    ['with an image of another format', image({ format: 'bmp' }), 'image.format'],
    ['with an image by address', image({ source: { url: 'https://x' } }), 'image.source.url'],
    ['with a temperature above 1', inferring({ temperature: 1.5 }), 'temperature'],
    ['with no tokens to spend', inferring({ maxTokens: 0 }), 'inferenceConfig.maxTokens'],
    ['with an illegal tool name', offering(spec('a b')), 'tools.1.member.toolSpec.name'],
    ['with an empty list of tools', offering(), 'toolConfig.tools'],
    ['with a tool without a schema', offering({ toolSpec: { name: 'f' } }), 'toolSpec.inputSchema'],
    ['with two tools of one name', offering(spec('f'), spec('f')), 'toolConfig.tools'],
    [
      'with a choice not offered',
      { ...request, toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'g' } } } },
      'toolConfig.toolChoice',
    ],
    ['with a schema that is no JSON', format('{'), 'jsonSchema.schema'],
  ])('causes a ValidationException %s', async (_name, body, path) => {
    const message = expect.stringMatching(`at '.*${path}'`);
    expect(await rejection(body)).toEqual({ status: 400, type: 'ValidationException', message });
  });

  it.each<Case>([
    ['temperature and topP', inferring({ temperature: 1, topP: 1 }), 'for this model'],
    ['a blank result', called(toolResult([text(' ')])), 'non-empty'],
    [
      'a trailing space in the prefill',
      chatWith(user([text('x')]), assistant([text('y ')])),
      'trailing whitespace',
    ],
    ['an open schema', format('{"type":"object"}'), 'additionalProperties'],
  ])('causes an error with Claude, but not with other models, if it has %s', async (_name, body, words) => {
    const message = expect.stringContaining(words ?? '');
    expect(await rejection(body, CLAUDE)).toEqual({ status: 400, type: 'ValidationException', message });
    expect((await rejection(body, 'other')).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['a body that is not JSON', '{'],
    ['a text in place of a list', { messages: 'hello' }],
  ])('causes an error as an unreadable request: %s', async (_name, body) => {
    expect(await rejection(body)).toMatchObject({ status: 400, type: 'SerializationException' });
  });

  const { authorization } = SIGNED_HEADERS;
  it.each<[string, Record<string, string>, string]>([
    ['no signature', {}, 'MissingAuthenticationTokenException'],
    ['a bearer token', { authorization: 'Bearer k' }, 'MissingAuthenticationTokenException'],
    ['half a signature', { authorization: 'AWS4-HMAC-SHA256 Credential=x' }, 'IncompleteSignatureException'],
    [
      'a signature for another service',
      { ...SIGNED_HEADERS, authorization: authorization.replace('/bedrock/', '/s3/') },
      'InvalidSignatureException',
    ],
    [
      'a signature without the host',
      { ...SIGNED_HEADERS, authorization: authorization.replace('host;', '') },
      'IncompleteSignatureException',
    ],
  ])('causes 403 if it has %s', async (_name, headers, type) => {
    const response = await upstream.postTo('/model/x/converse', request, { headers });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-amzn-errortype')).toMatch(new RegExp(`^${type}:`));
  });

  it('raises the error classes of the official client', async () => {
    const named = {
      400: 'ValidationException',
      403: 'AccessDeniedException',
      404: 'ResourceNotFoundException',
      408: 'ModelTimeoutException',
      424: 'ModelErrorException',
      429: 'ThrottlingException',
      500: 'InternalServerException',
      503: 'ServiceUnavailableException',
    };
    for (const [status, name] of Object.entries(named)) {
      const input = { modelId: `fail-${status}`, ...request } as ConverseCommandInput;
      const failure = upstream.bedrock().send(new ConverseCommand(input));
      await expect(failure).rejects.toMatchObject({ name, $metadata: { httpStatusCode: Number(status) } });
    }
  });
});

describe('a request that requires an AWS signature', () => {
  const signedFor = (service: string) => ({
    ...SIGNED_HEADERS,
    authorization: SIGNED_HEADERS.authorization.replace('/bedrock/', `/${service}/`),
  });
  const version = { 'anthropic-version': '2023-06-01' };
  const workspace = { 'anthropic-workspace-id': 'wrkspc_1' };
  const body = { max_tokens: 16, messages: [{ role: 'user', content: 'Say exactly: hi' }] };
  const post = async (path: string, model: string, headers: Record<string, string>) => {
    const response = await upstream.postTo(path, { ...body, model }, { headers });
    const type = response.headers.get('x-amzn-errortype');
    return { status: response.status, type, text: await response.text() };
  };
  const [RUNTIME, MANTLE, PLATFORM] = [
    '/anthropic/v1/messages',
    '/bedrock-mantle/anthropic/v1/messages',
    '/aws-external-anthropic/v1/messages',
  ];

  it.each([
    [RUNTIME, 'bedrock', 'global.anthropic.claude-x'],
    [MANTLE, 'bedrock-mantle', 'anthropic.claude-x'],
    [PLATFORM, 'aws-external-anthropic', 'claude-x'],
    ['/openai/v1/chat/completions', 'bedrock', 'openai.gpt-oss-20b-1:0'],
    ['/bedrock-mantle/v1/chat/completions', 'bedrock-mantle', 'openai.gpt-oss-20b'],
  ])(
    'succeeds at %s with a signature for %s, and fails with any other and with a key',
    async (path, service, model) => {
      const rest = { ...version, ...workspace };
      expect(await post(path, model, { ...signedFor(service), ...rest })).toMatchObject({ status: 200 });
      const invalid = { status: 403, type: expect.stringMatching(/^InvalidSignatureException:/) };
      for (const other of ['bedrock', 'bedrock-mantle', 'aws-external-anthropic'])
        if (other !== service)
          expect(await post(path, model, { ...signedFor(other), ...rest })).toMatchObject(invalid);
      expect(await post(path, model, { ...rest, 'x-api-key': 'k' })).toMatchObject({ status: 403 });
    },
  );

  it.each([
    ['no version', RUNTIME, 'bedrock', 'global.anthropic.x', workspace, 400, 'anthropic-version'],
    ['no workspace', PLATFORM, 'aws-external-anthropic', 'claude-x', version, 400, 'anthropic-workspace-id'],
    ['a bare id', RUNTIME, 'bedrock', 'anthropic.claude-x', version, 400, 'on-demand'],
    ['the id of a profile', MANTLE, 'bedrock-mantle', 'us.anthropic.x', version, 404, 'does not exist'],
  ])('fails with %s: %s', async (_why, path, service, model, headers, status, words) => {
    const response = await post(path, model, {
      ...signedFor(service),
      ...(headers as Record<string, string>),
    });
    expect(response).toMatchObject({ status, text: expect.stringContaining(words) });
  });
});

it.each<[string, string, Record<string, string>, number, object]>([
  ['OpenAI', '/v1/embeddings', { authorization: 'Bearer k' }, 52, { error: { type: expect.any(String) } }],
  ['the Messages API', '/v1/messages', CLAUDE_HEADERS, 33, { type: 'error', error: {} }],
  ['Bedrock', '/model/x/converse', SIGNED_HEADERS, 25, { message: expect.any(String) }],
])(
  'a request to %s above the size limit fails in its envelope',
  async (_name, path, headers, megabytes, body) => {
    const large = await upstream.postTo(path, 'x'.repeat(megabytes * 1024 * 1024), { headers });
    expect([large.status, await large.json()]).toMatchObject([413, body]);
  },
);

it('a request to an unknown path fails', async () => {
  const headers = { authorization: 'Bearer k' };
  expect((await upstream.postTo('/v1/nowhere', {}, { headers })).status).toBe(404);
});
