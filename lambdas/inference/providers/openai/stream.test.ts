import { describe, expect, it } from '@jest/globals';
import { decode, outcome, readRouteEvents } from '../../testing/providers/openai/decoding.ts';
import { bytesOf, CALL, chunksOf, IDENTITY, NAMES } from '../../testing/providers/openai/fixtures.ts';
import { collect, wire } from '../../testing/providers/streams.ts';

describe('a recorded stream', () => {
  it.each(NAMES)(
    'preserves everything except usage and vendor details, under our id and model: %s',
    async (name) => {
      const payloads = (await collect(decode(bytesOf(name)))).flatMap(({ nativeEvent }) => nativeEvent ?? []);
      const expected = chunksOf(name)
        .filter(({ choices }) => choices.length > 0)
        .map(({ choices, created, service_tier }) => ({
          choices,
          created,
          service_tier,
          ...IDENTITY,
          object: 'chat.completion.chunk',
        }));
      expect(expected.length).toBeGreaterThan(0);
      expect(payloads).toEqual(expected);
      expect(JSON.stringify(payloads)).not.toMatch(
        /chatcmpl-B9|cmpl-7|gpt-5|local-model|fp_|obfuscation|timings/,
      );
    },
  );
});

describe('the events of a stream', () => {
  const summary = async (name: string) => {
    const events = await collect(decode(bytesOf(name)));
    return {
      text: events.map(({ outputText }) => outputText).join(''),
      content: events.map(({ hasOutput }) => hasOutput),
      usage: events.flatMap(({ usage }) => usage ?? []),
    };
  };

  it('contain text of every script, and the usage that ends the stream', async () => {
    const { text, content, usage } = await summary('text');
    expect(text).toBe('Grüße, 世界 👩‍🚀\n\n👩‍🚀 \u200fمرحبا');
    expect(content).toEqual([false, true, true, true, true, true, false]);
    expect(usage).toEqual([
      {
        promptTokens: 19,
        cachedTokens: 16,
        completionTokens: 14,
        reasoningTokens: 2,
        serviceTier: 'standard',
        reported: chunksOf('text').at(-1)?.usage,
      },
    ]);
  });

  it('contain tool calls as output, from their start', async () => {
    const { text, content, usage } = await summary('parallel-tool-calls');
    expect(text).toBe('get_weatherget_time{"city":{"zone":"Asia"Łódź"}/Tokyo"}');
    expect(content).toEqual([false, true, true, true, true, true, true, false]);
    expect(usage).toMatchObject([{ promptTokens: 82, cachedTokens: 0, completionTokens: 37 }]);
  });

  it('contain reasoning as output, and usage from the chunk of the last choice', async () => {
    const { text, content, usage } = await summary('without-done');
    expect(text).toBe('Count to 3.1 2 3');
    expect(content).toEqual([true, true, true, false, true]);
    expect(usage).toMatchObject([{ promptTokens: 5, completionTokens: 9 }]);
  });

  it('contain a refusal as output', async () => {
    expect((await summary('refusal')).text).toBe("I'm sorry, I cannot.");
  });

  it('exclude comments, other fields and events without data', async () => {
    const { text, content } = await summary('comments-and-fields');
    expect(text).toBe('ab: c');
    expect(content).toEqual([true, true, true]);
  });

  it('count a tool call that has neither name nor arguments yet as output', async () => {
    const opening = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0 }] }, finish_reason: null }] };
    const { events } = await outcome(wire(opening));
    expect(events).toMatchObject([{ hasOutput: true, outputText: '' }]);
  });
});

describe('a stream whose places and times are text', () => {
  it('reaches a caller of the protocol with numbers', async () => {
    const chunk = (delta: object, finish_reason: string | null) => ({
      created: '1700000000',
      choices: [{ index: '0', delta, finish_reason }],
    });
    const { events, failure } = await outcome(
      wire(chunk({ content: 'Hi' }, null), chunk({}, 'stop'), '[DONE]'),
    );
    expect(failure).toBeUndefined();
    const payloads = events.flatMap(({ nativeEvent }) => nativeEvent ?? []);
    expect(payloads).toMatchObject([
      { created: 1_700_000_000, choices: [{ index: 0, delta: { content: 'Hi' } }] },
      { created: 1_700_000_000, choices: [{ index: 0, finish_reason: 'stop' }] },
    ]);
  });
});

const LATE = { choices: [{ index: 0, delta: { content: 'late' }, finish_reason: null }] };

describe('the reader of a stream', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('reset'))],
    ['stays open', () => new Promise<void>(() => {})],
    ['says more', () => Promise.resolve()],
  ])('returns the complete output at [DONE], even if the connection then %s', async (_what, laterData) => {
    async function* data(): AsyncGenerator<string, void> {
      yield* chunksOf('text').map((chunk) => JSON.stringify(chunk));
      yield '[DONE]';
      await laterData();
      yield JSON.stringify(LATE);
    }
    expect(await collect(readRouteEvents(data(), CALL))).toHaveLength(7);
  });

  it('reads one event at a time, and takes from the connection only what its consumer requests', async () => {
    let readCount = 0;
    async function* data(): AsyncGenerator<string, void> {
      for (;;) {
        readCount += 1;
        yield JSON.stringify(LATE);
      }
    }
    const events = readRouteEvents(data(), CALL);
    for (let read = 1; read <= 10; read += 1) {
      await events.next();
      expect(readCount).toBe(read);
    }
    await events.return();
  });
});
