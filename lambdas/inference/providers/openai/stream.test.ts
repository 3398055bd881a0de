import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import { collect, decode, encode, event, outcome } from '../../testing/providers/openai/decoding.ts';
import { bytesOf, CALL, chunksOf, IDENTITY, NAMES } from '../../testing/providers/openai/fixtures.ts';
import { decodeSse } from '../http-upstream.ts';
import { readRouteEvents } from './stream.ts';

/** Cuts bytes at the given offsets. */
function cut(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const sorted = [0, ...offsets.toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const withLineEnds = (name: string, end: string): Uint8Array =>
  encode(new TextDecoder().decode(bytesOf(name)).replaceAll('\n', end));

const recordings = [
  ...NAMES.map((name) => [name, bytesOf(name)] as const),
  ...(['text', 'comments-and-fields'] as const).map(
    (name) => [`${name}, lines ended by CR LF`, withLineEnds(name, '\r\n')] as const,
  ),
];

describe('a recorded stream', () => {
  it.each(recordings)(
    'gives the same events wherever its bytes are split in two: %s',
    async (_name, bytes) => {
      const events = await collect(decode(bytes));
      expect(events.length).toBeGreaterThan(2);
      for (const at of offsets(0, bytes.length)) {
        expect(await collect(decode(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(events);
      }
    },
  );

  it.each(recordings)(
    'gives the same events byte by byte, and for any other split: %s',
    async (_name, bytes) => {
      const events = await collect(decode(bytes));
      const offsets = Array.from({ length: bytes.length }, (_, index) => index);
      expect(await collect(decode(...cut(bytes, offsets)))).toEqual(events);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (random) => {
          expect(await collect(decode(...cut(bytes, random)))).toEqual(events);
        }),
        { numRuns: 25 },
      );
    },
  );

  it.each(NAMES)('gives the same events whatever ends its lines: %s', async (name) => {
    const events = await collect(decode(bytesOf(name)));
    expect(await collect(decode(withLineEnds(name, '\r\n')))).toEqual(events);
    // A last CR may be half of a CR LF, so what it ends is known only when more comes: here, `[DONE]`.
    const done = encode('\r\rdata: [DONE]\r\r');
    expect(await collect(decode(withLineEnds(name, '\r'), done))).toEqual(events);
    expect(await collect(decode(encode('\uFEFF'), bytesOf(name)))).toEqual(events);
  });

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
    expect(content).toEqual([true, true, true, true]);
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
    const { events } = await outcome(encode(event(opening)));
    expect(events).toMatchObject([{ hasOutput: true, outputText: '' }]);
  });

  it('end at [DONE], whatever follows', async () => {
    const laterChunk = encode(event({ choices: [{ index: 0, delta: { content: 'late' } }] }));
    const events = await collect(decode(bytesOf('text')));
    expect(await collect(decode(bytesOf('text'), laterChunk))).toEqual(events);
  });
});

describe('the reader of a stream', () => {
  it('who leaves lets go of the connection', async () => {
    let released = false;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      try {
        yield bytesOf('without-done').slice(0, 700);
        yield new Uint8Array();
      } finally {
        released = true;
      }
    }
    for await (const _event of readRouteEvents(decodeSse(body()), CALL)) break;
    expect(released).toBe(true);
  });

  it('returns the complete output at [DONE], even if the connection then fails', async () => {
    async function* body(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf('text');
      throw new Error('reset');
    }
    const events = await collect(readRouteEvents(decodeSse(body()), CALL));
    expect(events).toHaveLength(7);
  });

  it('returns the complete output at [DONE], even if the connection then stays open', async () => {
    async function* body(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf('text');
      await new Promise(() => {});
    }
    expect(await collect(readRouteEvents(decodeSse(body()), CALL))).toHaveLength(7);
  });

  it('reads one event at a time, and takes from the connection only what its consumer requests', async () => {
    let readCount = 0;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      for (;;) {
        readCount += 1;
        yield encode(event({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] }));
      }
    }
    const events = readRouteEvents(decodeSse(body()), CALL);
    for (let read = 1; read <= 10; read += 1) {
      await events.next();
      expect(readCount).toBe(read);
    }
    await events.return();
  });
});
