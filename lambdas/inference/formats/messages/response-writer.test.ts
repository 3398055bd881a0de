import { describe, expect, it } from '@jest/globals';
import type { AssistantOutput, FinishReason } from '../../core/upstream/conversation.ts';
import { messagesWriter, usageBody } from './response-writer.ts';

const IDENTITY = { id: 'msg_1', model: 'a/b' };
const USAGE = { promptTokens: 10, cachedTokens: 4, completionTokens: 3 };
const writer = () => messagesWriter({ identity: IDENTITY, promptTokens: () => 0 });
const written = (assistantReply: AssistantOutput) => writer().body({ output: assistantReply }, USAGE);
const completeBody = (assistantReply: AssistantOutput) => JSON.parse(written(assistantReply));
const finish = { reason: 'stop', raw: 'stop' } as const;
const call = (text: string) => ({ type: 'tool-call', id: 'call_1', name: 'f', arguments: text }) as const;

describe('a complete response in the Messages format', () => {
  it('becomes a message with every count', () => {
    const text = { type: 'text', text: 'Hi' } as const;
    expect(completeBody({ parts: [text, { type: 'text', text: '' }, call('{"a":1}')], finish })).toEqual({
      ...IDENTITY,
      type: 'message',
      role: 'assistant',
      content: [text, { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 3,
      },
    });
  });

  it('preserves the route’s message, with the token counts that the bill uses', () => {
    const body = {
      id: 'msg_1',
      content: [{ type: 'thinking' }],
      usage: { input_tokens: 99 },
      stop_details: null,
    };
    const reported = { input_tokens: 4, cache_creation_input_tokens: 2, service_tier: 'standard' };
    expect(JSON.parse(writer().body({ body }, { ...USAGE, reported }))).toEqual({
      ...body,
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 4,
        output_tokens: 3,
        service_tier: 'standard',
      },
    });
  });

  it.each([
    ['', '{}'],
    [' \n', '{}'],
    ['{}', '{}'],
    ['{"n": 12345678901234567890}', '{"n":12345678901234567890}'],
    ['{"a":', '{"arguments":"{\\"a\\":"}'],
    ['[1]', '{"arguments":"[1]"}'],
    ['null', '{"arguments":"null"}'],
    ['12345678901234567890', '{"arguments":"12345678901234567890"}'],
  ])('gives a call an object to its name: %j', (text, input) => {
    const body = written({ parts: [call(text)], finish: { reason: 'tool-calls', raw: 'tool_calls' } });
    expect(body).toContain(`"input":${input}}`);
  });

  it('contains the text of a refusal as a text block', () => {
    const message = completeBody({
      parts: [{ type: 'refusal', text: 'No.' }],
      finish: { reason: 'refusal', raw: 'content_filter' },
    });
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'No.' }], stop_reason: 'refusal' });
  });

  it.each<[FinishReason, string]>([
    ['stop', 'end_turn'],
    ['stop-sequence', 'stop_sequence'],
    ['length', 'max_tokens'],
    ['tool-calls', 'tool_use'],
    ['refusal', 'refusal'],
    ['pause', 'pause_turn'],
    ['context', 'model_context_window_exceeded'],
  ])('names its stop reason: %s', (reason, name) => {
    expect(completeBody({ parts: [], finish: { reason, raw: 'x', stopSequence: 'END' } })).toMatchObject({
      stop_reason: name,
      stop_sequence: 'END',
    });
  });
});

describe('usage on the Messages surface', () => {
  it('counts no prompt token twice and none below zero', () => {
    const reported = { cache_creation_input_tokens: 8, cache_read_input_tokens: null };
    expect(usageBody({ ...USAGE, reported })).toEqual({
      input_tokens: 0,
      cache_creation_input_tokens: 8,
      cache_read_input_tokens: 4,
      output_tokens: 3,
    });
  });

  it('contains the counts of a route of another protocol', () => {
    const usage = { promptTokens: 20, cachedTokens: 4, completionTokens: 9, reasoningTokens: 6 };
    expect(usageBody({ ...usage, cacheWrites: { '5m': 2, '1h': 3 } })).toEqual({
      input_tokens: 11,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 4,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 6 },
    });
    // How long it is kept is not known.
    expect(usageBody({ ...usage, reasoningTokens: undefined, cacheWrites: { auto: 5 } })).toEqual({
      input_tokens: 11,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 4,
      output_tokens: 9,
    });
  });

  it('retains the usage that the route reports if both report the same value', () => {
    const reported = {
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
      output_tokens_details: { thinking_tokens: 2 },
    };
    const usage = { promptTokens: 20, cachedTokens: 4, completionTokens: 9, reasoningTokens: 2 };
    expect(usageBody({ ...usage, cacheWrites: { '1h': 5 }, reported })).toMatchObject({
      ...reported,
      input_tokens: 11,
    });
  });
});
