import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { AssistantPart } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { accumulated, contentBlocksIn } from '../../testing/completions/messages/accumulated.ts';
import { partsOf, type Step } from '../../testing/upstream/stream-script.ts';
import { messagesWriter } from './response-writer.ts';

const writer = () => messagesWriter({ identity: { id: 'msg_1', model: 'a/b' }, promptTokens: () => 7 });

function stream(steps: readonly Step[]) {
  const responseWriter = writer();
  return partsOf(steps).flatMap((part) => responseWriter.events(part));
}

const start = (index: number): Step => ({ calls: index });
const delta = (index: number, text: string): Step => ({ adds: text, to: index });
const end = (index: number): Step => ({ ends: index });
const says = (text: string): Step => ({ says: text });
const finish: Step = { finishes: { reason: 'tool-calls', raw: 'tool_calls' } };

/**
 * Returns the events that a client receives after each step: the type and index of each event, with the text of a
 * delta.
 */
function eventsOf(steps: readonly Step[]): string[][] {
  const responseWriter = writer();
  const written = (count: number) => partsOf(steps.slice(0, count)).length;
  return steps.map((_, at) =>
    partsOf(steps)
      .slice(written(at), written(at + 1))
      .flatMap((part) => responseWriter.events(part))
      .map((event) => {
        const { text, partial_json: json } = (event.delta ?? {}) as Record<string, string>;
        const position = event.index === undefined ? '' : ` ${event.index}`;
        return `${String(event.type).replace('content_block_', '')}${position}${event.index === undefined ? '' : ` ${text ?? json ?? ''}`}`.trimEnd();
      }),
  );
}

describe('a streamed response in the Messages format', () => {
  it('opens with an empty message, delivers each delta at once, and closes with the reason', () => {
    const events = stream([
      says('He'),
      says(''),
      says('llo'),
      { finishes: { reason: 'stop-sequence', raw: 'stop', stopSequence: 'END' } },
    ]);
    expect(events).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'a/b',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 7,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 0,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'He' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'llo' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' },
        usage: { output_tokens: 0 },
      },
      { type: 'message_stop' },
    ]);
  });

  it('ends a text before a call, and separates texts on both sides of an end or a refusal', () => {
    const parts: Step[] = [
      says('a'),
      'ends text',
      says('b'),
      { refuses: 'no' },
      start(0),
      end(0),
      says('c'),
      finish,
    ];
    expect(contentBlocksIn(stream(parts)).map(({ start: { type }, text }) => [type, text])).toEqual([
      ['text', 'a'],
      ['text', 'b'],
      ['text', 'no'],
      ['tool_use', ''],
      ['text', 'c'],
    ]);
  });

  it('contains the text of reasoning at once, and its signature at the end', () => {
    const events = stream([{ thinks: 'He' }, { thinks: 'm.' }, { signs: 'sealed' }, says('a'), finish]);
    expect(events.slice(1, 6)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'He' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'm.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sealed' } },
      { type: 'content_block_stop', index: 0 },
    ]);
  });

  it('starts a separate block for unreadable reasoning, and sends no signature delta for unsigned reasoning', () => {
    expect(stream([{ signs: 'sealed' }, start(0), finish]).slice(1, 3)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'redacted_thinking', data: 'sealed' },
      },
      { type: 'content_block_stop', index: 0 },
    ]);
    const unsigned = stream([{ thinks: 'Hm.' }, says('a'), finish]);
    expect(unsigned.flatMap(({ delta }) => (delta as { type?: string } | undefined)?.type ?? [])).toEqual([
      'thinking_delta',
      'text_delta',
    ]);
  });

  it('ends a call when the stream ends it, and not when its arguments look complete', () => {
    const deltas = [start(0), delta(0, '{}'), start(1), delta(1, '{"a"'), delta(0, ' more'), delta(1, ':1}')];
    expect(eventsOf([...deltas, end(0), finish])).toEqual([
      ['message_start', 'start 0'],
      ['delta 0 {}'],
      [],
      [],
      ['delta 0  more'],
      [],
      ['stop 0', 'start 1', 'delta 1 {"a":1}'],
      ['stop 1', 'message_delta', 'message_stop'],
    ]);
  });

  it('holds back what comes for another call until the open one has ended', () => {
    expect(
      eventsOf([
        start(0),
        start(1),
        delta(1, '{"b":'),
        delta(0, '{}'),
        end(0),
        delta(1, '2}'),
        end(1),
        finish,
      ]),
    ).toEqual([
      ['message_start', 'start 0'],
      [],
      [],
      ['delta 0 {}'],
      ['stop 0', 'start 1', 'delta 1 {"b":'],
      ...[['delta 1 2}'], ['stop 1'], ['message_delta', 'message_stop']],
    ]);
  });

  it('delays a text until the call before it ends', () => {
    expect(eventsOf([start(0), delta(0, '{'), says('a'), says('b'), delta(0, '}'), finish])).toEqual([
      ['message_start', 'start 0'],
      ['delta 0 {'],
      [],
      [],
      ['delta 0 }'],
      ['stop 0', 'start 1', 'delta 1 ab', 'stop 1', 'message_delta', 'message_stop'],
    ]);
  });

  it('ends calls without arguments at their end, or at the end of the response', () => {
    const blocks = contentBlocksIn(stream([start(0), start(1), start(2), end(0), delta(2, '{}'), finish]));
    expect(blocks.map(({ text }) => text)).toEqual(['', '', '{}']);
  });

  it('fails on arguments of a call that never started', () => {
    expect(() => stream([delta(0, '{}')])).toThrow(UpstreamFailure);
  });
});

