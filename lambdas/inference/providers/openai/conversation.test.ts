import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { partsOf } from '../../testing/providers/openai/decoding.ts';
import { CONVERTED, IDENTITY, jsonOf } from '../../testing/providers/openai/fixtures.ts';
import { convertedPayload } from '../../testing/providers/payloads.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { wire } from '../../testing/providers/streams.ts';
import { assistant, text, toolCall, toolResult, user } from '../../testing/providers/turns.ts';
import { toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';

const target = { upstream_model: 'm', reasoning: false };
const requestOf = (conversation: Partial<Conversation>) =>
  toRequestBody(convertedPayload(conversation), target, SIGNATURES);

describe('the request converted from another protocol’s conversation', () => {
  it('contains nothing beyond the conversation', () => {
    expect(requestOf({ turns: [user('Hi')] })).toEqual({
      model: 'm',
      stream: false,
      max_tokens: 256,
      messages: [{ role: 'user', content: 'Hi' }],
    });
  });

  it('contains everything for which the protocol has a field', () => {
    const body = requestOf({
      temperature: 0,
      topP: 1,
      stop: ['a', 'b'],
      tools: [{ name: 'f', description: 'd', parameters: { type: 'object' }, strict: true }],
      toolChoice: { type: 'any' },
      parallelToolCalls: false,
      format: { type: 'json-schema', schema: { type: 'object' } },
      user: 'u',
    });
    expect(body).toMatchObject({
      temperature: 0,
      top_p: 1,
      stop: ['a', 'b'],
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      user: 'u',
    });
  });

  it.each([
    [{ type: 'auto' } as const, 'auto'],
    [{ type: 'none' } as const, 'none'],
    [{ type: 'tool', name: 'f' } as const, { type: 'function', function: { name: 'f' } }],
  ])('chooses a tool: %j', (toolChoice, choice) => {
    expect(requestOf({ toolChoice }).tool_choice).toEqual(choice);
  });

  it('contains one system message, with a content part for each text if there are several', () => {
    expect(requestOf({ system: ['a'] }).messages).toEqual([{ role: 'system', content: 'a' }]);
    expect(requestOf({ system: ['a', 'b'] }).messages).toEqual([
      { role: 'system', content: [text('a'), text('b')] },
    ]);
  });

  it('puts tool results directly after their calls, reports a failed one, and includes its images', () => {
    const image = {
      type: 'image',
      source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' },
    } as const;
    const url = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } } as const;
    const { messages } = requestOf({
      turns: [
        assistant('Looking.', toolCall('toolu_1', 'see', '{"a":1}'), toolCall('toolu_2', 'now', '')),
        user('Well?', toolResult('toolu_1', [text('seen'), image]), toolResult('toolu_2', [], true), url),
      ],
    });
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'see', arguments: '{"a":1}' } },
          { id: 'toolu_2', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'seen' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'Error: ' },
      {
        role: 'user',
        content: [
          text('From the result of tool call toolu_1:'),
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
          text('Well?'),
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
    ]);
  });

  it('gives a call and its result the same id, one that OpenAI takes', () => {
    const id = `toolu_${'x'.repeat(80)}`;
    const { messages } = requestOf({ turns: [assistant(toolCall(id)), user(toolResult(id))] }) as {
      messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    };
    const called = messages[0]?.tool_calls?.[0]?.id ?? '';
    expect(called.length).toBeLessThanOrEqual(40);
    expect(messages[1]?.tool_call_id).toBe(called);
  });

  it('uses the name of the output bound that reasoning models accept', () => {
    const body = toRequestBody(convertedPayload(), { ...target, reasoning: true }, SIGNATURES);
    expect(body).toMatchObject({ max_completion_tokens: 256 });
    expect(body).not.toHaveProperty('max_tokens');
  });
});

