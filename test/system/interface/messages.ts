/**
 * The Messages surface. The order of its events over each protocol, thinking and token counts are in
 * `conversations/messages.ts`, and every error status with the exception of the SDK in `boundaries/errors.ts`.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectMessagesError } from '../envelopes.ts';
import { caller, service } from './service.ts';

const user = { role: 'user', content: 'Hi' };
const valid = { model: 'sim/chat-anthropic', messages: [user] };
const send = (fields: object) => caller.post('/v1/messages', { ...valid, ...fields });

const says = (...messages: readonly object[]) => ({ messages });
const tools = [{ name: 'weather', description: 'The weather.', input_schema: { type: 'object' } }];
const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
const image = {
  type: 'image',
  source: { type: 'url', url: 'https://example.com/a.png' },
};

const MESSAGE = {
  id: expect.any(String),
  type: 'message',
  role: 'assistant',
  model: 'sim/chat-anthropic',
  content: [{ type: 'text', text: expect.any(String) }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
};
const called = {
  stop_reason: 'tool_use',
  content: [{ type: 'tool_use', id: expect.any(String), name: 'weather', input: expect.any(Object) }],
};

/** A request in words, the fields that it changes, and the parts of the response that follow from them. */
const ACCEPTED: readonly (readonly [string, object, object?])[] = [
  ['with a model and messages alone', {}],
  ['for a model in the style of another provider', { model: 'claude-haiku-4-5' }],
  ['whose system instruction is a string', { system: 'Be brief.' }],
  ['whose system instruction has text blocks', { system: [{ type: 'text', text: 'Be brief.' }] }],
  ['whose content has text blocks', says({ role: 'user', content: [{ type: 'text', text: 'Hi' }] })],
  ['whose content has an image', says({ role: 'user', content: [{ type: 'text', text: 'What?' }, image] })],
  [
    'that sends a tool result back by its id',
    {
      tools,
      ...says(
        user,
        { role: 'assistant', content: [use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sun.' }] },
      ),
    },
  ],
  ['with an output limit of one token', { max_tokens: 1 }, { stop_reason: 'max_tokens' }],
  ['with a temperature', { temperature: 0 }],
  ['with top_p', { top_p: 0.5 }],
  [
    'with stop sequences',
    { stop_sequences: ['two'], ...says({ role: 'user', content: 'Repeat exactly: one two three' }) },
    { stop_reason: 'stop_sequence', stop_sequence: 'two' },
  ],
  ['that is not streamed by request', { stream: false }],
  [
    'that may call tools',
    { tools, tool_choice: { type: 'auto' } },
    { content: expect.any(Array), stop_reason: expect.any(String) },
  ],
  ['that must call any tool', { tools, tool_choice: { type: 'any' } }, called],
  ['that must call one named tool', { tools, tool_choice: { type: 'tool', name: 'weather' } }, called],
  ['that may call no tool', { tools, tool_choice: { type: 'none' } }],
];

describe('the Messages surface', () => {
  it.each(ACCEPTED)('returns a message to a request %s', async (_words, fields, expected = {}) => {
    const response = await send(fields);
    const model = 'model' in fields ? { model: expect.any(String) } : {};
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { ...MESSAGE, ...model, ...expected },
    ]);
  });

  it('applies the defaults of the interface: temperature 0.7 and 256 tokens of output', async () => {
    const before = (await service.received()).at(-1)?.sequence ?? 0;
    await send({});
    const [received] = await service.received(before);
    expect(received?.body).toMatchObject({ temperature: 0.7, max_tokens: 256 });
  });

  it('streams events in their order, and tool arguments as `input_json_delta`', async () => {
    const response = await send({ stream: true, tools, tool_choice: { type: 'any' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const text = await response.text();
    const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type = '']) => type);
    const order = types.filter((type, at) => type !== 'ping' && type !== types[at - 1]);
    expect(order).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(text).toContain('"type":"input_json_delta"');
  });
});

const REJECTED: readonly (readonly [string, object])[] = [
  ['without a model', { model: undefined }],
  ['for a model that the catalog does not have', { model: 'no/such' }],
  ['without messages', { messages: undefined }],
  ['whose message has no role', says({ content: 'Hi' })],
  ['whose message has another role', says({ role: 'tool', content: 'Hi' })],
  ['whose message has no content', says({ role: 'user' })],
  ['whose content is a number', says({ role: 'user', content: 5 })],
  ['whose block has another type', says({ role: 'user', content: [{ type: 'smell' }] })],
  ['whose system instruction is a number', { system: 5 }],
  ['with an output limit of nothing', { max_tokens: 0 }],
  ['with a temperature in words', { temperature: 'hot' }],
  ['with one stop sequence in place of an array', { stop_sequences: 'two' }],
  ['with a stream in words', { stream: 'yes' }],
  ['whose tool has no name', { tools: [{ input_schema: { type: 'object' } }] }],
  ['whose tool has no schema', { tools: [{ name: 'weather' }] }],
  ['whose tool choice is a word', { tools, tool_choice: 'any' }],
];

describe('a rejected Messages request', () => {
  let before: Awaited<ReturnType<typeof caller.wallet>>;
  beforeAll(async () => {
    before = await caller.wallet();
  });

  it.each(REJECTED)('causes 400 in the envelope of Messages: %s', async (_words, fields) => {
    await expectMessagesError(await send(fields), 400, 'invalid_request_error');
  });

  it('costs nothing and holds nothing', async () => expect(await caller.wallet()).toEqual(before));
});
