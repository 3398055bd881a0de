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
  const answerTool = tool(0, 'tooluse_1', 'json_answer');

  it('becomes the text of the output, which then stops normally', async () => {
    const events = [
      start,
      answerTool,
      input(0, '{"a"'),
      input(0, ':1}'),
      stop(0),
      end('tool_use'),
      metadata(USAGE),
    ];
    const outcomes = await outcome(framesOf(events), JSON_OUTPUT);
    expect(outcomes.parts).toEqual([
      ...textParts(0, '{"a"', ':1}'),
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
    expect(outcomes.events.map((event) => event.outputText).join('')).toBe('{"a":1}');
  });

  it('becomes an empty object if the model gives no input', async () => {
    expect(await partsOf([start, answerTool, stop(0), end('tool_use')], JSON_OUTPUT)).toMatchObject([
      ...textParts(0, '{}'),
      { reason: 'stop' },
    ]);
  });

  it('stands alone: words around it and a second one are left out', async () => {
    const events = [
      start,
      text(0, 'Here it is:'),
      stop(0),
      tool(1, 'tooluse_1', 'json_answer'),
      input(1, '{}'),
      stop(1),
      text(2, 'There.'),
      stop(2),
      tool(3, 'tooluse_2', 'json_answer'),
      input(3, '{"b":2}'),
      stop(3),
      end('tool_use'),
    ];
    expect(await partsOf(events, JSON_OUTPUT)).toEqual([
      ...textParts(0, '{}'),
      { type: 'finish', reason: 'stop', raw: 'tool_use' },
    ]);
  });

  it('becomes the text that the model wrote if it calls no tool', async () => {
    const events = [start, text(0, '{"a"'), text(0, ':1}'), stop(0), end('end_turn')];
    expect(await partsOf(events, JSON_OUTPUT)).toEqual([
      ...textParts(0, '{"a":1}'),
      { type: 'finish', reason: 'stop', raw: 'end_turn' },
    ]);
  });

  it('counts as output from its first delta, although the caller receives it at the end', async () => {
    const events = [start, text(0, '{"a"'), text(0, ':1}'), stop(0), end('end_turn')];
    const outcomes = await outcome(framesOf(events), JSON_OUTPUT);
    expect(outcomes.events[0]).toEqual({ outputText: '{"a"', hasOutput: true });
  });

  it('preserves a call of the caller’s tools and the text before it', async () => {
    const events = [
      start,
      text(0, 'First the weather.'),
      stop(0),
      tool(1, 'tooluse_1', 'get_weather'),
      input(1, '{}'),
      stop(1),
      end('tool_use'),
    ];
    expect(await partsOf(events, JSON_OUTPUT)).toEqual([
      ...textParts(0, 'First the weather.'),
      ...toolCallParts(1, { id: 'tooluse_1', name: 'get_weather' }, '{}'),
      { type: 'finish', reason: 'tool-calls', raw: 'tool_use' },
    ]);
  });
});