describe('a complete response to a caller of another protocol', () => {
  it('consists of its first choice, with the arguments unchanged', () => {
    expect(toRouteResponse(jsonOf('completion'), CONVERTED).completeResponse).toEqual({
      output: {
        parts: [
          { type: 'tool-call', id: expect.any(String), name: 'get_weather', arguments: '{"city":"Łódź"}' },
          { type: 'tool-call', id: expect.any(String), name: 'get_time', arguments: '{}' },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_calls' },
      },
    });
  });

  const toResponse = (message: object, rest: object = {}) =>
    toRouteResponse({ choices: [{ message, finish_reason: 'stop', ...rest }] }, CONVERTED).completeResponse;

  it('preserves a text, a refusal, and the stop sequence if the server reports it', () => {
    expect(toResponse({ content: 'a', refusal: 'b' }, { stop_reason: 'END' })).toEqual({
      output: {
        parts: [text('a'), { type: 'refusal', text: 'b' }],
        finish: { reason: 'stop-sequence', raw: 'stop', stopSequence: 'END' },
      },
    });
  });

  it('ends with tool calls if it contains some, although a forced call ends with "stop"', () => {
    const tool_calls = [{ function: { name: 'f', arguments: { a: 1 } } }];
    expect(toResponse({ content: null, tool_calls })).toEqual({
      output: {
        parts: [{ type: 'tool-call', id: `${IDENTITY.id}_0`, name: 'f', arguments: '{"a":1}' }],
        finish: { reason: 'tool-calls', raw: 'stop' },
      },
    });
  });

  it('fails if a tool call has no name', () => {
    expect(() => toResponse({ tool_calls: [null] })).toThrow(UpstreamFailure);
  });

  it('succeeds without content', () => {
    expect(toResponse({ content: '' })).toEqual({
      output: { parts: [], finish: { reason: 'stop', raw: 'stop' } },
    });
  });
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  wire({ choices: [{ index: 0, delta, finish_reason }] });
const DONE = wire('[DONE]');

describe('a streamed response to a caller of another protocol', () => {
  it('numbers tool calls by their start, whatever the server numbers them', async () => {
    const called = (index: unknown, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
    const parts = await partsOf(
      called(7, { id: 'a', function: { name: 'f', arguments: '' } }),
      called(3, { id: 'b', function: { name: 'g', arguments: '{' } }),
      called(7, { function: { arguments: '{}' } }),
      called(3, { function: { arguments: '}' } }),
      chunk({}, 'stop'),
      DONE,
    );
    expect(parts).toEqual([
      { type: 'start', index: 0, content: { type: 'tool-call', id: 'a', name: 'f' } },
      { type: 'start', index: 1, content: { type: 'tool-call', id: 'b', name: 'g' } },
      { type: 'delta', index: 1, text: '{' },
      { type: 'delta', index: 1, text: '}' },
      { type: 'delta', index: 0, text: '{}' },
      { type: 'end', index: 0 },
      { type: 'end', index: 1 },
      { type: 'finish', reason: 'tool-calls', raw: 'stop' },
    ]);
  });

  it('loses no text and no argument, however a server cuts it', async () => {
    const deltaSpec = fc.record({ call: fc.nat(3), words: fc.string() });
    await fc.assert(
      fc.asyncProperty(fc.array(deltaSpec, { maxLength: 30 }), async (fragments) => {
        const indexes = new Set<number>();
        const wire = fragments.map(({ call: index, words }) => {
          const first = !indexes.has(index);
          indexes.add(index);
          const start = first ? { id: `id${index}`, function: { name: 'f', arguments: words } } : undefined;
          return chunk({ tool_calls: [{ index, ...(start ?? { function: { arguments: words } }) }] });
        });
        const parts = await partsOf(...wire, chunk({ content: 'end' }, 'stop'), DONE);
        for (const [order, index] of [...indexes].entries()) {
          const argumentTexts = fragments.filter(({ call }) => call === index).map(({ words }) => words);
          const content = parts.flatMap((part) =>
            part.type === 'delta' && part.index === order ? part.text : [],
          );
          expect(content.join('')).toBe(argumentTexts.join(''));
        }
      }),
      { numRuns: rounds(40) },
    );
  });
});
