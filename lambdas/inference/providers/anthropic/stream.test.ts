import { describe, expect, it } from '@jest/globals';
import {
  block,
  change,
  decode,
  outcome,
  readRouteEvents,
  START,
} from '../../testing/providers/anthropic/decoding.ts';
import {
  bytesOf,
  FOREIGN,
  IDENTITY,
  NAMES,
  NATIVE,
  wireEventsOf,
} from '../../testing/providers/anthropic/fixtures.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import { collect, wire } from '../../testing/providers/streams.ts';

/** The same with the original signature of each sealed token. */
const sealedIn = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => {
      if (name === 'signature' && inner !== '') return `<${JSON.stringify({ signature: inner })}>`;
      return name === 'data' ? `<${JSON.stringify({ redacted: inner })}>` : inner;
    }),
  );

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
    const outputsOf = async (name: string) =>
      (await collect(decode(NATIVE, bytesOf(name)))).flatMap(({ hasOutput }, index) =>
        hasOutput ? index : [],
      );
    expect(await outputsOf('thinking')).toEqual([2, 3, 6, 9, 11, 12]);
    expect((await outputsOf('tool-use'))[0]).toBe(2);
    expect((await outputsOf('server-tool'))[0]).toBe(1);
    expect(await outputsOf('refusal')).toEqual([1, 2]);
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
    const { events, failure } = await outcome(NATIVE, bytes.subarray(0, cutAt));
    expect(failure).toMatchObject({ kind: 'interrupted' });
    expect(events.flatMap(({ usage }) => usage ?? [])).toMatchObject([
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
  it.each([
    ['fails', () => Promise.reject(new Error('reset'))],
    ['stays open', () => new Promise<void>(() => {})],
    ['says more', () => Promise.resolve()],
  ])(
    'returns the complete output at message_stop, even if the connection then %s',
    async (_what, laterData) => {
      async function* data(): AsyncGenerator<string, void> {
        yield* wireEventsOf('text').map((event) => JSON.stringify(event));
        await laterData();
        yield JSON.stringify(block(9, { type: 'text', text: 'late' }));
      }
      expect(await collect(readRouteEvents(data(), NATIVE))).toHaveLength(8);
    },
  );

  it('reads one event at a time, and takes from the connection only what its consumer requests', async () => {
    let readCount = 0;
    async function* data(): AsyncGenerator<string, void> {
      yield JSON.stringify(START);
      yield JSON.stringify(block(0, { type: 'text', text: '' }));
      for (;;) {
        readCount += 1;
        yield JSON.stringify(change(0, { type: 'text_delta', text: 'x' }));
      }
    }
    const events = readRouteEvents(data(), FOREIGN);
    await events.next();
    await events.next();
    for (let read = 1; read <= 10; read += 1) {
      await events.next();
      expect(readCount).toBe(read);
    }
    await events.return();
  });
});
