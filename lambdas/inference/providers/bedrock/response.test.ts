import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { type RouteResponse, UpstreamFailure } from '../../core/upstream/provider.ts';
import { type Call, callFor, JSON_TYPE } from '../../testing/providers/bedrock/calling.ts';
import { USAGE } from '../../testing/providers/bedrock/frames.ts';
import { failureOf } from '../../testing/providers/http-calls.ts';
import { withProofs } from '../../testing/providers/sealing.ts';

const JSON_OUTPUT = { conversation: { format: { type: 'json' } } } as const;

const respondTo = (body: unknown, call: Call = {}): Promise<RouteResponse> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return callFor({ headers: JSON_TYPE, body: [Buffer.from(text)] }, call);
};

/** An answer as Converse gives it (Amazon Bedrock API reference, Converse, Response Syntax). */
const message = (content: unknown, stopReason = 'end_turn', fields: object = {}) => ({
  metrics: { latencyMs: 1175 },
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage: USAGE,
  ...fields,
});

const readResponse = async (body: unknown, call: Call = {}) => {
  const reply = await respondTo(body, call);
  if (reply.kind !== 'json' || !('output' in reply.completeResponse)) throw new Error('not a whole reply');
  return reply.completeResponse.output;
};

describe('a complete response of Converse', () => {
  it('contains its thoughts, texts and tool calls in order, with the signatures of its thoughts sealed', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm. ', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'AQI=' } },
      { reasoningContent: { reasoningText: { text: 'So.' } } },
      { reasoningContent: { reasoningText: { text: '' } } },
      { text: 'Grüße, ' },
      { text: '' },
      { citationsContent: { content: [{ text: '世' }, { text: '界' }], citations: [] } },
      { toolUse: { toolUseId: 'tooluse_1', name: 'get_weather', input: { city: 'Łódź' } } },
      { toolUse: { toolUseId: 'tooluse_2', name: 'get_time', input: {} } },
    ];
    expect(withProofs(await respondTo(message(content, 'tool_use')))).toEqual({
      kind: 'json',
      completeResponse: {
        output: {
          parts: [
            { type: 'reasoning', text: 'Hm. ', signature: '<{"signature":"c2ln"}>' },
            { type: 'reasoning', text: '', signature: '<{"redacted":"AQI="}>' },
            { type: 'reasoning', text: 'So.' },
            { type: 'text', text: 'Grüße, ' },
            { type: 'text', text: '世界' },
            { type: 'tool-call', id: 'tooluse_1', name: 'get_weather', arguments: '{"city":"Łódź"}' },
            { type: 'tool-call', id: 'tooluse_2', name: 'get_time', arguments: '{}' },
          ],
          finish: { reason: 'tool-calls', raw: 'tool_use' },
        },
      },
      outputText: 'Hm. So.Grüße, 世界get_weather{"city":"Łódź"}get_time{}',
      usage: { promptTokens: 21, cachedTokens: 0, completionTokens: 16 },
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop-sequence'],
    ['max_tokens', 'length'],
    ['content_filtered', 'refusal'],
    ['guardrail_intervened', 'refusal'],
    ['model_context_window_exceeded', 'context'],
    ['tool_use', 'stop'],
    ['something_new', 'stop'],
    ['toString', 'stop'],
    ['__proto__', 'stop'],
  ])('maps the model’s stop reason, and retains the original: %s', async (raw, reason) => {
    expect((await readResponse(message([{ text: 'a' }], raw))).finish).toEqual({ reason, raw });
  });

  it('ends for its tool calls even if the model reports that it has finished', async () => {
    const content = [{ toolUse: { toolUseId: 'a', name: 'f', input: {} } }];
    expect((await readResponse(message(content))).finish).toEqual({ reason: 'tool-calls', raw: 'end_turn' });
  });

  it.each([
    [{ additionalModelResponseFields: { stop_sequence: 'END' } }, ['END', 'STOP'], 'END'],
    [{}, ['END'], 'END'],
    [{}, ['END', 'STOP'], undefined],
    [{ additionalModelResponseFields: 'END' }, ['END', 'STOP'], undefined],
  ])('reports the matched stop sequence, if known: %j', async (fields, stop, stopSequence) => {
    const { finish } = await readResponse(message([{ text: 'a' }], 'stop_sequence', fields), {
      conversation: { stop },
    });
    expect(finish).toEqual({
      reason: 'stop-sequence',
      raw: 'stop_sequence',
      ...(stopSequence && { stopSequence }),
    });
  });

  it('loses no digit of a tool call’s numbers', async () => {
    const input =
      '{"id":12345678901234567890,"rate":1.10000000000000000001,"one":1.5,"like":{"string":"2","type":"x"}}';
    const text = JSON.stringify(message([{ toolUse: { toolUseId: 'a', name: 'f', input: 'INPUT' } }]));
    const { parts } = await readResponse(text.replace('"INPUT"', input));
    expect(parts).toEqual([{ type: 'tool-call', id: 'a', name: 'f', arguments: input }]);
  });

  it('contains only the input of the answer tool if the caller requests JSON', async () => {
    const content = [
      { text: 'Here:' },
      { toolUse: { toolUseId: 'a', name: 'json_answer', input: { a: 1 } } },
      { toolUse: { toolUseId: 'b', name: 'json_answer', input: { a: 2 } } },
    ];
    expect(await readResponse(message(content, 'tool_use'), JSON_OUTPUT)).toEqual({
      parts: [{ type: 'text', text: '{"a":1}' }],
      finish: { reason: 'stop', raw: 'tool_use' },
    });
    expect((await respondTo(message(content, 'tool_use'), JSON_OUTPUT)).kind).toBe('json');
  });

  it('contains a tool call if the answer tool was not requested, even under its name', async () => {
    const content = [{ toolUse: { toolUseId: 'a', name: 'json_answer', input: {} } }];
    expect((await readResponse(message(content, 'tool_use'))).parts).toMatchObject([{ type: 'tool-call' }]);
  });

  it('succeeds without content', async () => {
    expect(await readResponse(message([]))).toEqual({
      parts: [],
      finish: { reason: 'stop', raw: 'end_turn' },
    });
  });

  it.each([
    ['<html>'],
    ['{"output":'],
    [''],
    [{}],
    [[]],
    [{ output: null }],
    [{ output: { message: null } }],
    [{ output: { message: { content: 'text' } } }],
    [message([{ toolUse: { name: 'f', input: {} } }])],
    [message([{ toolUse: { toolUseId: 'a', name: 5, input: {} } }])],
  ])('causes a protocol failure if it is not a message: %j', async (body) => {
    expect(await failureOf(respondTo(body))).toMatchObject({ kind: 'protocol', retryable: true });
  });

  it('yields a response or an upstream failure for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        for (const body of [value, { output: value }, message(value), message([value])]) {
          const failure = await respondTo(body).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          if (failure !== undefined) expect(failure).toBeInstanceOf(UpstreamFailure);
        }
      }),
      { numRuns: rounds(80) },
    );
  });
});
