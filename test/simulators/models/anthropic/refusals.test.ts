import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { CLAUDE_HEADERS, runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const base = { model: 'sim', max_tokens: 2000, messages: [user('hello')] };
const talk = (...messages: object[]) => ({ ...base, messages });
const saying = (...content: object[]) => talk(user(content));
const text = (words: string) => ({ type: 'text', text: words });
const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' };
const tool = { name: 'f', input_schema: { type: 'object' } };
const thinking = { type: 'enabled', budget_tokens: 1024 };
const openSchema = { type: 'object', properties: { a: { type: 'integer' } } };
const format = (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } });
const claude = { ...base, model: 'claude-sim-5' };

describe('a bad request', () => {
  const error = async (body: unknown, headers: Record<string, string> = CLAUDE_HEADERS) => {
    const response = await upstream.postTo('/v1/messages', body, { headers });
    const answer = (await response.json()) as { request_id: string; error: { message: string } };
    expect(answer.request_id).toBe(response.headers.get('request-id'));
    return { status: response.status, ...answer };
  };

  it.each<[string, unknown, string]>([
    ['that is not JSON', '{"model":', 'The request body is not valid JSON.'],
    ['that is no object', [], 'Input should be a valid dictionary'],
    ['without max_tokens', { ...base, max_tokens: undefined }, 'max_tokens: Field required'],
    ['with an unknown field', { ...base, n: 2 }, 'n: Extra inputs are not permitted'],
    ['with a temperature above 1', { ...base, temperature: 1.5 }, 'temperature: range: 0..1'],
    ['with null for a field', { ...base, system: null }, 'system: Input should be a valid list'],
    ['without messages', talk(), 'messages: at least one message is required'],
    [
      'that begins with the assistant',
      talk(assistant('x')),
      'messages: first message must use the "user" role',
    ],
    [
      'with a system message',
      talk({ role: 'system', content: 'x' }),
      "role 'system' is not supported on this model",
    ],
    ['with content of the wrong type', talk(user(3)), 'messages.0.content: Input should be a valid list'],
    [
      'with an unknown block',
      saying({ type: 'video' }),
      "messages.0.content.0: Input tag 'video' found using 'type'",
    ],
    ['with a block without type', saying({ text: 'x' }), 'messages.0.content.0.type: Field required'],
    [
      'with an unknown field in a block',
      saying({ ...text('x'), foo: 1 }),
      'messages.0.content.0.text.foo: Extra inputs',
    ],
    ['with an empty text', saying(text('')), 'messages: text content blocks must be non-empty'],
    [
      'with a blank text',
      saying(text(' ')),
      'messages: text content blocks must contain non-whitespace text',
    ],
    [
      'with an empty message',
      talk(user(''), assistant('x'), user('y')),
      'messages.0: all messages must have non-empty content',
    ],
    [
      'with a trailing space in the prefill',
      talk(user('x'), assistant('y ')),
      'final assistant content cannot end with trailing whitespace',
    ],
    [
      'with an image of another format',
      saying({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'aaaa' } }),
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ],
    [
      'with broken base64',
      saying({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '%' } }),
      'messages.0.content.0.image.source.base64.data: Invalid base64 data',
    ],
    ['with a call by the user', talk(user([call])), '`tool_use` blocks can only be in `assistant` messages'],
    [
      'with an illegal call id',
      talk(user('x'), assistant([{ ...call, id: 'a:b' }])),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'with arguments as text',
      talk(user('x'), assistant([{ ...call, input: '{}' }])),
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    [
      'with a call without a result',
      talk(user('x'), assistant([call]), user('y')),
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    ],
    [
      'with a text before the result',
      talk(user('x'), assistant([call]), user([text('y'), result])),
      'messages.1: `tool_use` ids were found without',
    ],
    [
      'with a result without a call',
      talk(user('x'), assistant('y'), user([result])),
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.',
    ],
    [
      'with two calls of one id',
      talk(user('x'), assistant([call, call]), user([result])),
      '`tool_use` ids must be unique',
    ],
    [
      'with two results of one call',
      talk(user('x'), assistant([call]), user([result, result])),
      'each tool_use must have a single result',
    ],
    [
      'with an illegal tool name',
      { ...base, tools: [{ ...tool, name: 'a b' }] },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      'with a tool without a schema',
      { ...base, tools: [{ name: 'f' }] },
      'tools.0.custom.input_schema: Field required',
    ],
    ['with two tools of one name', { ...base, tools: [tool, tool] }, 'tools: Tool names must be unique.'],
    [
      'with an unknown tool choice',
      { ...base, tools: [tool], tool_choice: { type: 'required' } },
      "tool_choice: Input tag 'required' found using 'type'",
    ],
    [
      'with a choice of no tools',
      { ...base, tool_choice: { type: 'auto' } },
      'tool_choice may only be specified while providing `tools`.',
    ],
    [
      'with a choice not offered',
      { ...base, tools: [tool], tool_choice: { type: 'tool', name: 'g' } },
      "Tool 'g' not found in provided tools",
    ],
    [
      'with a small budget',
      { ...base, thinking: { ...thinking, budget_tokens: 9 } },
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      'with a budget above the limit',
      { ...base, thinking, max_tokens: 1024 },
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
    [
      'with thinking and a forced tool',
      { ...base, thinking, tools: [tool], tool_choice: { type: 'any' } },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      'with thinking and a temperature',
      { ...base, thinking, temperature: 0 },
      '`temperature` may only be set to 1 when thinking is enabled',
    ],
    [
      'that lost the thought before a call',
      { ...talk(user('x'), assistant([call]), user([result])), thinking },
      'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    ],
    [
      'with five cache breakpoints',
      saying(...Array(5).fill({ ...text('x'), cache_control: { type: 'ephemeral' } })),
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'to Claude with temperature and top_p',
      { ...claude, temperature: 1, top_p: 1 },
      '`temperature` and `top_p` cannot both be specified for this model',
    ],
    [
      'to Claude with an open schema',
      { ...claude, ...format(openSchema) },
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      'to Claude with an unsupported schema',
      { ...claude, ...format({ type: 'array', items: { type: 'integer', minimum: 1 } }) },
      "For 'integer' type, properties minimum are not supported",
    ],
  ])('%s is refused as the Claude API refuses it', async (_name, body, message) => {
    expect(await error(body)).toMatchObject({
      status: 400,
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
    });
  });

  it.each<[string, object, string]>([
    ['temperature', { ...base, temperature: 1 }, 'temperature: Extra inputs are not permitted'],
    [
      'a document of the assistant',
      talk(
        user('x'),
        assistant([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }]),
        user('y'),
      ),
      '`document` blocks can only be in `user` messages',
    ],
    [
      'citations of the user',
      saying({ ...text('x'), citations: [{}] }),
      'citations: Extra inputs are not permitted',
    ],
  ])('with %s is refused in version 2026-10-21 alone', async (_name, body, message) => {
    const newer = { ...CLAUDE_HEADERS, 'anthropic-version': '2026-10-21' };
    expect((await error(body, newer)).error.message).toContain(message);
    expect((await upstream.postMessage(body)).status).toBe(200);
  });

  it('to count tokens is held to the same rules', async () => {
    const path = '/v1/messages/count_tokens';
    const response = await upstream.postTo(path, base, { headers: CLAUDE_HEADERS });
    expect(await response.json()).toMatchObject({
      error: { message: 'max_tokens: Extra inputs are not permitted' },
    });
  });

  it('without a key or a known version is refused', async () => {
    const version = { 'anthropic-version': '2023-06-01' };
    expect(await error(base, version)).toMatchObject({
      status: 401,
      error: { type: 'authentication_error' },
    });
    const missing = await error(base, { 'x-api-key': 'k' });
    expect(missing).toMatchObject({
      status: 400,
      error: { message: 'anthropic-version: header is required' },
    });
    const unknown = await error(base, { 'x-api-key': 'k', 'anthropic-version': '2024-01-01' });
    expect(unknown.error.message).toContain('"2024-01-01" is not a valid version');
    const bearer = { ...version, authorization: 'Bearer k' };
    expect((await upstream.postTo('/v1/messages', base, { headers: bearer })).status).toBe(200);
  });

  it('to a path or by a method that is not there is refused in the envelope of the protocol', async () => {
    const nowhere = await upstream.postTo('/v1/messages/nowhere', base, { headers: CLAUDE_HEADERS });
    expect([nowhere.status, await nowhere.json()]).toMatchObject([
      404,
      { error: { type: 'not_found_error' } },
    ]);
    const get = await fetch(`${upstream.running.url}/v1/messages`, { headers: CLAUDE_HEADERS });
    expect(get.status).toBe(405);
    const large = await error(`{"x":"${'x'.repeat(33 * 1024 * 1024)}"}`);
    expect(large).toMatchObject({ status: 413, error: { type: 'request_too_large' } });
  });

  it('raises the error classes of the official client', async () => {
    const failing = (model: string) =>
      upstream
        .anthropic()
        .messages.create({ model, max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
    await expect(failing('')).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(failing('fail-429')).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    await expect(failing('fail-529')).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
  });
});
