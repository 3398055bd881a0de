import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import { callFor, outcome } from '../../testing/providers/bedrock/calling.ts';
import {
  end,
  frame,
  framesOf,
  input,
  metadata,
  STREAMS,
  start,
  stop,
  text,
  thought,
  tool,
  USAGE,
  type WireEvent,
} from '../../testing/providers/bedrock/frames.ts';
import { streamOf } from '../../testing/providers/http-calls.ts';
import { openText, reasoningParts, textParts, toolCallParts } from '../../testing/providers/parts.ts';
import { withOpenedSignature, withProofs } from '../../testing/providers/sealing.ts';

const JSON_OUTPUT = { conversation: { format: { type: 'json' } } } as const;

const partsOf = async (events: readonly WireEvent[], call = {}) =>
  (await outcome(framesOf(events), call)).parts;

describe('a stream of Converse', () => {
  it('gives its text as it comes, its end and its usage', async () => {
    const { events, failure } = await outcome(framesOf(STREAMS.text ?? []));
    expect(failure).toBeUndefined();
    expect(events).toEqual([
      { parts: openText(0, 'Grüße'), outputText: 'Grüße', hasOutput: true },
      { parts: [{ type: 'delta', index: 0, text: ', 世界 👋' }], outputText: ', 世界 👋', hasOutput: true },
      { parts: [{ type: 'end', index: 0 }], outputText: '', hasOutput: true },
      { parts: [{ type: 'finish', reason: 'stop', raw: 'end_turn' }], outputText: '', hasOutput: true },
      {
        outputText: '',
        hasOutput: false,
        usage: { promptTokens: 21, cachedTokens: 0, completionTokens: 16 },
      },
    ]);
  });

  it('passes thoughts and the arguments of tool calls on as they come, and counts both as output', async () => {
    const { events, parts } = await outcome(framesOf(STREAMS['tool-calls'] ?? []));
    expect(events[0]).toMatchObject({ outputText: 'Two cities.', hasOutput: true });
    expect(withProofs(parts)).toEqual([
      ...reasoningParts(0, ['Two cities.'], '<{"signature":"c2ln"}>'),
      ...textParts(1, 'Let me look.'),
      ...toolCallParts(
        2,
        { id: 'tooluse_kZJMlvQmRJ6eAyJE5GIl7Q', name: 'get_weather' },
        '{"city":',
        '"Łódź"}',
      ),
      ...toolCallParts(3, { id: 'tooluse_2', name: 'get_time' }),
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
    expect(events.map((event) => event.outputText).join('')).toBe(
      'Two cities.Let me look.get_weather{"city":"Łódź"}get_time',
    );
    expect(events.at(-1)?.usage).toEqual({
      promptTokens: 128,
      cachedTokens: 100,
      completionTokens: 16,
      cacheWrites: { auto: 7 },
    });
  });

  it('contains the complete signature of hidden reasoning, and none if the model has none', async () => {
    const endedStream = async (...events: readonly WireEvent[]) =>
      withProofs(await partsOf([start, ...events, stop(0), end('end_turn')])).slice(0, -1);
    const redacted = (bytes: string) =>
      thought(0, { redactedContent: Buffer.from(bytes).toString('base64') });
    const base64 = Buffer.from('only the model').toString('base64');
    const hidden = reasoningParts(0, [], `<${JSON.stringify({ redacted: base64 })}>`);
    expect(await endedStream(redacted('only the'), redacted(' model'))).toEqual(hidden);
    const signed = reasoningParts(0, ['Hm', '.'], '<{"signature":"c2ln"}>');
    expect(
      await endedStream(
        thought(0, { text: 'Hm' }),
        thought(0, { text: '.' }),
        thought(0, { signature: 'c2' }),
        thought(0, { signature: 'ln' }),
      ),
    ).toEqual(signed);
    expect(await endedStream(thought(0, { text: 'Hm.' }))).toEqual(reasoningParts(0, ['Hm.']));
    expect(await endedStream(thought(0, { text: '' }))).toEqual([]);
  });

  it.each(Object.keys(STREAMS))('gives the same, wherever its bytes are split: %s', async (name) => {
    const bytes = framesOf(STREAMS[name] ?? []);
    const events = withProofs(await outcome(bytes));
    const different: number[] = [];
    for (const at of offsets(1, bytes.length - 1)) {
      const halves = await outcome({ body: [bytes.subarray(0, at), bytes.subarray(at)] });
      if (JSON.stringify(halves, withOpenedSignature) !== JSON.stringify(events)) different.push(at);
    }
    expect(different).toEqual([]);
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(withProofs(await outcome({ body: single }))).toEqual(events);
  });

  it.each([
    [end('stop_sequence', { additionalModelResponseFields: { delta: { stop_sequence: 'END' } } }), 'END'],
    [end('stop_sequence', { additionalModelResponseFields: { stop_sequence: 'END' } }), 'END'],
    [end('stop_sequence', { additionalModelResponseFields: { stop_sequence: null } }), undefined],
    [end('stop_sequence'), undefined],
  ])('names the stop sequence where the model does: %j', async (event, stopSequence) => {
    const call = { conversation: { stop: ['END', 'STOP'] } };
    expect(await partsOf([start, event, metadata(USAGE)], call)).toEqual([
      {
        type: 'finish',
        reason: 'stop-sequence',
        raw: 'stop_sequence',
        ...(stopSequence && { stopSequence }),
      },
    ]);
  });

  it('ends cleanly after its end without usage, which is then unknown', async () => {
    const { events, failure } = await outcome(framesOf([start, text(0, 'a'), stop(0), end('end_turn')]));
    expect(failure).toBeUndefined();
    expect(events.some(({ usage }) => usage !== undefined)).toBe(false);
  });

  it('takes the usage that comes before its end', async () => {
    const { events, failure } = await outcome(
      framesOf([start, text(0, 'a'), metadata(USAGE), end('end_turn')]),
    );
    expect(failure).toBeUndefined();
    expect(events.filter(({ usage }) => usage !== undefined)).toHaveLength(1);
    expect(events.at(-1)?.parts).toEqual([
      { type: 'end', index: 0 },
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
  });

  it('yields nothing after its end, and nothing for unknown events', async () => {
    const events: WireEvent[] = [
      start,
      ['weather', { city: 'Łódź' }],
      text(0, 'a'),
      end('end_turn'),
      text(1, 'late'),
      end('max_tokens'),
      metadata(USAGE),
    ];
    expect(await partsOf(events)).toEqual([
      ...textParts(0, 'a'),
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
  });

  it('decodes only a bounded number of events before its consumer reads them', async () => {
    let readCount = 0;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      for (;;) {
        readCount += 1;
        yield frame(text(0, 'x'));
        await pause(0);
      }
    }
    // A body in process has a buffer of its own; it must fill and then stand still.
    const events = await streamOf(callFor({ body: body() }, { stream: true }));
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    let before = -1;
    while (before !== readCount) {
      before = readCount;
      await pause(20);
    }
    expect(readCount).toBeLessThan(1_000);
    await iterator.return?.();
  });
});

describe('JSON output requested as a tool’s input', () => {
  const called = (index: number, name: string, ...fragments: readonly string[]) => [
    tool(index, 'tooluse_1', name),
    ...fragments.map((fragment) => input(index, fragment)),
    stop(index),
  ];
  const said = (index: number, ...words: readonly string[]) => [
    ...words.map((word) => text(index, word)),
    stop(index),
  ];
  const STOPPED = { type: 'finish', reason: 'stop', raw: 'tool_use' };

  it.each<[string, readonly WireEvent[], readonly unknown[]]>([
    [
      'becomes the text of the output, which then stops normally',
      [...called(0, 'json_answer', '{"a"', ':1}'), end('tool_use'), metadata(USAGE)],
      [...textParts(0, '{"a"', ':1}'), STOPPED],
    ],
    [
      'becomes an empty object if the model gives no input',
      [...called(0, 'json_answer'), end('tool_use')],
      [...textParts(0, '{}'), STOPPED],
    ],
    [
      'stands alone: words around it and a second one are left out',
      [
        ...said(0, 'Here it is:'),
        ...called(1, 'json_answer', '{}'),
        ...said(2, 'There.'),
        ...called(3, 'json_answer', '{"b":2}'),
        end('tool_use'),
      ],
      [...textParts(0, '{}'), STOPPED],
    ],
    [
      'becomes the text that the model wrote if it calls no tool',
      [...said(0, '{"a"', ':1}'), end('end_turn')],
      [...textParts(0, '{"a":1}'), { ...STOPPED, raw: 'end_turn' }],
    ],
    [
      'preserves a call of the caller’s tools and the text before it',
      [...said(0, 'First the weather.'), ...called(1, 'get_weather', '{}'), end('tool_use')],
      [
        ...textParts(0, 'First the weather.'),
        ...toolCallParts(1, { id: 'tooluse_1', name: 'get_weather' }, '{}'),
        { ...STOPPED, reason: 'tool-calls' },
      ],
    ],
  ])('%s', async (_title, events, parts) => {
    expect(await partsOf([start, ...events], JSON_OUTPUT)).toEqual(parts);
  });

  it('counts as output from its first delta, although the caller receives it at the end', async () => {
    const written = await outcome(framesOf([start, ...said(0, '{"a"', ':1}'), end('end_turn')]), JSON_OUTPUT);
    expect(written.events[0]).toEqual({ outputText: '{"a"', hasOutput: true });
    const answered = [start, ...called(0, 'json_answer', '{"a"', ':1}'), end('tool_use')];
    const { events } = await outcome(framesOf(answered), JSON_OUTPUT);
    expect(events.map((event) => event.outputText).join('')).toBe('{"a":1}');
  });
});
