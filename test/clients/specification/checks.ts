/**
 * The requirements of the Open Responses specification (openresponses.org, version 2026-04-24) that apply to a service
 * without stored responses. Each check is a request with the conditions for its response, and names its section.
 */
import { expect } from '@jest/globals';
import { PNG } from '../../system/conversations/matrix/scenarios.ts';
import { type CheckedResponse, itemsOf, type Json, list, textOf } from './answer.ts';

export interface Check {
  readonly name: string;
  readonly section: string;
  /** On a model that reasons. */
  readonly reasons?: true;
  /** The fault of the simulated provider, if the check needs one. */
  readonly fault?: Json;
  readonly body: Json;
  /** 200 unless another is named. */
  readonly status?: number;
  /** Checks the conditions in addition to the schema and the stream rules; throws if one does not hold. */
  judge(response: CheckedResponse): void;
}

const user = (content: unknown): Json => ({ type: 'message', role: 'user', content });
const says = (content: string, phase: string): Json => ({
  type: 'message',
  role: 'assistant',
  content,
  phase,
});

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a place.',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const CLOCK = { type: 'function', name: 'get_time', parameters: { type: 'object', properties: {} } };
const CALL = 'call get_weather {"location":"San Francisco, CA"}';

const completes = (type: string) => (response: CheckedResponse) => {
  expect(response.body.status).toBe('completed');
  expect(itemsOf(response, type).map(({ status }) => status)).toEqual(['completed']);
};

const hasText = (text: string | RegExp) => (response: CheckedResponse) => {
  completes('message')(response);
  expect(textOf(response)).toMatch(text);
};

const calls = (response: CheckedResponse) => {
  completes('function_call')(response);
  const [{ name, arguments: argumentsText, call_id: id } = {} as Json] = itemsOf(response, 'function_call');
  expect([name, JSON.parse(String(argumentsText))]).toEqual([
    'get_weather',
    { location: 'San Francisco, CA' },
  ]);
  expect(id).toEqual(expect.stringMatching(/./));
};

/** In a part of its own where the model has one, and else as an answer that was filtered. */
const rejects = (response: CheckedResponse) => {
  const parts = itemsOf(response, 'message').flatMap(({ content }) => list(content));
  const cut = response.body.incomplete_details as Json | null;
  const refusal = [parts.map(({ type }) => type).join(), response.body.status, cut?.reason];
  expect([
    ['refusal', 'completed', undefined],
    ['output_text', 'incomplete', 'content_filter'],
  ]).toContainEqual(refusal);
};

const reasons = (response: CheckedResponse) => {
  expect(response.body.status).toBe('completed');
  const [first] = list(response.body.output);
  expect(first).toMatchObject({ type: 'reasoning', encrypted_content: expect.stringMatching(/./) });
  expect(textOf(response)).toBe('yes');
};

const isCut = (response: CheckedResponse) => {
  expect(response.body).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
  expect(itemsOf(response, 'message').map(({ status }) => status)).toEqual(['incomplete']);
};

const errs = (error: Json) => (response: CheckedResponse) => {
  expect(response.body.error).toMatchObject({ message: expect.stringMatching(/./), ...error });
};

/** Whole, and streamed with the same judgement. */
const both = (check: Check): readonly Check[] => [
  check,
  { ...check, name: `${check.name}, streamed`, body: { ...check.body, stream: true } },
];

