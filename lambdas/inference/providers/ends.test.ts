import { describe, expect, it } from '@jest/globals';
import { FORMAT_NAMES, type FormatName } from '../testing/completions/received.ts';
import { play, ROUTES, type RouteProtocol } from '../testing/providers/played.ts';
import { type VendorAnswer, waysOf } from '../testing/providers/vendor-answers.ts';

const CALLED = [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }];
const CALL = { name: 'f', input: { a: 1 } };

/** The words of each protocol, and those that servers of it have from others. */
const WORDS: Readonly<Record<string, Readonly<Record<RouteProtocol, readonly string[]>>>> = {
  length: {
    openai: [
      'length',
      'MAX_TOKENS',
      'max_output_tokens',
      'model_length',
      'model_context_window_exceeded',
      'repetition',
    ],
    'openai-responses': ['max_output_tokens', 'max_tokens', 'length', 'max_tool_calls', 'a_new_reason'],
    anthropic: ['max_tokens', 'length', 'max_output_tokens'],
    bedrock: ['max_tokens', 'model_context_window_exceeded'],
    gemini: ['MAX_TOKENS'],
  },
  refusal: {
    openai: ['content_filter', 'SAFETY', 'safety', 'sensitive', 'content-filter', 'PROHIBITED_CONTENT'],
    'openai-responses': ['content_filter', 'SAFETY'],
    anthropic: ['refusal', 'content_filter'],
    bedrock: ['content_filtered', 'guardrail_intervened'],
    gemini: ['SAFETY', 'RECITATION', 'MODEL_ARMOR', 'IMAGE_PROHIBITED_CONTENT', 'OTHER'],
  },
  failure: {
    openai: [
      'error',
      'abort',
      'cancelled',
      'canceled',
      'timeout',
      'insufficient_system_resource',
      'MALFORMED_FUNCTION_CALL',
    ],
    'openai-responses': ['error', 'cancelled', 'server_error'],
    anthropic: ['abort', 'error', 'malformed_tool_use'],
    bedrock: ['malformed_tool_use', 'malformed_model_output'],
    gemini: [
      'MALFORMED_FUNCTION_CALL',
      'UNEXPECTED_TOOL_CALL',
      'TOO_MANY_TOOL_CALLS',
      'MISSING_THOUGHT_SIGNATURE',
    ],
  },
};

const rowsOf = (kind: string) =>
  ROUTES.flatMap((route) =>
    (WORDS[kind]?.[route] ?? []).flatMap((end) =>
      FORMAT_NAMES.map((caller) => [route, end, caller] as const),
    ),
  );

const heard = (route: RouteProtocol, caller: FormatName, answer: VendorAnswer) =>
  Promise.all(waysOf(route, answer).map((wire) => play({ caller, route }, wire)));

/** A native Responses route has its own words for an incomplete response. */
const endsOf = (route: RouteProtocol, caller: FormatName, end: string, own: string) =>
  route === 'openai-responses' && caller === 'responses' ? [end, own] : [end];

describe('half an answer', () => {
  it.each(rowsOf('length'))(
    'appears cut short on %s with the end %s, for a caller of %s',
    async (route, end, caller) => {
      for (const answer of await heard(route, caller, { text: 'half', end }))
        expect(endsOf(route, caller, 'length', end)).toContain(answer?.end);
    },
  );

  it.each(rowsOf('refusal'))(
    'appears filtered on %s with the end %s, for a caller of %s',
    async (route, end, caller) => {
      for (const answer of await heard(route, caller, { text: 'half', end }))
        expect(endsOf(route, caller, 'filter', end)).toContain(answer?.end);
    },
  );

  it.each(rowsOf('failure'))(
    'fails on %s with the end %s, for a caller of %s',
    async (route, end, caller) => {
      for (const text of ['half', ''])
        expect(await heard(route, caller, { text, end })).toEqual([undefined, undefined]);
    },
  );
});

