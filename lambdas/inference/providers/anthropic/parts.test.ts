import { describe, expect, it } from '@jest/globals';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import {
  block,
  change,
  closed,
  decode,
  FINAL_EVENT,
  START,
  STOP,
} from '../../testing/providers/anthropic/decoding.ts';
import { bytesOf, FOREIGN, JSON_MODE } from '../../testing/providers/anthropic/fixtures.ts';
import { reasoningParts, textParts, toolCallParts } from '../../testing/providers/parts.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import { collect, wire } from '../../testing/providers/streams.ts';
import type { MessagesCallContext } from './response.ts';

async function partsOf(context: MessagesCallContext, ...bytes: readonly Uint8Array[]): Promise<StreamPart[]> {
  return (await collect(decode(context, ...bytes))).flatMap(({ parts }) => parts ?? []);
}

describe('a stream for a caller of another protocol', () => {
  it('consists of text deltas, and ends with its finish part', async () => {
    expect(await partsOf(FOREIGN, bytesOf('text'))).toEqual([
      ...textParts(0, 'Grüße', ', 世界 👩‍🚀', '\n\n\u200fمرحبا'),
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
  });

  it('comes with its tool calls, numbered from 0, their inputs as they were written', async () => {
    expect(await partsOf(FOREIGN, bytesOf('tool-use'))).toEqual([
      ...textParts(0, 'Okay, ich prüfe', ' das.'),
      ...toolCallParts(
        1,
        { id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'get_weather' },
        '{"location":',
        ' "Łódź"',
        ', "unit": "c"}',
      ),
      ...toolCallParts(2, { id: 'toolu_02', name: 'get_time' }),
      ...toolCallParts(3, { id: 'toolu_03', name: 'get_news' }, '{"topics":["a"]}'),
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
  });

  it('comes with its thoughts, which count as output, each with its signature sealed', async () => {
    const signature = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=';
    expect(withProofs(await partsOf(FOREIGN, bytesOf('thinking')))).toEqual([
      ...reasoningParts(0, ['27 × 453:', ' 12,231'], `<${JSON.stringify({ signature })}>`),
      ...reasoningParts(1, [], '<{"redacted":"EmwKAhgBEgy3va3pzix"}>'),
      ...textParts(2, '27 × 453 = 12,231'),
      { type: 'finish', reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: '\n\n' },
    ]);
    const events = await collect(decode(FOREIGN, bytesOf('thinking')));
    expect(events.map(({ outputText }) => outputText).join('')).toBe('27 × 453: 12,23127 × 453 = 12,231');
    // What is not shown is content too, at 7: the caller gets the proof of it.
    expect(events.flatMap(({ hasOutput }, index) => (hasOutput ? index : []))).toEqual([2, 3, 7, 9, 11, 12]);
  });

  it('contains the signature, whether its server sends it in deltas, at once or not at all', async () => {
    const thought = (rest: object) => block(0, { type: 'thinking', thinking: '', ...rest });
    const thinkingDelta = change(0, { type: 'thinking_delta', thinking: 'Hm.' });
    const signed = (signature: unknown) => change(0, { type: 'signature_delta', signature });
    const partsFor = async (...events: readonly unknown[]) =>
      withProofs(await partsOf(FOREIGN, wire(START, ...events, closed(0), FINAL_EVENT, STOP))).slice(0, -1);
    const parts = reasoningParts(0, ['Hm.'], '<{"signature":"EqQB"}>');
    expect(await partsFor(thought({ signature: '' }), thinkingDelta, signed('Eq'), signed('QB'))).toEqual(
      parts,
    );
    expect(await partsFor(thought({ signature: 'EqQB' }), thinkingDelta)).toEqual(parts);
    expect(await partsFor(thought({}), thinkingDelta, signed(''))).toEqual(reasoningParts(0, ['Hm.']));
    expect(await partsFor(thought({}), signed('EqQB'))).toEqual(
      reasoningParts(0, [], '<{"signature":"EqQB"}>'),
    );
    expect(await partsFor(thought({}))).toEqual([]);
    expect(await partsFor(block(0, { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }))).toEqual(parts);
  });

  it('omits what only the protocol itself defines', async () => {
    expect(await partsOf(FOREIGN, bytesOf('server-tool'))).toEqual([
      ...textParts(0, 'Sunny: 21 °C.'),
      { type: 'finish', reason: 'pause', raw: 'pause_turn' },
    ]);
  });

  it('starts its text with the initial content of a block', async () => {
    expect(await partsOf(FOREIGN, bytesOf('line-forms'))).toEqual([
      ...textParts(0, 'Sé', 'data: x'),
      { type: 'finish', reason: 'length', raw: 'max_tokens' },
    ]);
  });

  it('yields an empty output if it contains only its end', async () => {
    expect(await partsOf(FOREIGN, wire(START, FINAL_EVENT, STOP))).toEqual([
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
    expect(await partsOf(FOREIGN, bytesOf('refusal'))).toEqual([
      { type: 'finish', reason: 'refusal', raw: 'refusal' },
    ]);
  });

  it.each([
    ['model_context_window_exceeded', 'context'],
    ['something_new', 'stop'],
    ['toString', 'stop'],
  ])('preserves its stop reason: %s', async (raw, reason) => {
    const end = { ...FINAL_EVENT, delta: { stop_reason: raw, stop_sequence: null } };
    expect(await partsOf(FOREIGN, wire(START, end, STOP))).toEqual([{ type: 'finish', reason, raw }]);
  });

  it('contains no terms of the protocol', async () => {
    const events = await collect(decode(FOREIGN, bytesOf('tool-use')));
    expect(events.every(({ nativeEvent }) => nativeEvent === undefined)).toBe(true);
  });
});

describe('a stream in JSON mode', () => {
  const use = (index: number, name: string) => [
    block(index, { type: 'tool_use', id: `toolu_${index}`, name, input: {} }),
    change(index, { type: 'input_json_delta', partial_json: `{"n":${index}}` }),
    closed(index),
  ];
  const EMPTY = [block(0, { type: 'tool_use', id: 'toolu_0', name: 'json_answer', input: {} }), closed(0)];
  const CALLED = (index: number) =>
    toolCallParts(index, { id: `toolu_${index}`, name: 'get_time' }, `{"n":${index}}`);
  const CALLS_END = { ...FINAL_EVENT, delta: { stop_reason: 'tool_use' } };

  it('returns the input of the answer tool as text, digit for digit', async () => {
    expect(await partsOf(JSON_MODE, bytesOf('json-answer'))).toEqual([
      ...textParts(0, '{"größe":', ' 12345678901234567890}'),
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
  });

  it('counts as output only what the caller gets', async () => {
    const events = await collect(decode(JSON_MODE, bytesOf('json-answer')));
    expect(events.map(({ outputText }) => outputText).join('')).toBe('{"größe": 12345678901234567890}');
    expect(events.findIndex(({ hasOutput }) => hasOutput)).toBe(3);
  });

  it.each<[string, readonly object[], readonly StreamPart[], string]>([
    ['an empty object where the tool got nothing', EMPTY, textParts(0, '{}'), 'stop'],
    ['the calls of the caller’s own tools', use(0, 'get_time'), CALLED(0), 'tool-calls'],
    [
      'the calls of the caller’s own tools and the object',
      [...use(0, 'json_answer'), ...use(1, 'get_time')],
      [...textParts(0, '{"n":0}'), ...CALLED(1)],
      'tool-calls',
    ],
    [
      'one object, however often the tool was called',
      [...use(0, 'json_answer'), ...use(1, 'json_answer')],
      textParts(0, '{"n":0}'),
      'stop',
    ],
  ])('gives %s', async (_what, events, parts, reason) => {
    expect(await partsOf(JSON_MODE, wire(START, ...events, CALLS_END, STOP))).toEqual([
      ...parts,
      { type: 'finish', reason, raw: 'tool_use' },
    ]);
  });

  it('reports it if the output was truncated', async () => {
    const cutShort = { ...FINAL_EVENT, delta: { stop_reason: 'max_tokens' } };
    const parts = await partsOf(JSON_MODE, wire(START, ...use(0, 'json_answer'), cutShort, STOP));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length', raw: 'max_tokens' });
  });
});
