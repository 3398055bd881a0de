import { inspect } from 'node:util';
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { toFailure } from './errors.ts';

const CANARY = 'heron-7f3a';

/** An error as the API writes it (Claude API docs, Errors, Error shapes). */
const body = (message: unknown): string =>
  JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message }, request_id: CANARY });

interface FailureResponse {
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly protocol?: 'openai' | 'anthropic';
}

const failureOf = (status: number, { text, headers, protocol }: FailureResponse = {}) =>
  toFailure(new Response(text ?? body('no'), { status, headers: headers ?? {} }), protocol ?? 'anthropic');

const paramOf = async (message: unknown, protocol?: 'openai' | 'anthropic') =>
  (await failureOf(400, { text: body(message), protocol: protocol ?? 'anthropic' })).param;

describe('an error response', () => {
  it.each([400, 413, 422])('forbids another attempt if the route rejects the request: %i', async (status) => {
    expect(await failureOf(status)).toMatchObject({ kind: 'status', status, retryable: false });
  });

  it.each([401, 402, 403, 404, 405, 408, 409, 418, 425, 429, 500, 502, 503, 504, 529])(
    'lets another route try otherwise: %i',
    async (status) => {
      expect(await failureOf(status)).toMatchObject({ kind: 'status', status, retryable: true });
    },
  );

  it.each([
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.',
    'You have reached your specified workspace API usage limits.',
  ])('lets another route try when the operator’s account is exhausted: %s', async (message) => {
    expect(await failureOf(400, { text: body(message) })).toMatchObject({
      retryable: true,
      param: undefined,
    });
  });

  it('states when the route can be retried', async () => {
    const headers = { 'retry-after': '17' };
    expect(await failureOf(429, { headers })).toMatchObject({ retryAfterSeconds: 17 });
    expect((await failureOf(529)).retryAfterSeconds).toBeUndefined();
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
    expect(await failureOf(400, { text })).toMatchObject({ status: 400, retryable: false, param: undefined });
  });

  it('repeats nothing else of the upstream’s text, however it is inspected', async () => {
    for (const status of [400, 401, 429, 500]) {
      const text = body(`messages.0.content: ${CANARY}`);
      const failure = await failureOf(status, { text, headers: { 'retry-after': CANARY } });
      const observed = [
        failure.message,
        failure.stack,
        String(failure.cause),
        JSON.stringify(failure),
        inspect(failure),
      ];
      expect(observed.join('\n')).not.toContain(CANARY);
    }
  });

  it('yields no field if its body is longer than the limit', async () => {
    const text = JSON.stringify({ error: { message: 'messages: no', more: 'x'.repeat(128 * 1024) } });
    expect((await failureOf(400, { text })).param).toBeUndefined();
  });

  it('never fails to be read, whatever its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        const failure = await toFailure(new Response(Uint8Array.from(bytes), { status: 422 }), 'anthropic');
        expect(failure.status).toBe(422);
      }),
      { numRuns: 100 },
    );
  });
});
