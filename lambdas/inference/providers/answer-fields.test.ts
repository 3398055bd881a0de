import { describe, expect, it } from '@jest/globals';
import {
  block,
  change,
  closed,
  FINAL_EVENT,
  outcome,
  START,
  STOP,
} from '../testing/providers/anthropic/decoding.ts';
import { FOREIGN, NATIVE } from '../testing/providers/anthropic/fixtures.ts';
import { outcome as chunkOutcome } from '../testing/providers/openai/decoding.ts';
import { CALL } from '../testing/providers/openai/fixtures.ts';
import { encode, event, wire } from '../testing/providers/streams.ts';
import { toRouteResponse as toMessageReply } from './anthropic/response.ts';
import { toFinish as toBedrockFinish } from './bedrock/response.ts';
import { toRouteResponse } from './openai/response.ts';

const CANARY = 'heron-7f3a';
const choice = (fields: object = {}) => ({
  index: 0,
  message: { role: 'assistant', content: 'Hi' },
  ...fields,
});
const completion = (fields: object = {}) => ({ created: 5, choices: [choice()], ...fields });
const bodyOf = (responseBody: object) => JSON.stringify(toRouteResponse(responseBody, CALL));
const PROTOCOL_FAILURE = { kind: 'protocol' };

describe('a completion', () => {
  it('retains the content of its choices, under every field name that servers use', () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      reasoning: 'Hm',
      reasoning_content: 'Hm',
      annotations: [{ type: 'url_citation' }],
      citations: ['https://a'],
      audio: { id: 'a' },
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' }, index: 0 }],
      reasoning_details: [{ text: 'Hm' }],
      function_call: { name: 'f', arguments: '{}' },
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: {} },
      ],
    };
    const responseBody = completion({
      choices: [
        choice({ message, logprobs: { content: [] }, finish_reason: 'tool_calls', stop_reason: '###' }),
      ],
      citations: ['https://a'],
      search_results: [{ title: 'A' }],
      service_tier: 'flex',
    });
    expect(toRouteResponse(responseBody, CALL).completeResponse).toMatchObject({ body: responseBody });
  });

  it.each([
    { provider: CANARY, system_fingerprint: CANARY, x_groq: { id: CANARY }, obfuscation: CANARY },
    { usage: { prompt_tokens: 1, completion_tokens: 1, cost: CANARY, is_byok: true, provider: CANARY } },
    { usage: { prompt_tokens: 1, completion_tokens: 1, cost_details: { upstream_inference_cost: CANARY } } },
    { usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: CANARY } } },
    { service_tier: CANARY },
    { choices: [choice({ content_filter_results: CANARY, provider: CANARY })] },
    { choices: [choice({ message: { content: 'Hi', provider_specific_fields: CANARY, role: CANARY } })] },
  ])('omits the fields that identify the vendor: %j', (fields) => {
    expect(bodyOf(completion(fields))).not.toContain(CANARY);
  });

  it('succeeds with a time and with places as text', () => {
    const reply = toRouteResponse(
      completion({ created: '1700000000.9', choices: [choice({ index: '0' })] }),
      CALL,
    );
    expect(reply.completeResponse).toMatchObject({
      body: { created: 1_700_000_000, choices: [{ index: 0 }] },
    });
  });

  it('retains the token counts of its usage, and no cost', () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      cost: 0.1,
      completion_tokens_details: { reasoning_tokens: 1, price: 4 },
    };
    expect(toRouteResponse(completion({ usage }), CALL).usage?.reported).toEqual({
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
    { choices: [choice({ message: { images: [{ image_url: { url: `https://${CANARY}/a.png` } }] } })] },
    {
      choices: [
        choice({
          message: { content: [{ type: 'image_url', image_url: { url: `HTTP://${CANARY}/a.png` } }] },
        }),
      ],
    },
    { choices: [choice({ error: { message: CANARY } })] },
    { error: { message: CANARY } },
  ])('causes a protocol failure if a field has another type: %#', (fields) => {
    expect(() => toRouteResponse(completion(fields), CALL)).toThrow(
      expect.objectContaining(PROTOCOL_FAILURE),
    );
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
    expect(events[0]?.nativeEvent).toMatchObject({ choices: [{ finish_reason: null }] });
  });
});