export const CHECKS: readonly Check[] = [
  ...both({
    name: 'a text',
    section: 'Chat Inference; Streaming HTTP Responses; Items are streamable',
    body: { input: [user('Repeat exactly: one, two, three, four, five.')] },
    judge: hasText('one, two, three, four, five.'),
  }),
  {
    name: 'an input that is a text',
    section: 'Chat Inference',
    body: { input: 'Repeat exactly: hello' },
    judge: hasText('hello'),
  },
  ...['system', 'developer'].map((role) => ({
    name: `instructions of the role ${role}`,
    section: 'Items are polymorphic',
    body: { input: [{ type: 'message', role, content: 'Repeat exactly: ahoy' }, user('Say hello.')] },
    judge: hasText('ahoy'),
  })),
  {
    name: 'an image',
    section: 'Content',
    body: {
      input: [
        user([
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
        ]),
      ],
    },
    judge: hasText(/image/i),
  },
  {
    name: 'several turns, with phases and the output of a tool',
    section: 'Items are polymorphic; Tool Calling',
    body: {
      input: [
        user('My name is Ada.'),
        says('I see.', 'commentary'),
        says('Hi, Ada.', 'final_answer'),
        user(CALL),
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"location":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'minus 7 degrees' },
      ],
      tools: [WEATHER],
    },
    judge: hasText('minus 7 degrees'),
  },
  ...both({
    name: 'a tool call',
    section: 'Tool Calling',
    body: { input: [user(CALL)], tools: [WEATHER] },
    judge: calls,
  }),
  ...both({
    name: 'reasoning',
    section: 'Reasoning',
    reasons: true,
    body: {
      input: [user('Repeat exactly: yes')],
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    },
    judge: reasons,
  }),
  ...both({
    name: 'a refusal',
    section: 'Content',
    fault: { refusal: true },
    body: { input: 'Hello.' },
    judge: rejects,
  }),
  ...both({
    name: 'an answer cut at its bound',
    section: 'Items are state machines',
    body: { input: 'write 500 words', max_output_tokens: 16 },
    judge: isCut,
  }),
  {
    name: 'tool_choice none',
    section: 'tool_choice',
    body: { input: CALL, tools: [WEATHER], tool_choice: 'none' },
    judge: completes('message'),
  },
  {
    name: 'tool_choice required',
    section: 'tool_choice',
    body: { input: 'Hello.', tools: [WEATHER, CLOCK], tool_choice: 'required' },
    judge: completes('function_call'),
  },
  {
    name: 'tool_choice of one function',
    section: 'tool_choice',
    body: { input: 'Hello.', tools: [WEATHER, CLOCK], tool_choice: { type: 'function', name: 'get_time' } },
    judge: (response) =>
      expect(itemsOf(response, 'function_call').map(({ name }) => name)).toEqual(['get_time']),
  },
  {
    name: 'allowed tools',
    section: 'allowed_tools',
    body: {
      input: 'Use get_weather and get_time.',
      tools: [WEATHER, CLOCK],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_time' }] },
    },
    judge: (response) =>
      expect(itemsOf(response, 'function_call').map(({ name }) => name)).toEqual(['get_time']),
  },
  {
    name: 'what the request set',
    section: 'The response object (reference)',
    body: {
      input: 'Hello.',
      instructions: 'Be brief.',
      temperature: 0.5,
      top_p: 1,
      max_output_tokens: 100,
      metadata: { run: '7' },
      truncation: 'disabled',
      parallel_tool_calls: false,
      tools: [WEATHER],
    },
    judge: ({ body }) =>
      expect(body).toMatchObject({
        instructions: 'Be brief.',
        temperature: 0.5,
        top_p: 1,
        max_output_tokens: 100,
        store: false,
        metadata: { run: '7' },
        truncation: 'disabled',
        parallel_tool_calls: false,
        tools: [{ type: 'function', name: 'get_weather' }],
      }),
  },
  {
    name: 'an invalid request',
    section: 'Errors',
    body: { input: [{ type: 'message', role: 'nobody', content: 'Hi' }] },
    status: 400,
    judge: errs({ type: 'invalid_request_error', param: expect.stringContaining('input') }),
  },
  {
    name: 'a response that is not kept',
    section: 'previous_response_id (should be supported; nothing is kept here)',
    body: { input: 'Hello.', previous_response_id: 'resp_1' },
    status: 400,
    judge: errs({ type: 'invalid_request_error', code: 'state_not_kept', param: 'previous_response_id' }),
  },
  {
    name: 'a provider that fails while it streams',
    section: 'Errors; Streaming, State Machine events',
    fault: { error_event_after_chunks: 2 },
    body: { input: 'write 50 words', stream: true },
    judge: ({ body }) => {
      expect(body).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/./) } });
    },
  },
];
