import { describe, expect, it } from '@jest/globals';
import type { StreamPart } from '../../../lambdas/core/inference/upstream/conversation.ts';
import type { CallContext } from '../../../lambdas/providers/anthropic/response.ts';
import { block, change, closed, collect, decode, END, START, STOP, wire } from './decoding.ts';
import { bytesOf, FOREIGN, JSON_MODE } from './fixtures.ts';

async function partsOf(asked: CallContext, ...bytes: readonly Uint8Array[]): Promise<StreamPart[]> {
  return (await collect(decode(asked, ...bytes))).flatMap(({ parts }) => parts ?? []);
}

describe('a stream for a caller of another protocol', () => {
  it('comes as text, piece by piece, and ends with its finish', async () => {
    expect(await partsOf(FOREIGN, bytesOf('text'))).toEqual([
      { type: 'text-delta', text: 'Grüße' },
      { type: 'text-delta', text: ', 世界 👩‍🚀' },
      { type: 'text-delta', text: '\n\n\u200fمرحبا' },
      { type: 'text-end' },
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
  });

  it('comes with its tool calls, numbered from 0, their inputs as they were written', async () => {
    expect(await partsOf(FOREIGN, bytesOf('tool-use'))).toEqual([
      { type: 'text-delta', text: 'Okay, ich prüfe' },
      { type: 'text-delta', text: ' das.' },
      { type: 'text-end' },
      { type: 'tool-call-start', index: 0, id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'get_weather' },
      { type: 'tool-call-delta', index: 0, arguments: '{"location":' },
      { type: 'tool-call-delta', index: 0, arguments: ' "Łódź"' },
      { type: 'tool-call-delta', index: 0, arguments: ', "unit": "c"}' },
      { type: 'tool-call-end', index: 0 },
      { type: 'tool-call-start', index: 1, id: 'toolu_02', name: 'get_time' },
      { type: 'tool-call-end', index: 1 },
      { type: 'tool-call-start', index: 2, id: 'toolu_03', name: 'get_news' },
      { type: 'tool-call-delta', index: 2, arguments: '{"topics":["a"]}' },
      { type: 'tool-call-end', index: 2 },
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
  });

  it('leaves out thoughts, which count as output and are content: the model is at work', async () => {
    expect(await partsOf(FOREIGN, bytesOf('thinking'))).toEqual([
      { type: 'text-delta', text: '27 × 453 = 12,231' },
      { type: 'text-end' },
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
      ['', false],
      ['', false],
      ['27 × 453 = 12,231', true],
      ['', false],
      ['', true],
      ['', true],
    ]);
  });

  it('begins with a thought, which has no parts', async () => {
    const events = await collect(decode(FOREIGN, bytesOf('thinking')));
    expect(events.find(({ content }) => content)).toEqual({ text: '27 × 453:', content: true });
  });

  it('leaves out what only the protocol itself knows', async () => {
    expect(await partsOf(FOREIGN, bytesOf('server-tool'))).toEqual([
      { type: 'text-delta', text: 'Sunny: 21 °C.' },
      { type: 'text-end' },
      { type: 'finish', reason: 'pause', raw: 'pause_turn' },
    ]);
  });

  it('begins its text with what a block already holds', async () => {
    expect(await partsOf(FOREIGN, bytesOf('line-forms'))).toEqual([
      { type: 'text-delta', text: 'Sé' },
      { type: 'text-delta', text: 'data: x' },
      { type: 'text-end' },
      { type: 'finish', reason: 'length', raw: 'max_tokens' },
    ]);
  });

  it('of nothing but its end is an empty answer', async () => {
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
      { type: 'text-delta', text: '{"größe":' },
      { type: 'text-delta', text: ' 12345678901234567890}' },
      { type: 'text-end' },
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
      { type: 'text-delta', text: '{}' },
      { type: 'text-end' },
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
  });

  it('still gives the calls of the caller’s own tools', async () => {
    expect(await partsOf(JSON_MODE, wire(START, ...use(0, 'get_time'), CALLS_END, STOP))).toEqual([
      { type: 'tool-call-start', index: 0, id: 'toolu_0', name: 'get_time' },
      { type: 'tool-call-delta', index: 0, arguments: '{"n":0}' },
      { type: 'tool-call-end', index: 0 },
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
    const both = wire(START, ...use(0, 'json_answer'), ...use(1, 'get_time'), CALLS_END, STOP);
    expect((await partsOf(JSON_MODE, both)).map(({ type }) => type)).toEqual([
      'text-delta',
      'text-end',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-end',
      'finish',
    ]);
    expect((await partsOf(JSON_MODE, both)).at(-1)).toMatchObject({ reason: 'tool-calls' });
  });

  it('gives one object, however often the tool was called', async () => {
    const twice = wire(START, ...use(0, 'json_answer'), ...use(1, 'json_answer'), CALLS_END, STOP);
    expect(await partsOf(JSON_MODE, twice)).toEqual([
      { type: 'text-delta', text: '{"n":0}' },
      { type: 'text-end' },
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
