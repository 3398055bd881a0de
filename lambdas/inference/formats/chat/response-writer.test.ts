import { describe, expect, it } from '@jest/globals';
import type { AssistantOutput, FinishReason } from '../../core/upstream/conversation.ts';
import { partsOf, type Step } from '../../testing/upstream/stream-script.ts';
import { chatWriter, usageBody } from './response-writer.ts';

const IDENTITY = { id: 'chatcmpl-1', model: 'a/b' };
const USAGE = { promptTokens: 10, cachedTokens: 4, completionTokens: 3 };
const writer = () => chatWriter({ identity: IDENTITY, createdMs: 1_700_000_000_999 });

const completeBody = (reply: AssistantOutput) => JSON.parse(writer().body({ output: reply }, USAGE));
const finish = { reason: 'stop', raw: 'end_turn' } as const;

function stream(steps: readonly Step[]) {
  const responseWriter = writer();
  return partsOf(steps).flatMap((part) => responseWriter.events(part)) as {
    choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
  }[];
}

describe('a complete response in the chat format', () => {
  it('becomes a chat completion with every count', () => {
    expect(
      completeBody({
        parts: [
          { type: 'text', text: 'Hi ' },
          { type: 'text', text: 'you' },
        ],
        finish,
      }),
    ).toEqual({
      ...IDENTITY,
      object: 'chat.completion',
      created: 1_700_000_000,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi you', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
          native_finish_reason: 'end_turn',
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 3,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    });
  });

  it('sets content to null if there are only tool calls or a refusal, and to an empty text if there is no output', () => {
    const call = { type: 'tool-call', id: 'c', name: 'f', arguments: '' } as const;
    const called = completeBody({ parts: [call], finish: { reason: 'tool-calls', raw: 'tool_use' } })
      .choices[0];
    expect(called).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    });
    const message = completeBody({ parts: [{ type: 'refusal', text: 'No.' }], finish }).choices[0].message;
    expect(message).toMatchObject({ content: null, refusal: 'No.' });
    expect(completeBody({ parts: [], finish }).choices[0].message.content).toBe('');
  });

  it.each<[FinishReason, string]>([
    ['stop', 'stop'],
    ['stop-sequence', 'stop'],
    ['length', 'length'],
    ['context', 'length'],
    ['tool-calls', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['pause', 'stop'],
  ])('names why it ended: %s', (reason, name) => {
    expect(completeBody({ parts: [], finish: { reason, raw: 'x' } }).choices[0].finish_reason).toBe(name);
  });
});

describe('usage on the chat surface', () => {
  const usage = { promptTokens: 20, cachedTokens: 4, completionTokens: 9 };

  it('contains the counts of a route of another protocol', () => {
    expect(usageBody({ ...usage, reasoningTokens: 6, cacheWrites: { '5m': 2, '1h': 3 } })).toEqual({
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 6 },
    });
  });

  it('adds the usage that the route reports to the counts that the call is billed by', () => {
    const reported = {
      prompt_tokens: 20,
      completion_tokens: 2,
      total_tokens: 29,
      prompt_tokens_details: { audio_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 7, audio_tokens: 1 },
    };
    expect(usageBody({ ...usage, reasoningTokens: 7, reported })).toEqual({
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { audio_tokens: 3, cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 7, audio_tokens: 1 },
    });
  });
});

describe('a streamed response in the chat format', () => {
  it('opens with the role, delivers each delta, and closes with the reason', () => {
    const chunks = stream([
      { says: 'a' },
      'ends text',
      { refuses: 'b' },
      { finishes: { reason: 'length', raw: 'max_tokens' } },
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'a' },
      { refusal: 'b' },
      {},
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, 'length']);
    for (const chunk of chunks)
      expect(chunk).toMatchObject({ ...IDENTITY, object: 'chat.completion.chunk', created: 1_700_000_000 });
  });

  it('separates interleaved tool calls, and gives a call without arguments an empty object', () => {
    const chunks = stream([
      { calls: 0, name: 'f' },
      { calls: 1, name: 'g' },
      { calls: 2, name: 'h' },
      { adds: '{"b"', to: 1 },
      { adds: '{"a":1}', to: 0 },
      { adds: ':2}', to: 1 },
      { ends: 0 },
      { finishes: { reason: 'tool-calls', raw: 'tool_use' } },
    ]);
    const calls = new Map<number, string>();
    for (const { choices } of chunks) {
      const deltas = (choices[0]?.delta.tool_calls ?? []) as {
        index: number;
        function: { arguments: string };
      }[];
      for (const { index, function: called } of deltas)
        calls.set(index, (calls.get(index) ?? '') + called.arguments);
    }
    expect([...calls]).toEqual([
      [0, '{"a":1}'],
      [1, '{"b":2}'],
      [2, '{}'],
    ]);
  });

  it('streams reasoning as it arrives, and sends its complete signature when the next block is known', () => {
    const deltas = stream([
      { thinks: 'He' },
      { thinks: 'm.' },
      { signs: 's0' },
      { says: 'a' },
      { signs: 's1' },
      { calls: 0 },
      { thinks: 'unsigned' },
      { finishes: { reason: 'tool-calls', raw: 'tool_use' } },
    ]).map(({ choices }) => choices[0]?.delta);
    expect(deltas.slice(1)).toMatchObject([
      { reasoning_content: 'He' },
      { reasoning_content: 'm.' },
      { reasoning_details: [{ type: 'reasoning.text', text: 'Hem.', signature: 's0', id: null, index: 0 }] },
      { content: 'a' },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 's1', id: 'c0', index: 1 }] },
      { tool_calls: [{ id: 'c0' }] },
      { reasoning_content: 'unsigned' },
      { tool_calls: [{ function: { arguments: '{}' } }] },
      {},
    ]);
  });

  it('leaves reasoning out for a caller that wants none', () => {
    const responseWriter = chatWriter({ identity: IDENTITY, createdMs: 0, hidesReasoning: true });
    const steps: Step[] = [{ thinks: 'Hem.' }, { signs: 's' }, { says: 'a' }, { finishes: finish }];
    const written = JSON.stringify(partsOf(steps).flatMap((part) => responseWriter.events(part)));
    expect(written).toContain('"content":"a"');
    expect(written).not.toContain('reasoning');
    const parts = [{ type: 'reasoning', text: 'Hem.', signature: 's' } as const];
    expect(responseWriter.body({ output: { parts, finish } }, USAGE)).not.toContain('reasoning');
    expect(writer().body({ output: { parts, finish } }, USAGE)).toContain('reasoning_content');
  });
});