/** The plain end of each protocol, and its end for calls. */
const ENDS: Readonly<Record<RouteProtocol, readonly [plain: string, calls: string]>> = {
  openai: ['stop', 'tool_calls'],
  'openai-responses': ['completed', 'completed'],
  anthropic: ['end_turn', 'tool_use'],
  bedrock: ['end_turn', 'tool_use'],
  gemini: ['STOP', 'STOP'],
};
const PAIRS = ROUTES.flatMap((route) => FORMAT_NAMES.map((caller) => [route, caller] as const));

describe('a whole answer', () => {
  it.each(PAIRS)(
    'ends plainly on %s, for a caller of %s, if its end says calls and it has none',
    async (route, caller) => {
      for (const answer of await heard(route, caller, { text: 'Hi', end: ENDS[route][1] }))
        expect(answer).toMatchObject({ text: 'Hi', calls: [], end: 'stop' });
    },
  );

  it.each(PAIRS)(
    'ends for its calls on %s, for a caller of %s, whatever its end says',
    async (route, caller) => {
      for (const end of ENDS[route])
        for (const answer of await heard(route, caller, { text: 'Hi', calls: CALLED, end }))
          expect(answer).toMatchObject({ text: 'Hi', calls: [CALL], end: 'calls' });
    },
  );

  it.each(PAIRS)('ends plainly on %s, for a caller of %s, if nobody knows its end', async (route, caller) => {
    if (route === 'openai-responses') return;
    // A new word of Messages is passed to its own callers.
    const plain = route === 'anthropic' && caller === 'messages' ? 'a_new_word' : 'stop';
    for (const answer of await heard(route, caller, { text: 'Hi', end: 'a_new_word' }))
      expect(answer).toMatchObject({ text: 'Hi', end: plain });
  });
});

describe('a stream whose events all have an end', () => {
  const chunk = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: 'stop' }] });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
  const body = (part: object, tokens: number) => ({
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: tokens },
  });
  const functionCall = { id: 'call_1', name: 'f', args: { a: 1 } };
  const delta = (output_tokens: number) => ({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens },
  });
  const block = (index: number, text: string) => [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index },
  ];
  const STREAMS = {
    openai: [
      ...['Hello ', 'big '].map((content) => chunk({ content })),
      chunk({ content: 'world' }),
      chunk({ tool_calls: [call] }),
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } },
      '[DONE]',
    ],
    gemini: [
      ...['Hello ', 'big '].map((text, at) => body({ text }, at)),
      body({ text: 'world' }, 7),
      body({ functionCall }, 9),
    ],
    anthropic: [
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      ...block(0, 'Hello big '),
      delta(3),
      ...block(1, 'world'),
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'call_1', name: 'f', input: {} },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'content_block_stop', index: 2 },
      delta(9),
      { type: 'message_stop' },
    ],
  } as const;

  it.each(
    (['openai', 'gemini', 'anthropic'] as const).flatMap((route) =>
      FORMAT_NAMES.map((caller) => [route, caller] as const),
    ),
  )('gives %s’s last text, call and usage to a caller of %s, and ends once', async (route, caller) => {
    expect(await play({ caller, route }, { events: STREAMS[route] })).toMatchObject({
      text: 'Hello big world',
      calls: [CALL],
      end: 'calls',
      output: 9,
    });
  });
});

describe('a Responses answer', () => {
  const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'half' }] }];

  it.each(FORMAT_NAMES)(
    'appears cut short to a caller of %s if only its last event says that it is incomplete',
    async (caller) => {
      const events = [{ type: 'response.incomplete', response: { output } }];
      const answer = await play({ caller, route: 'openai-responses' }, { events });
      // A response of a caller's own protocol gives no reason either.
      expect(endsOf('openai-responses', caller, 'length', '')).toContain(answer?.end);
    },
  );

  it.each(FORMAT_NAMES)(
    'fails for a caller of %s if its last event completes a response that has failed',
    async (caller) => {
      for (const fields of [
        { status: 'failed' },
        { status: 'cancelled' },
        { error: { code: 'server_error' } },
      ])
        expect(
          await play(
            { caller, route: 'openai-responses' },
            { events: [{ type: 'response.completed', response: { output, ...fields } }] },
          ),
        ).toBeUndefined();
    },
  );
});
