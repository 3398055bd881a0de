import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import {
  block,
  change,
  collect,
  decode,
  encode,
  READINGS,
  START,
  wire,
} from '../../testing/providers/anthropic/decoding.ts';
import {
  bytesOf,
  FOREIGN,
  IDENTITY,
  NAMES,
  NATIVE,
  wireEventsOf,
} from '../../testing/providers/anthropic/fixtures.ts';
import { withOpenedSignature, withProofs } from '../../testing/providers/sealing.ts';
import { decodeSse } from '../http-upstream.ts';
import type { MessagesCallContext } from './response.ts';
import { readRouteEvents } from './stream.ts';

/** Cuts bytes at the given offsets. */
function cut(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const sorted = [0, ...offsets.toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const withLineEnds = (name: string, end: string): Uint8Array =>
  encode(new TextDecoder().decode(bytesOf(name)).replaceAll('\n', end));

const streams = [
  ...NAMES.map((name) => [name, bytesOf(name)] as const),
  ['text, lines ended by CR LF', withLineEnds('text', '\r\n')] as const,
];

/** The events as text, with the proofs that they hold: kept numbers are compared digit for digit. */
const read = async (context: MessagesCallContext, ...parts: readonly Uint8Array[]): Promise<string> =>
  JSON.stringify(await collect(decode(context, ...parts)), withOpenedSignature);

/** The same with each signature as it is once its sealed token is opened. */
const sealedIn = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => {
      if (name === 'signature' && inner !== '') return `<${JSON.stringify({ signature: inner })}>`;
      return name === 'data' ? `<${JSON.stringify({ redacted: inner })}>` : inner;
    }),
  );

describe.each(READINGS)('a stream, read %s,', (_reading, context) => {
  it.each(streams)('gives the same events wherever its bytes are split in two: %s', async (_name, bytes) => {
    const events = await read(context, bytes);
    expect(JSON.parse(events).length).toBeGreaterThan(2);
    for (const at of offsets(0, bytes.length))
      expect(await read(context, bytes.subarray(0, at), bytes.subarray(at))).toBe(events);
  });

  it.each(streams)(
    'gives the same events byte by byte, and for any other split: %s',
    async (_name, bytes) => {
      const events = await read(context, bytes);
      const offsets = Array.from({ length: bytes.length }, (_, index) => index);
      expect(await read(context, ...cut(bytes, offsets))).toBe(events);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (random) => {
          expect(await read(context, ...cut(bytes, random))).toBe(events);
        }),
        { numRuns: 20 },
      );
    },
  );

  it.each(NAMES)('gives the same events whatever ends its lines: %s', async (name) => {
    const events = await read(context, bytesOf(name));
    for (const end of ['\r\n', '\r'])
      expect(await read(context, withLineEnds(name, end), encode(`${end}: x${end}`))).toBe(events);
    expect(await read(context, encode('\uFEFF'), bytesOf(name))).toBe(events);
  });
});

describe('a stream for a caller of the protocol', () => {
  it.each(NAMES)(
    'preserves everything except pings and unknown events, under our id and model and with sealed signatures: %s',
    async (name) => {
      const events = await collect(decode(NATIVE, bytesOf(name)));
      const expected = wireEventsOf(name)
        .filter(({ type }) => type !== 'ping' && type !== 'moderation_notice')
        .map((event) =>
          event.type === 'message_start'
            ? { ...event, message: { ...(event.message as object), ...IDENTITY } }
            : event,
        );
      const payloads = events.map(({ nativeEvent }) => nativeEvent);
      expect(withProofs(payloads)).toEqual(sealedIn(expected));
      expect(JSON.stringify(payloads)).not.toMatch(/msg_014p|claude-|EqQB|EmwK/);
      expect(events.every(({ parts }) => parts === undefined)).toBe(true);
    },
  );

  it('marks every event that contains output, including thinking and other blocks', async () => {
    const contents = async (name: string) =>
      (await collect(decode(NATIVE, bytesOf(name)))).map(({ hasOutput, nativeEvent }) => [
        nativeEvent?.type,
        hasOutput,
      ]);
    expect(await contents('thinking')).toEqual([
      ['message_start', false],
      ['content_block_start', false],
      ['content_block_delta', true],
      ['content_block_delta', true],
      ['content_block_delta', false],
      ['content_block_stop', false],
      ['content_block_start', true],
      ['content_block_stop', false],
      ['content_block_start', false],
      ['content_block_delta', true],
      ['content_block_stop', false],
      ['message_delta', true],
      ['message_stop', true],
    ]);
    expect((await contents('tool-use')).findIndex(([, content]) => content)).toBe(2);
    expect((await contents('server-tool')).findIndex(([, content]) => content)).toBe(1);
    expect((await contents('refusal')).map(([, content]) => content)).toEqual([false, true, true]);
  });

  it.each([
    ['text', 'Grüße, 世界 👩‍🚀\n\n\u200fمرحبا'],
    [
      'tool-use',
      'Okay, ich prüfe das.get_weather{"location": "Łódź", "unit": "c"}get_timeget_news{"topics":["a"]}',
    ],
    ['thinking', '27 × 453: 12,23127 × 453 = 12,231'],
    ['server-tool', 'web_search{"query":"weather"}Sunny: 21 °C.'],
    ['refusal', ''],
  ])('counts as output what the model wrote: %s', async (name, text) => {
    const events = await collect(decode(NATIVE, bytesOf(name)));
    expect(events.map((event) => event.outputText).join('')).toBe(text);
  });
});

