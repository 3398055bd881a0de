/**
 * The chat completions surface. Stops, several choices and stream details are in `conversations/chat.ts` and
 * `conversations/fidelity.ts`, `Idempotency-Key` in `conversations/idempotency.ts`, and every error status with the
 * exception of the SDK in `boundaries/errors.ts`.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '../envelopes.ts';
import { caller, service, USAGE } from './service.ts';

const user = { role: 'user', content: 'Hi' };
const valid = { model: 'sim/chat', messages: [user] };
const send = (fields: object) => caller.post('/v1/chat/completions', { ...valid, ...fields });

const says = (...messages: readonly object[]) => ({ messages });
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const choice = (fields: object = {}) => [
  {
    index: 0,
    message: { role: 'assistant', content: expect.any(String) },
    finish_reason: 'stop',
    ...fields,
  },
];
const COMPLETION = {
  id: expect.any(String),
  object: 'chat.completion',
  created: expect.any(Number),
  model: 'sim/chat',
  choices: choice(),
  usage: USAGE,
};
const called = choice({
  finish_reason: 'tool_calls',
  message: {
    role: 'assistant',
    tool_calls: [{ type: 'function', function: { name: 'weather', arguments: expect.any(String) } }],
  },
});

/** A request in words, the fields that it changes, and the parts of the response that follow from them. */
const ACCEPTED: readonly (readonly [string, object, object?])[] = [
  ['with a model and messages alone', {}],
  [
    'whose messages have each of the four roles',
    says(
      { role: 'system', content: 'Be brief.' },
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Sun.' },
    ),
  ],
  [
    'whose content has parts of text and an image',
    says({
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    }),
  ],
  [
    'whose assistant message has tool calls and no content',
    says(
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '1' },
    ),
  ],
  ['whose message has no content', says(user, { role: 'user' })],
  [
    'whose tool message has no id',
    says(user, { role: 'assistant', tool_calls: [call] }, { role: 'tool', content: 'Sun.' }),
  ],
  ['whose message has a name', says({ ...user, name: 'ann' })],
  ['that is not streamed by request', { stream: false }],
  ['with the lowest temperature', { temperature: 0 }],
  ['with the highest temperature', { temperature: 2 }],
  ['with an output limit of one token', { max_tokens: 1 }, { choices: choice({ finish_reason: 'length' }) }],
  ['with top_p', { top_p: 0.5 }],
  ['with one stop sequence', { stop: 'zzz' }],
  ['with stop sequences', { stop: ['yyy', 'zzz'] }],
  ['with one choice by request', { n: 1 }],
  ['with penalties', { presence_penalty: 0.5, frequency_penalty: -0.5 }],
  ['with tools that it may call', { tools: [weather], tool_choice: 'none' }],
  ['that must call a tool', { tools: [weather], tool_choice: 'required' }, { choices: called }],
  [
    'that must call one named tool',
    { tools: [weather], tool_choice: { type: 'function', function: { name: 'weather' } } },
    { choices: called },
  ],
  [
    'for JSON',
    { response_format: { type: 'json_object' } },
    { choices: choice({ message: { role: 'assistant', content: expect.stringMatching(/^\{/) } }) },
  ],
];

describe('the chat surface', () => {
  it.each(ACCEPTED)('completes a request %s', async (_words, fields, expected = {}) => {
    const response = await send(fields);
    const completion = (await response.json()) as { readonly usage: Record<keyof typeof USAGE, number> };
    expect([response.status, completion]).toMatchObject([200, { ...COMPLETION, ...expected }]);
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage;
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  it('applies the defaults of the interface: temperature 0.7 and 256 tokens of output', async () => {
    const before = (await service.received()).at(-1)?.sequence ?? 0;
    await send({});
    const [received] = await service.received(before);
    expect(received?.body).toMatchObject({ temperature: 0.7, max_tokens: 256 });
  });

  it('streams chunks with `[DONE]` at the end, if requested', async () => {
    const response = await send({ stream: true });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const data = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, value = '']) => value);
    expect(data.pop()).toBe('[DONE]');
    for (const value of data)
      expect(JSON.parse(value)).toMatchObject({
        object: 'chat.completion.chunk',
        choices: expect.any(Array),
      });
  });
});

const withTool = (fields: object, tool_choice?: string) => ({
  tools: [{ type: 'function', function: { name: 'f' }, ...fields }],
  tool_choice,
});
const NOT_THERE: readonly (readonly [string, object])[] = [
  ['model', { model: undefined }],
  ['messages', { messages: undefined }],
  ['messages[0].role', says({ content: 'Hi' })],
  [
    'messages[0].content[0].image_url.url',
    says({ role: 'user', content: [{ type: 'image_url', image_url: {} }] }),
  ],
  [
    'messages[1].tool_calls[0].function.arguments',
    says(user, { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f' } }] }),
  ],
  ['tools[0].function', withTool({ function: undefined })],
  ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
];
const WRONG: readonly (readonly [string, object])[] = [
  ['model', { model: 7 }],
  ['messages', { messages: [] }],
  ['messages', { messages: 'Hi' }],
  ['messages[0].role', says({ role: 'robot', content: 'Hi' })],
  ['messages[2].content', says(user, user, { role: 'user', content: 5 })],
  ['messages[0].content[0].type', says({ role: 'user', content: [{ type: 'smell' }] })],
  ['messages[0].name', says({ ...user, name: 5 })],
  ['stream', { stream: 'yes' }],
  ['temperature', { temperature: 2.1 }],
  ['temperature', { temperature: -0.1 }],
  ['temperature', { temperature: '1' }],
  ['max_tokens', { max_tokens: 0 }],
  ['max_tokens', { max_tokens: 1.5 }],
  ['max_tokens', { model: 'sim/chat-large', max_tokens: 65_537 }],
  ['max_completion_tokens', { model: 'sim/chat-large', max_completion_tokens: 65_537 }],
  ['max_completion_tokens', { max_tokens: 5, max_completion_tokens: 6 }],
  ['top_p', { top_p: 1.01 }],
  ['stop', { stop: 5 }],
  ['n', { n: 0 }],
  ['n', { n: 129 }],
  ['presence_penalty', { presence_penalty: 2.5 }],
  ['frequency_penalty', { frequency_penalty: -2.5 }],
  ['tools', { tools: {} }],
  ['tools[0].function.name', withTool({ function: { name: 'a b' } })],
  ['tool_choice', withTool({}, 'perhaps')],
  ['response_format.type', { response_format: { type: 'xml' } }],
  ['stream_options', { stream: true, stream_options: 1 }],
  ['provider', { provider: { prefer: 'x' } }],
  ['provider', { provider: { only: ['nowhere'] } }],
];
const REJECTED = [
  ['model_not_found', 'model', { model: 'no/such' }] as const,
  ['model_not_found', 'models[0]', { models: ['no/such'] }] as const,
  ...NOT_THERE.map(([param, fields]) => ['missing_field', param, fields] as const),
  ...WRONG.map(([param, fields]) => ['invalid_value', param, fields] as const),
];

describe('a rejected chat request', () => {
  let before: Awaited<ReturnType<typeof caller.wallet>>;
  beforeAll(async () => {
    before = await caller.wallet();
  });

  it.each(REJECTED)('causes 400 with the field at fault: %s of %s in %j', async (code, param, fields) => {
    await expectError(await send(fields), 400, code, param);
  });

  it('costs nothing and holds nothing', async () => expect(await caller.wallet()).toEqual(before));
});