/** Arguments as models write them, well or badly; what follows a complete object is a matter of its own. */
const argumentsText = fc.oneof(
  fc.constant(''),
  fc
    .dictionary(fc.string(), fc.jsonValue())
    .chain((value) =>
      fc.constantFrom(
        JSON.stringify(value),
        JSON.stringify(value, undefined, 2),
        ` ${JSON.stringify(value)}`,
      ),
    ),
  fc.string().filter((text) => !text.trimStart().startsWith('{')),
  fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value).slice(0, -1)),
);

/** A text cut into pieces, with the position of each among those of all calls. */
const cut = fc
  .tuple(argumentsText, fc.array(fc.nat({ max: 200 }), { maxLength: 6 }), fc.boolean())
  .map(([text, cuts, hasEnd]) => {
    const offsets = [...new Set([0, ...cuts.filter((position) => position < text.length), text.length])].sort(
      (a, b) => a - b,
    );
    const deltas = offsets.slice(1).map((position, index) => text.slice(offsets[index], position));
    return { text, pieces: deltas, hasEnd };
  });

const interleaved = fc.array(cut, { minLength: 1, maxLength: 5 }).chain((calls) => {
  const queues = calls.map(({ pieces, hasEnd }, index) => [
    start(index),
    ...pieces.map((fragment) => delta(index, fragment)),
    ...(hasEnd ? [end(index)] : []),
  ]);
  const count = queues.flat().length;
  return fc.array(fc.nat({ max: 1_000 }), { minLength: count, maxLength: count }).map((picks) => {
    const rest = queues.map((queue) => [...queue]);
    const started = { count: 0 };
    const parts = picks.map((pick) => {
      // Calls are numbered in the order of their start.
      const able = rest.filter((queue, index) => queue.length > 0 && index <= started.count);
      const queue = able[pick % able.length];
      const part = queue?.shift();
      if (typeof part === 'object' && 'calls' in part) started.count += 1;
      return part ?? finish;
    });
    return { texts: calls.map(({ text }) => text), parts: [...parts, finish] };
  });
});

describe('the law of streamed tool calls', () => {
  it('gives each call its own arguments to the last byte, in legal order, however they interleave', () => {
    fc.assert(
      fc.property(interleaved, ({ texts, parts }) => {
        const blocks = contentBlocksIn(stream(parts));
        expect(blocks.map(({ start: { id } }) => id)).toEqual(texts.map((_, index) => `c${index}`));
        expect(blocks.map(({ text }) => text)).toEqual(texts);
      }),
      { numRuns: rounds(120) },
    );
  });

  it('holds with texts between the deltas of the calls', () => {
    const withTextSteps = interleaved.chain(({ texts, parts }) =>
      fc
        .array(fc.tuple(fc.nat({ max: 1_000 }), fc.string({ minLength: 1 })), { maxLength: 4 })
        .map((textStep) => {
          const mixed = [...parts.slice(0, -1)];
          for (const [position, text] of textStep) mixed.splice(position % (mixed.length + 1), 0, says(text));
          const spoken = mixed
            .flatMap((step) => (typeof step === 'object' && 'says' in step ? step.says : []))
            .join('');
          return { texts, spoken, parts: [...mixed, finish] };
        }),
    );
    fc.assert(
      fc.property(withTextSteps, ({ texts, spoken, parts }) => {
        const blocks = contentBlocksIn(stream(parts));
        const calls = blocks.filter(({ start: { type } }) => type === 'tool_use');
        expect(calls.map(({ text }) => text)).toEqual(texts);
        const words = blocks.filter(({ start: { type } }) => type === 'text').map(({ text }) => text);
        expect(words.join('')).toBe(spoken);
      }),
      { numRuns: rounds(80) },
    );
  });

  it('gives the official SDK the same result as the complete response', async () => {
    const part: fc.Arbitrary<AssistantPart> = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1 }) }),
      fc.record({
        type: fc.constant('reasoning' as const),
        text: fc.string(),
        signature: fc.string({ minLength: 1 }),
      }),
      fc.record({
        type: fc.constant('tool-call' as const),
        id: fc.uuid(),
        name: fc.constantFrom('f', 'g'),
        arguments: fc
          .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue())
          .map((value) => JSON.stringify(value)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        let calls = 0;
        const streamed = parts.flatMap((responseWriter): Step[] => {
          if (responseWriter.type === 'reasoning')
            return [{ thinks: responseWriter.text }, { signs: responseWriter.signature ?? '' }];
          if (responseWriter.type !== 'tool-call') return [says(responseWriter.text), 'ends text'];
          const index = calls++;
          const { id, name, arguments: text } = responseWriter;
          return [{ calls: index, id, name }, delta(index, text), end(index)];
        });
        const sseEvents = stream([...streamed, finish]).map(
          (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
        );
        const usage = { promptTokens: 7, cachedTokens: 0, completionTokens: 0 };
        const completion = { parts, finish: { reason: 'tool-calls', raw: 'tool_calls' } as const };
        const completeBody = JSON.parse(writer().body({ output: completion }, usage));
        const accepted = JSON.parse(JSON.stringify(await accumulated(sseEvents)));
        // The SDK's own place for structured outputs.
        delete accepted.parsed_output;
        expect(accepted).toEqual(completeBody);
      }),
      { numRuns: rounds(20) },
    );
  });
});