describe('an event of a message', () => {
  const FORGED = 'ping\ndata: {}\n\nevent: message_stop';

  it.each([FORGED, 'a b', 'A', '', 'x'.repeat(65), 'a\r', 'a\u2028'])(
    'causes a protocol failure if its name is malformed: %j',
    async (type) => {
      const { events, failure } = await outcome(NATIVE, wire(START, { type }, FINAL_EVENT, STOP));
      expect(events.map(({ nativeEvent }) => nativeEvent?.type)).toEqual(['message_start']);
      expect(failure).toMatchObject(PROTOCOL_FAILURE);
    },
  );

  it('disappears if its name is unknown, because none of its fields is known', async () => {
    const notice = { type: 'moderation_notice', level: { name: 'low' } };
    const { events, failure } = await outcome(NATIVE, wire(START, notice, FINAL_EVENT, STOP));
    expect(events.map(({ nativeEvent }) => nativeEvent?.type)).toEqual([
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
    'starts a block with all fields of its type, also if the upstream omits them: %s',
    async (type, fields, rest) => {
      const { events, failure } = await outcome(
        NATIVE,
        wire(START, block(0, { type, ...fields }), closed(0), FINAL_EVENT, STOP),
      );
      expect(failure).toBeUndefined();
      expect(events[1]?.nativeEvent).toEqual({
        type: 'content_block_start',
        index: 0,
        content_block: { type, ...fields, ...rest },
      });
      const message = toMessageReply({ content: [{ type, ...fields }], stop_reason: 'end_turn' }, NATIVE);
      expect(message.completeResponse).toMatchObject({ body: { content: [{ type, ...fields, ...rest }] } });
    },
  );

  it('omits the fields that identify the vendor', async () => {
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
        { ...FINAL_EVENT, ...vendor, usage, delta: { ...FINAL_EVENT.delta, ...vendor, container: CANARY } },
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
    [{ ...FINAL_EVENT, delta: { stop_reason: 'x'.repeat(1_000_000) } }],
    [{ ...FINAL_EVENT, delta: { stop_reason: 'end_turn', stop_sequence: 5 } }],
  ])('causes a protocol failure if a field has another type: %#', async (...data) => {
    expect((await outcome(NATIVE, wire(START, ...data))).failure).toMatchObject(PROTOCOL_FAILURE);
  });
});

it('a complete message reaches the caller without the fields that identify the vendor', () => {
  const message = { content: [{ type: 'text', text: 'Hi', x: CANARY }], stop_reason: 'end_turn' };
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    cost: CANARY,
    server_tool_use: { web_search_requests: 2 },
  };
  const response = toMessageReply({ ...message, usage, container: CANARY, x_vendor: CANARY }, NATIVE);
  expect(JSON.stringify(response)).not.toContain(CANARY);
  expect(response.usage?.reported).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
});

it('a finish reason that is not a word ends no response of any protocol', () => {
  const reason = 'x'.repeat(1_000_000);
  expect(() => toMessageReply({ content: [], stop_reason: reason }, FOREIGN)).toThrow('protocol');
  expect(() => toBedrockFinish({ stopReason: reason }, { request: {} } as never, false)).toThrow('protocol');
});

it('a response that is nested too deep to be serialized fails', async () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  const started = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  expect(deep).toBeDefined();
  const chunk = `{"choices":[{"index":0,"delta":{"content":"x","audio":${started}}}]}`;
  expect((await chunkOutcome(encode(event(chunk)))).failure).toMatchObject(PROTOCOL_FAILURE);
});
