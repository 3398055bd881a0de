import { describe, expect, it } from '@jest/globals';
import {
  block,
  change,
  closed,
  END,
  outcome,
  START,
  STOP,
  wire,
} from '../testing/providers/anthropic/decoding.ts';
import { FOREIGN, NATIVE } from '../testing/providers/anthropic/fixtures.ts';
import { outcome as chunkOutcome, encode, event } from '../testing/providers/openai/decoding.ts';
import { CALL } from '../testing/providers/openai/fixtures.ts';
import { toReply as toMessageReply } from './anthropic/response.ts';
import { toFinish as toBedrockFinish } from './bedrock/response.ts';
import { toReply } from './openai/response.ts';

const CANARY = 'heron-7f3a';
const choice = (more: object = {}) => ({ index: 0, message: { role: 'assistant', content: 'Hi' }, ...more });
const completion = (more: object = {}) => ({ created: 5, choices: [choice()], ...more });
const bodyOf = (answer: object) => JSON.stringify(toReply(answer, CALL));
const PROTOCOL_FAILURE = { kind: 'protocol' };

describe('a completion', () => {
  it('keeps what its choices say, under whatever name servers have for it', () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      reasoning: 'Hm',
      reasoning_content: 'Hm',
      annotations: [{ type: 'url_citation' }],
      citations: ['https://a'],
      audio: { id: 'a' },
      images: [{}],
      reasoning_details: [{ text: 'Hm' }],
      function_call: { name: 'f', arguments: '{}' },
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: {} },
      ],
    };
    const answer = completion({
      choices: [
        choice({ message, logprobs: { content: [] }, finish_reason: 'tool_calls', stop_reason: '###' }),
      ],
      citations: ['https://a'],
      search_results: [{ title: 'A' }],
      service_tier: 'flex',
    });
    expect(toReply(answer, CALL).answer).toMatchObject({ body: answer });
  });

  it.each([
    { provider: CANARY, system_fingerprint: CANARY, x_groq: { id: CANARY }, obfuscation: CANARY },
    { usage: { prompt_tokens: 1, completion_tokens: 1, cost: CANARY, is_byok: true, provider: CANARY } },
    { usage: { prompt_tokens: 1, completion_tokens: 1, cost_details: { upstream_inference_cost: CANARY } } },
    { usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: CANARY } } },
    { service_tier: CANARY },
    { choices: [choice({ content_filter_results: CANARY, provider: CANARY })] },
    { choices: [choice({ message: { content: 'Hi', provider_specific_fields: CANARY, role: CANARY } })] },
  ])('leaves out what shows the vendor: %j', (more) => {
    expect(bodyOf(completion(more))).not.toContain(CANARY);
  });

  it('counts what the figures of an account say, and no cost', () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      cost: 0.1,
      completion_tokens_details: { reasoning_tokens: 1, price: 4 },
    };
    expect(toReply(completion({ usage }), CALL).usage?.reported).toEqual({
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 1 },
    });
  });

  it.each([
    { created: 'now' },
    { created: {} },
    { choices: [choice({ index: {} })] },
    { choices: [choice({ index: -1 })] },
    { choices: [choice({ finish_reason: 'x'.repeat(1_000_000) })] },
    { choices: [choice({ finish_reason: { a: 1 } })] },
    { choices: [choice({ message: { content: 5 } })] },
    { choices: [choice({ message: { tool_calls: 'f' } })] },
    { choices: [choice({ message: { tool_calls: [null] } })] },
    { choices: [choice({ error: { message: CANARY } })] },
    { error: { message: CANARY } },
  ])('causes a protocol failure if a field has another type: %#', (more) => {
    expect(() => toReply(completion(more), CALL)).toThrow(expect.objectContaining(PROTOCOL_FAILURE));
  });

  it('fails in a stream if a choice failed', async () => {
    const failed = { choices: [{ index: 0, delta: { content: '' }, error: { message: CANARY } }] };
    const { events, failure } = await chunkOutcome(encode(event(failed)));
    expect([events, failure]).toEqual([[], expect.objectContaining({ kind: 'interrupted' })]);
  });

  it('continues in a stream after an empty finish reason, which some servers send with every chunk', async () => {
    const chunk = (content: string, reason: string) =>
      event({ choices: [{ index: 0, delta: { content }, finish_reason: reason }] });
    expect((await chunkOutcome(encode(chunk('Hi', '')))).failure).toMatchObject({ kind: 'interrupted' });
    const { events } = await chunkOutcome(encode(chunk('Hi', '') + chunk('', 'stop')));
    expect(events[0]?.payload).toMatchObject({ choices: [{ finish_reason: null }] });
  });
});