describe('the usage of a stream', () => {
  const usageOf = async (name: string, context: typeof NATIVE) =>
    (await collect(decode(context, bytesOf(name)))).flatMap(({ usage }) => usage ?? []);

  it('combines the prompt of the first event with the output of the last', async () => {
    const counted = {
      promptTokens: 45,
      cachedTokens: 16,
      completionTokens: 15,
      cacheWrites: { auto: 4 },
      serviceTier: 'standard',
    };
    const startUsage = { ...counted, completionTokens: 0 };
    expect(await usageOf('text', FOREIGN)).toEqual([startUsage, counted]);
    const [, reported] = await usageOf('text', NATIVE);
    expect(reported).toEqual({
      ...counted,
      reported: {
        input_tokens: 25,
        cache_creation_input_tokens: 4,
        cache_read_input_tokens: 16,
        output_tokens: 15,
        service_tier: 'standard',
      },
    });
  });

  it('equals the last usage values of the stream, unless they are null', async () => {
    const usage = (await usageOf('server-tool', NATIVE)).at(-1);
    expect(usage).toMatchObject({ promptTokens: 10682, cachedTokens: 0, completionTokens: 510 });
    expect(usage?.reported).toMatchObject({
      cache_creation_input_tokens: 0,
      server_tool_use: { web_search_requests: 1 },
    });
  });

  it('counts only the prompt before the end, because the first event does not count the model’s output', async () => {
    const bytes = bytesOf('text');
    const cutAt = new TextDecoder().decode(bytes).indexOf('event: message_delta');
    const events = decode(NATIVE, bytes.subarray(0, cutAt));
    const chunks: unknown[] = [];
    await expect(
      (async () => {
        for await (const event of events) chunks.push(event.usage);
      })(),
    ).rejects.toThrow('interrupted');
    expect(chunks.filter((usage) => usage !== undefined)).toMatchObject([
      { promptTokens: 45, completionTokens: 0 },
    ]);
  });

  it.each([
    [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }],
    [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: null }],
    [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: null } }],
    [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: 'many' }],
  ])('counts only the prompt if the end does not count its output: %j', async (end) => {
    const events = await collect(decode(NATIVE, wire(START, end, { type: 'message_stop' })));
    expect(events.map(({ usage }) => usage?.completionTokens)).toEqual([0, undefined, undefined]);
  });
});

describe('the reader of a stream', () => {
  it('who leaves lets go of the connection', async () => {
    let released = false;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      try {
        yield bytesOf('text').slice(0, 700);
        yield new Uint8Array();
      } finally {
        released = true;
      }
    }
    for await (const _event of readRouteEvents(decodeSse(body()), NATIVE)) break;
    expect(released).toBe(true);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('reset'))],
    ['stays open', () => new Promise<void>(() => {})],
    ['says more', () => Promise.resolve()],
  ])(
    'returns the complete output at message_stop, even if the connection then %s',
    async (_what, laterBytes) => {
      async function* body(): AsyncGenerator<Uint8Array, void> {
        yield bytesOf('text');
        await laterBytes();
        yield wire(block(9, { type: 'text', text: 'late' }));
      }
      expect(await collect(readRouteEvents(decodeSse(body()), NATIVE))).toHaveLength(8);
    },
  );

  it('reads one event at a time, and takes from the connection only what its consumer requests', async () => {
    let readCount = 0;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      yield wire(START, block(0, { type: 'text', text: '' }));
      for (;;) {
        readCount += 1;
        yield wire(change(0, { type: 'text_delta', text: 'x' }));
      }
    }
    const events = readRouteEvents(decodeSse(body()), FOREIGN);
    await events.next();
    await events.next();
    for (let read = 1; read <= 10; read += 1) {
      await events.next();
      expect(readCount).toBe(read);
    }
    await events.return();
  });
});
