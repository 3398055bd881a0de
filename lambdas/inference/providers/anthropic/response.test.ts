import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { FOREIGN, IDENTITY, JSON_MODE, jsonOf, NATIVE } from '../../testing/providers/anthropic/fixtures.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import { type MessagesCallContext, toRouteResponse } from './response.ts';
import { toUsage } from './usage.ts';

const message = jsonOf('message');
const TEXT = 'Hm.Grüße, 世界get_weather{"city":"Łódź"}get_time';
const COUNTED = {
  promptTokens: 2200,
  cachedTokens: 100,
  completionTokens: 503,
  cacheWrites: { '5m': 5 },
  serviceTier: 'standard',
};

const completeResponseOf = (
  content: readonly unknown[],
  fields: Record<string, unknown> = {},
  context: MessagesCallContext = JSON_MODE,
) => toRouteResponse({ content, stop_reason: 'tool_use', ...fields }, context);
const use = (name: string, input: unknown) => ({ type: 'tool_use', id: `id_${name}`, name, input });

describe('a complete response', () => {
  it('preserves everything for a caller of the protocol, under our id and model and with sealed signatures', () => {
    const { usage, content, ...kept } = message;
    const [, ...otherBlocks] = content as unknown[];
    const thought = { type: 'thinking', thinking: 'Hm.', signature: '<{"signature":"EqQB"}>' };
    expect(withProofs(toRouteResponse(message, NATIVE))).toEqual({
      kind: 'json',
      completeResponse: { body: { ...kept, ...IDENTITY, content: [thought, ...otherBlocks] } },
      outputText: TEXT,
      usage: { ...COUNTED, reported: usage },
    });
  });

  it('consists of its reasoning, its text and its calls for other callers', () => {
    expect(withProofs(toRouteResponse(message, FOREIGN))).toEqual({
      kind: 'json',
      completeResponse: {
        output: {
          parts: [
            { type: 'reasoning', text: 'Hm.', signature: '<{"signature":"EqQB"}>' },
            { type: 'text', text: 'Grüße, 世界' },
            { type: 'tool-call', id: 'toolu_01', name: 'get_weather', arguments: '{"city":"Łódź"}' },
            { type: 'tool-call', id: 'toolu_02', name: 'get_time', arguments: '{}' },
          ],
          finish: { reason: 'tool-calls', raw: 'tool_use' },
        },
      },
      outputText: TEXT,
      usage: COUNTED,
    });
  });

  it('preserves the digits of an input for every caller', () => {
    const text =
      '{"content":[{"type":"tool_use","id":"a","name":"f","input":{"n":12345678901234567890}}],"stop_reason":"tool_use"}';
    for (const context of [NATIVE, FOREIGN])
      expect(JSON.stringify(toRouteResponse(parseJson(text), context).completeResponse)).toMatch(
        /\bn\\?":12345678901234567890\b/,
      );
  });

  it.each([
    ['end_turn', null, { reason: 'stop', raw: 'end_turn' }],
    ['stop_sequence', 'END', { reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: 'END' }],
    ['max_tokens', null, { reason: 'length', raw: 'max_tokens' }],
    ['refusal', null, { reason: 'refusal', raw: 'refusal' }],
    ['pause_turn', null, { reason: 'pause', raw: 'pause_turn' }],
    ['model_context_window_exceeded', null, { reason: 'context', raw: 'model_context_window_exceeded' }],
    ['constructor', null, { reason: 'stop', raw: 'constructor' }],
  ])('reports its finish reason: %s', (stop_reason, stop_sequence, finish) => {
    expect(completeResponseOf([], { stop_reason, stop_sequence }, JSON_MODE).completeResponse).toEqual({
      output: { parts: [], finish },
    });
  });

  it('contains the input of the answer tool as text in JSON mode', () => {
    expect(completeResponseOf([use('json_answer', { a: 1 })]).completeResponse).toEqual({
      output: { parts: [{ type: 'text', text: '{"a":1}' }], finish: { reason: 'stop', raw: 'tool_use' } },
    });
    expect(completeResponseOf([use('json_answer', { a: 1 })]).outputText).toBe('{"a":1}');
    expect(
      completeResponseOf([use('json_answer', {}), use('json_answer', { b: 1 })]).completeResponse,
    ).toEqual({
      output: { parts: [{ type: 'text', text: '{}' }], finish: { reason: 'stop', raw: 'tool_use' } },
    });
  });

  it('omits the blocks that have no form in the caller’s protocol, such as those of server tools', () => {
    const server = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } };
    const toolResult = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] };
    expect(completeResponseOf([server, toolResult, use('f', { b: 2 })]).completeResponse).toMatchObject({
      output: { parts: [{ type: 'tool-call', id: 'id_f' }] },
    });
  });

  it('preserves the calls of the caller’s tools in JSON mode', () => {
    expect(completeResponseOf([use('json_answer', { a: 1 }), use('f', { b: 2 })]).completeResponse).toEqual({
      output: {
        parts: [
          { type: 'text', text: '{"a":1}' },
          { type: 'tool-call', id: 'id_f', name: 'f', arguments: '{"b":2}' },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    });
  });

  it.each([
    [null],
    ['text'],
    [42],
    [[]],
    [{}],
    [{ content: [] }],
    [{ content: [], stop_reason: null }],
    [{ content: {}, stop_reason: 'end_turn' }],
    [{ content: 'text', stop_reason: 'end_turn' }],
    [{ content: [null], stop_reason: 'end_turn' }],
    [{ type: 'error', error: { type: 'api_error', message: 'heron-7f3a' } }],
  ])('causes a protocol failure if it is not a finished message: %j', (body) => {
    for (const context of [NATIVE, FOREIGN])
      expect(() => toRouteResponse(body, context)).toThrow(/^upstream failure: protocol$/);
  });

  it.each([[{ type: 'tool_use', name: 'f' }], [{ type: 'tool_use', id: 'a' }]])(
    'fails if a call has no id or no name: %j',
    (block) => {
      for (const context of [JSON_MODE, FOREIGN, { ...FOREIGN, answerTool: 'other' }])
        expect(() => completeResponseOf([block], {}, context)).toThrow(UpstreamFailure);
    },
  );
});

describe('reported usage', () => {
  it('counts what the cache gave and took as prompt', () => {
    expect(toUsage(message.usage, false)).toEqual(COUNTED);
    expect(toUsage({ input_tokens: 3, output_tokens: 0, cache_read_input_tokens: null }, false)).toEqual({
      promptTokens: 3,
      cachedTokens: 0,
      completionTokens: 0,
    });
  });
});
