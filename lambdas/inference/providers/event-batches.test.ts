import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { offsets, rounds } from '../../../tools/test-kit/thorough.ts';
import { type RouteEvent, UpstreamFailure } from '../core/upstream/provider.ts';
import * as anthropic from '../testing/providers/anthropic/fixtures.ts';
import * as gemini from '../testing/providers/gemini/fixtures.ts';
import { until } from '../testing/providers/http-calls.ts';
import * as openai from '../testing/providers/openai/fixtures.ts';
import * as responses from '../testing/providers/responses/fixtures.ts';
import { dataIn, encode, event, fragmentsOf } from '../testing/providers/streams.ts';
import { type EventReader, eventBatches } from './event-batches.ts';

const withLineEnds = (bytes: Uint8Array, end: string): Uint8Array =>
  encode(new TextDecoder().decode(bytes).replaceAll(/\r?\n/g, end));

const CHAT = [...openai.NAMES, 'azure-async-filter', 'azure-stopped'];

const STREAMS: readonly (readonly [string, Uint8Array])[] = [
  ...CHAT.map((name) => [`chat, ${name}`, openai.bytesOf(name)] as const),
  ...anthropic.NAMES.map((name) => [`messages, ${name}`, anthropic.bytesOf(name)] as const),
  ['messages, lines ended by CR LF', withLineEnds(anthropic.bytesOf('text'), '\r\n')],
  ['responses', responses.bytesOf(responses.EVENTS)],
  ['gemini, lines ended by CR LF', gemini.bytesOf(gemini.EVENTS)],
];

describe.each(STREAMS)('the data of a stream of events (%s)', (_name, bytes) => {
  it('stays the same at any split of its bytes', async () => {
    const data = await dataIn(bytes);
    expect(data.length).toBeGreaterThan(2);
    for (const at of offsets(0, bytes.length))
      expect(await dataIn(bytes.subarray(0, at), bytes.subarray(at))).toEqual(data);
    expect(await dataIn(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(data);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        expect(await dataIn(...fragmentsOf(bytes, cuts))).toEqual(data);
      }),
      { numRuns: rounds(20) },
    );
  });

  it('stays the same whatever ends its lines, and after a byte order mark', async () => {
    const data = await dataIn(bytes);
    for (const end of ['\n', '\r\n', '\r']) {
      expect(await dataIn(withLineEnds(bytes, end))).toEqual(data);
      expect(await dataIn(withLineEnds(bytes, end), encode(`${end}: x${end}`))).toEqual(data);
    }
    expect(await dataIn(encode('\uFEFF'), bytes)).toEqual(data);
  });
});

/** Reads each event's data as output text. `bad` breaks the protocol, and `last` is the end. */
class WordReader implements EventReader {
  isComplete = false;

  read(data: string): readonly RouteEvent[] {
    if (data === 'bad') throw new UpstreamFailure('protocol');
    this.isComplete = data === 'last';
    return data === 'nothing' ? [] : [{ outputText: data, hasOutput: true }];
  }

  end(): readonly RouteEvent[] {
    if (!this.isComplete) throw new UpstreamFailure('interrupted');
    return [{ outputText: 'end', hasOutput: false }];
  }
}

const readOf = (...words: readonly string[]): Uint8Array => encode(words.map(event).join(''));

/** Returns the texts of each batch, the failure that follows them, and how the body was left. */
async function batchesOf(reads: readonly Uint8Array[], maxBytes = 1_000, failure?: Error) {
  const batches: string[][] = [];
  const body = { readCount: 0, isClosed: false };
  async function* bodyOf() {
    try {
      for (const read of reads) {
        body.readCount += 1;
        yield read;
      }
      if (failure !== undefined) throw failure;
    } finally {
      body.isClosed = true;
    }
  }
  try {
    for await (const batch of eventBatches(bodyOf(), maxBytes, new WordReader()))
      batches.push(batch.map(({ outputText }) => outputText));
    return { batches, failure: undefined, body };
  } catch (thrown) {
    return { batches, failure: (thrown as UpstreamFailure).kind, body };
  }
}

describe('a stream in batches', () => {
  it('gives the events of each read together, and nothing for a read without any', async () => {
    const reads = [readOf('a', 'b'), encode(': comment\n\n'), readOf('nothing'), readOf('c', 'last')];
    expect(await batchesOf(reads)).toMatchObject({
      batches: [
        ['a', 'b'],
        ['c', 'last', 'end'],
      ],
      failure: undefined,
    });
  });

  it('yields the two events before an invalid third one, and none after it', async () => {
    const { batches, failure, body } = await batchesOf([readOf('a', 'b', 'bad', 'c', 'd'), readOf('e')]);
    expect(batches).toEqual([['a', 'b']]);
    expect(failure).toBe('protocol');
    expect(body).toEqual({ readCount: 1, isClosed: true });
  });

  it('ends at its last event within a chunk, and reads the rest of the body only to free its connection', async () => {
    const { batches, failure, body } = await batchesOf([readOf('a', 'last', 'late'), readOf('bad')]);
    expect(batches).toEqual([['a', 'last', 'end']]);
    expect(failure).toBeUndefined();
    await until(() => body.isClosed);
    expect(body.readCount).toBe(2);
  });

  it('fails before the first event beyond its byte limit', async () => {
    const maxBytes = readOf('a').length;
    const { batches, failure, body } = await batchesOf([readOf('a'), readOf('b'), readOf('last')], maxBytes);
    expect(batches).toEqual([['a']]);
    expect(failure).toBe('protocol');
    expect(body).toEqual({ readCount: 2, isClosed: true });
  });

  it('reads no more bytes than allowed after its last event', async () => {
    const maxBytes = readOf('last').length;
    const { batches, failure, body } = await batchesOf([readOf('last'), readOf('b'), readOf('c')], maxBytes);
    expect([batches, failure]).toEqual([[['last', 'end']], undefined]);
    await until(() => body.isClosed);
    expect(body.readCount).toBe(2);
  });

  it.each([
    ['ends', undefined],
    ['breaks', new Error('reset')],
  ])('fails as interrupted if the body %s before its last event', async (_case, cause) => {
    expect(await batchesOf([readOf('a')], 1_000, cause)).toMatchObject({
      batches: [['a']],
      failure: 'interrupted',
    });
  });
});
