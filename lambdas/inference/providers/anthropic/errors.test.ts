import { describe, expect, it } from '@jest/globals';
import { toFailure } from './errors.ts';

const CANARY = 'heron-7f3a';

/** An error as the API writes it (Claude API docs, Errors, Error shapes). */
const body = (message: unknown): string =>
  JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message }, request_id: CANARY });

const failureOf = (text: string, protocol: 'openai' | 'anthropic' = 'anthropic') =>
  toFailure(new Response(text, { status: 400 }), protocol);

const paramOf = async (message: unknown, protocol?: 'openai' | 'anthropic') =>
  (await failureOf(body(message), protocol)).param;

describe('an error response', () => {
  it.each([
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.',
    'You have reached your specified workspace API usage limits.',
  ])('lets another route try when the operator’s account is exhausted: %s', async (message) => {
    expect(await failureOf(body(message))).toMatchObject({
      retryable: true,
      param: undefined,
    });
  });

  it.each([
    ['max_tokens: Field required', 'max_tokens'],
    ['max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens', 'max_tokens'],
    ['messages: at least one message is required', 'messages'],
    ['messages.0.content: Input should be a valid list', 'messages[0].content'],
    ['messages.100000.content.2: x', 'messages[100000].content[2]'],
    ['messages.1.content.1.tool_use.input: Field required', 'messages[1].content[1].input'],
    [
      'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
      'messages[0].content[0]',
    ],
    ['messages.0.content.0.text.text: Field required', 'messages[0].content[0].text'],
    [
      'messages.2.content.0.tool_result.content.1.image.source.base64.data: x',
      'messages[2].content[0].content[1].source.data',
    ],
    ['messages.0.content.0.image.source.url.url: x', 'messages[0].content[0].source.url'],
    ['messages.1.content.0.thinking.signature: Field required', 'messages[1].content[0].signature'],
    ["tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", 'tools[0].name'],
    ['tools.3.custom.input_schema.type: Field required', 'tools[3].input_schema.type'],
    ['tool_choice.tool.name: Field required', 'tool_choice.name'],
    [
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
      'thinking.budget_tokens',
    ],
    ['temperature: range: 0..1', 'temperature'],
  ])('names the rejected field, in our path format: %s', async (message, param) => {
    expect(await paramOf(message)).toBe(param);
  });

  it.each([
    ['messages.7.content.0.text.text: x', 'messages'],
    ['system: text content blocks must be non-empty', 'messages'],
    ['tools.0.custom.name: x', 'tools'],
    ['max_tokens: x', 'max_tokens'],
    ['stop_sequences.0: x', 'stop'],
    ['output_config.format.schema: x', 'response_format'],
    ['metadata.user_id: x', 'user'],
    ['thinking.enabled.budget_tokens: x', undefined],
    ['top_k: x', undefined],
  ])('names to a caller of another protocol only the field that it wrote: %s', async (message, param) => {
    expect(await paramOf(message, 'openai')).toBe(param);
  });

  it.each([
    `${CANARY}: no`,
    `messages.0.${CANARY}: no`,
    'messages.0.content',
    'messages.0.content:no',
    ' messages.0.content: no',
    'Messages: no',
    'messages..content: no',
    'messages.: no',
    'messages[0].content: no',
    'prompt is too long: 208310 tokens > 200000 maximum',
    'error: messages: no',
    'constructor: no',
    'toString: no',
    `messages${'.a'.repeat(13)}: no`,
    `messages.${'a'.repeat(65)}: no`,
    'messages.1234567: no',
    '`temperature` and `top_p` cannot both be specified for this model.',
    '',
    7,
    null,
    ['messages: no'],
  ])('names no field that is not plainly one: %j', async (message) => {
    expect(await paramOf(message)).toBeUndefined();
    expect(await paramOf(message, 'openai')).toBeUndefined();
  });

  it('names only the first field of a path that continues in words that are not fields', async () => {
    expect(await paramOf('messages.0.heron_node.content: no')).toBe('messages');
  });

  it.each([
    '',
    'null',
    '[]',
    '"messages"',
    '{"error":null}',
    '{"error":"messages: x"}',
    '<html>',
    '{"error":{',
  ])('names no field when its body is of another form: %s', async (text) => {
    expect(await failureOf(text)).toMatchObject({ status: 400, retryable: false, param: undefined });
  });
});