describe('an event of a message', () => {
  const FORGED = 'ping\ndata: {}\n\nevent: message_stop';

  it.each([FORGED, 'a b', 'A', '', 'x'.repeat(65), 'a\r', 'a\u2028'])(
    'causes a protocol failure if its name is malformed: %j',
    async (type) => {
      const { events, failure } = await outcome(NATIVE, wire(START, { type }, END, STOP));
      expect(events.map(({ payload }) => payload?.type)).toEqual(['message_start']);
      expect(failure).toMatchObject(PROTOCOL_FAILURE);
    },
  );

  it('disappears if its name is unknown, because none of its fields is known', async () => {
    const notice = { type: 'moderation_notice', level: { name: 'low' } };
    const { events, failure } = await outcome(NATIVE, wire(START, notice, END, STOP));
    expect(events.map(({ payload }) => payload?.type)).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
    expect(failure).toBeUndefined();
  });

  it.each([
    ['text', {}, { text: '' }],
    ['thinking', {}, { thinking: '' }],
    ['tool_use', { id: 't', name: 'f' }, { input: {} }],
  ])(
    'begins a block with all that a block of its kind has, also where the upstream leaves it out: %s',
    async (type, given, rest) => {
      const { events, failure } = await outcome(
        NATIVE,
        wire(START, block(0, { type, ...given }), closed(0), END, STOP),
      );
      expect(failure).toBeUndefined();
      expect(events[1]?.payload).toEqual({
        type: 'content_block_start',
        index: 0,
        content_block: { type, ...given, ...rest },
      });
      const whole = toMessageReply({ content: [{ type, ...given }], stop_reason: 'end_turn' }, NATIVE);
      expect(whole.answer).toMatchObject({ body: { content: [{ type, ...given, ...rest }] } });
    },
  );

  it('leaves out what shows the vendor', async () => {
    const vendor = { 'amazon-bedrock-invocationMetrics': CANARY, x_vendor: CANARY, cost: CANARY };
    const usage = {
      ...vendor,
      input_tokens: 7,
      output_tokens: 1,
      inference_geo: CANARY,
      service_tier: CANARY,
    };
    const { events, failure } = await outcome(
      NATIVE,
      wire(
        { ...START, ...vendor, message: { ...START.message, ...vendor, container: CANARY, usage } },
        { ...block(0, { type: 'text', text: '', ...vendor }), ...vendor },
        { ...change(0, { type: 'text_delta', text: 'Hi', ...vendor }), ...vendor },
        { ...closed(0), ...vendor },
        { ...END, ...vendor, usage, delta: { ...END.delta, ...vendor, container: CANARY } },
        { ...STOP, ...vendor },
      ),
    );
    expect(failure).toBeUndefined();
    expect(events).toHaveLength(6);
    expect(JSON.stringify(events)).not.toContain(CANARY);
  });

  it.each([
    [block(-1, { type: 'text', text: '' })],
    [block(0, { type: 'a\nb' })],
    [block(0, { type: 'text', text: 5 })],
    [block(0, { type: 'tool_use', id: 't', input: {} })],
    [change(0, { type: 'text_delta', text: 'x' })],
    [block(0, { type: 'text', text: '' }), change(0, { type: 'text_delta', text: {} })],
    [{ ...END, delta: { stop_reason: 'x'.repeat(1_000_000) } }],
    [{ ...END, delta: { stop_reason: 'end_turn', stop_sequence: 5 } }],
  ])('causes a protocol failure if a field has another type: %#', async (...data) => {
    expect((await outcome(NATIVE, wire(START, ...data))).failure).toMatchObject(PROTOCOL_FAILURE);
  });
});

it('a whole message is passed on without what shows the vendor', () => {
  const message = { content: [{ type: 'text', text: 'Hi', x: CANARY }], stop_reason: 'end_turn' };
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    cost: CANARY,
    server_tool_use: { web_search_requests: 2 },
  };
  const reply = toMessageReply({ ...message, usage, container: CANARY, x_vendor: CANARY }, NATIVE);
  expect(JSON.stringify(reply)).not.toContain(CANARY);
  expect(reply.usage?.reported).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
});

it('a reason that is no word ends no answer of any protocol', () => {
  const reason = 'x'.repeat(1_000_000);
  expect(() => toMessageReply({ content: [], stop_reason: reason }, FOREIGN)).toThrow('protocol');
  expect(() => toBedrockFinish({ stopReason: reason }, { request: {} } as never, false)).toThrow('protocol');
});

it('an answer that is nested too deep to be written again is refused', async () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  const started = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  expect(deep).toBeDefined();
  const chunk = `{"choices":[{"index":0,"delta":{"content":"x","audio":${started}}}]}`;
  expect((await chunkOutcome(encode(event(chunk)))).failure).toMatchObject(PROTOCOL_FAILURE);
});
