import { describe, expect, it } from '@jest/globals';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import {
  block,
  change,
  closed,
  collect,
  decode,
  END,
  START,
  STOP,
  wire,
} from '../../testing/providers/anthropic/decoding.ts';
import { bytesOf, FOREIGN, JSON_MODE } from '../../testing/providers/anthropic/fixtures.ts';
import { callBlock, reasoningBlock, textBlock } from '../../testing/providers/parts.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import type { MessagesCallContext } from './response.ts';

async function partsOf(asked: MessagesCallContext, ...bytes: readonly Uint8Array[]): Promise<StreamPart[]> {
  return (await collect(decode(asked, ...bytes))).flatMap(({ parts }) => parts ?? []);
}

describe('a stream for a caller of another protocol', () => {
  it('comes as text, piece by piece, and ends with its finish', async () => {
    expect(await partsOf(FOREIGN, bytesOf('text'))).toEqual([
      ...textBlock(0, 'Grüße', ', 世界 👩‍🚀', '\n\n\u200fمرحبا'),
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
  });

  it('comes with its tool calls, numbered from 0, their inputs as they were written', async () => {
    expect(await partsOf(FOREIGN, bytesOf('tool-use'))).toEqual([
      ...textBlock(0, 'Okay, ich prüfe', ' das.'),
      ...callBlock(
        1,
        { id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'get_weather' },
        '{"location":',
        ' "Łódź"',
        ', "unit": "c"}',
      ),
      ...callBlock(2, { id: 'toolu_02', name: 'get_time' }),
      ...callBlock(3, { id: 'toolu_03', name: 'get_news' }, '{"topics":["a"]}'),
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
  });

  it('comes with its thoughts, which count as output, each with its signature sealed', async () => {
    const signature = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=';
    expect(withProofs(await partsOf(FOREIGN, bytesOf('thinking')))).toEqual([
      ...reasoningBlock(0, ['27 × 453:', ' 12,231'], `<${JSON.stringify({ signature })}>`),
      ...reasoningBlock(1, [], '<{"redacted":"EmwKAhgBEgy3va3pzix"}>'),
      ...textBlock(2, '27 × 453 = 12,231'),
      { type: 'finish', reason: 'stop-sequence', raw: 'stop_sequence', stopSequence: '\n\n' },
    ]);
    const events = await collect(decode(FOREIGN, bytesOf('thinking')));
    expect(events.map(({ text, content }) => [text, content])).toEqual([
      ['', false],
      ['', false],
      ['27 × 453:', true],
      [' 12,231', true],
      ['', false],
      ['', false],
      ['', false],
      // What is not shown is content too: the caller gets the proof of it.
      ['', true],
      ['', false],
      ['27 × 453 = 12,231', true],
      ['', false],
      ['', true],
      ['', true],
    ]);
  });

  it('comes with a signature that its server gives in pieces, whole at once, or not at all', async () => {
    const thought = (rest: object) => block(0, { type: 'thinking', thinking: '', ...rest });
    const said = change(0, { type: 'thinking_delta', thinking: 'Hm.' });
    const signed = (signature: unknown) => change(0, { type: 'signature_delta', signature });
    const partsFor = async (...events: readonly unknown[]) =>
      withProofs(await partsOf(FOREIGN, wire(START, ...events, closed(0), END, STOP))).slice(0, -1);
    const whole = reasoningBlock(0, ['Hm.'], '<{"signature":"EqQB"}>');
    expect(await partsFor(thought({ signature: '' }), said, signed('Eq'), signed('QB'))).toEqual(whole);
    expect(await partsFor(thought({ signature: 'EqQB' }), said)).toEqual(whole);
    expect(await partsFor(thought({}), said, signed(''))).toEqual(reasoningBlock(0, ['Hm.']));
    expect(await partsFor(thought({}), signed('EqQB'))).toEqual(
      reasoningBlock(0, [], '<{"signature":"EqQB"}>'),
    );
    expect(await partsFor(thought({}))).toEqual([]);
    expect(await partsFor(block(0, { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }))).toEqual(whole);
  });

  it('leaves out what only the protocol itself knows', async () => {
    expect(await partsOf(FOREIGN, bytesOf('server-tool'))).toEqual([
      ...textBlock(0, 'Sunny: 21 °C.'),
      { type: 'finish', reason: 'pause', raw: 'pause_turn' },
    ]);
  });

  it('begins its text with what a block already holds', async () => {
    expect(await partsOf(FOREIGN, bytesOf('line-forms'))).toEqual([
      ...textBlock(0, 'Sé', 'data: x'),
      { type: 'finish', reason: 'length', raw: 'max_tokens' },
    ]);
  });

  it('yields an empty output if it contains only its end', async () => {
    expect(await partsOf(FOREIGN, wire(START, END, STOP))).toEqual([
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
  ])('keeps the word that it ended with: %s', async (raw, reason) => {
    const end = { ...END, delta: { stop_reason: raw, stop_sequence: null } };
    expect(await partsOf(FOREIGN, wire(START, end, STOP))).toEqual([{ type: 'finish', reason, raw }]);
  });

  it('carries nothing in the protocol’s own words', async () => {
    const events = await collect(decode(FOREIGN, bytesOf('tool-use')));
    expect(events.every(({ payload }) => payload === undefined)).toBe(true);
  });
});

describe('a stream in JSON mode', () => {
  const use = (index: number, name: string) => [
    block(index, { type: 'tool_use', id: `toolu_${index}`, name, input: {} }),
    change(index, { type: 'input_json_delta', partial_json: `{"n":${index}}` }),
    closed(index),
  ];
  const CALLS_END = { ...END, delta: { stop_reason: 'tool_use' } };

  it('gives the input of the answer tool as text, digit for digit', async () => {
    expect(await partsOf(JSON_MODE, bytesOf('json-answer'))).toEqual([
      ...textBlock(0, '{"größe":', ' 12345678901234567890}'),
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
  });

  it('counts as output only what the caller gets', async () => {
    const events = await collect(decode(JSON_MODE, bytesOf('json-answer')));
    expect(events.map(({ text }) => text).join('')).toBe('{"größe": 12345678901234567890}');
    expect(events.findIndex(({ content }) => content)).toBe(3);
  });

  it('gives an empty object where the tool got nothing', async () => {
    const empty = [block(0, { type: 'tool_use', id: 'toolu_0', name: 'json_answer', input: {} }), closed(0)];
    expect(await partsOf(JSON_MODE, wire(START, ...empty, CALLS_END, STOP))).toEqual([
      ...textBlock(0, '{}'),
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
  });

  it('still gives the calls of the caller’s own tools', async () => {
    expect(await partsOf(JSON_MODE, wire(START, ...use(0, 'get_time'), CALLS_END, STOP))).toEqual([
      ...callBlock(0, { id: 'toolu_0', name: 'get_time' }, '{"n":0}'),
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
    const both = wire(START, ...use(0, 'json_answer'), ...use(1, 'get_time'), CALLS_END, STOP);
    expect((await partsOf(JSON_MODE, both)).map(({ type }) => type)).toEqual([
      'start',
      'delta',
      'end',
      'start',
      'delta',
      'end',
      'finish',
    ]);
    expect((await partsOf(JSON_MODE, both)).at(-1)).toMatchObject({ reason: 'tool-calls' });
  });

  it('gives one object, however often the tool was called', async () => {
    const twice = wire(START, ...use(0, 'json_answer'), ...use(1, 'json_answer'), CALLS_END, STOP);
    expect(await partsOf(JSON_MODE, twice)).toEqual([
      ...textBlock(0, '{"n":0}'),
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
  });

  it('says so when the answer was cut short', async () => {
    const cutShort = wire(
      START,
      ...use(0, 'json_answer'),
      { ...END, delta: { stop_reason: 'max_tokens' } },
      STOP,
    );
    expect((await partsOf(JSON_MODE, cutShort)).at(-1)).toEqual({
      type: 'finish',
      reason: 'length',
      raw: 'max_tokens',
    });
  });
});
