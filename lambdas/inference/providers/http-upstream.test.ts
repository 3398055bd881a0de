import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { offsets, rounds } from '../../../tools/test-kit/thorough.ts';
import * as anthropic from '../testing/providers/anthropic/fixtures.ts';
import * as gemini from '../testing/providers/gemini/fixtures.ts';
import * as openai from '../testing/providers/openai/fixtures.ts';
import * as responses from '../testing/providers/responses/fixtures.ts';
import { collect, encode, fragmentsOf, inPieces } from '../testing/providers/streams.ts';
import { decodeSse } from './http-upstream.ts';

const withLineEnds = (bytes: Uint8Array, end: string): Uint8Array =>
  encode(new TextDecoder().decode(bytes).replaceAll(/\r?\n/g, end));

const CHAT = [...openai.NAMES, 'azure-async-filter', 'azure-stopped', 'dialects/numbers-left-out'];

const STREAMS: readonly (readonly [string, Uint8Array])[] = [
  ...CHAT.map((name) => [`chat, ${name}`, openai.bytesOf(name)] as const),
  ...anthropic.NAMES.map((name) => [`messages, ${name}`, anthropic.bytesOf(name)] as const),
  ['messages, lines ended by CR LF', withLineEnds(anthropic.bytesOf('text'), '\r\n')],
  ['responses', responses.bytesOf(responses.EVENTS)],
  ['gemini, lines ended by CR LF', gemini.bytesOf(gemini.EVENTS)],
];

const dataOf = (...pieces: readonly Uint8Array[]) => collect(decodeSse(inPieces(pieces)));

describe.each(STREAMS)('the data of a stream of events (%s)', (_name, bytes) => {
  it('stays the same at any split of its bytes', async () => {
    const data = await dataOf(bytes);
    expect(data.length).toBeGreaterThan(2);
    for (const at of offsets(0, bytes.length))
      expect(await dataOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(data);
    expect(await dataOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(data);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        expect(await dataOf(...fragmentsOf(bytes, cuts))).toEqual(data);
      }),
      { numRuns: rounds(20) },
    );
  });

  it('stays the same whatever ends its lines, and after a byte order mark', async () => {
    const data = await dataOf(bytes);
    for (const end of ['\n', '\r\n', '\r']) {
      expect(await dataOf(withLineEnds(bytes, end))).toEqual(data);
      expect(await dataOf(withLineEnds(bytes, end), encode(`${end}: x${end}`))).toEqual(data);
    }
    expect(await dataOf(encode('\uFEFF'), bytes)).toEqual(data);
  });
});
