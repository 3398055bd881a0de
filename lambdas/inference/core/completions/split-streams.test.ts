/** Reads of a connection cut a stream anywhere: what the caller receives and pays must not depend on it. */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { type FormatCase, formatCases, serve, type Upstream } from '../../testing/completions/served-call.ts';
import * as anthropic from '../../testing/providers/anthropic/fixtures.ts';
import * as gemini from '../../testing/providers/gemini/fixtures.ts';
import * as openai from '../../testing/providers/openai/fixtures.ts';
import * as responses from '../../testing/providers/responses/fixtures.ts';
import { encode, event, fragmentsOf } from '../../testing/providers/streams.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import type { ApiFormat } from './api-format.ts';

/** The splits of each provider's streams in each format. A plain run tries 200. */
const SPLITS = rounds(400);

const STREAMS: Readonly<Record<string, readonly Uint8Array[]>> = {
  openai: openai.NAMES.map(openai.bytesOf),
  anthropic: anthropic.NAMES.map(anthropic.bytesOf),
  gemini: [gemini.bytesOf(gemini.EVENTS)],
  'openai-responses': [responses.EVENTS, responses.COMPLETE_ITEMS].map(responses.bytesOf),
};

const FORMATS = formatCases(true, 'Hi');

/** The same format, whose encoder fails before its text with that number. */
const failingFormat = (format: ApiFormat<never>, failsAt: number): ApiFormat<never> => ({
  ...format,
  createWriter(call) {
    const formatWriter = format.createWriter(call);
    const { encoder } = formatWriter;
    let textCount = 0;
    return {
      ...formatWriter,
      encoder: {
        end: (usage, settlement) => encoder.end(usage, settlement),
        *output(written) {
          for (const text of encoder.output(written)) {
            textCount += 1;
            if (textCount > failsAt) throw new UpstreamFailure('protocol');
            yield text;
          }
        },
      },
    };
  },
});

/** Runs a call whose route sends these reads. */
async function deliver(formatCase: FormatCase, upstream: Omit<Upstream, 'contentType'>) {
  const { text, failure, settled } = await serve(formatCase, {
    ...upstream,
    contentType: 'text/event-stream',
  });
  return { text, failure, settled };
}

const FAILURES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  'the body ends': [],
  'the connection breaks': [],
  'the encoder fails': [],
  'an event is no JSON': ['data: {"type":\n\n'],
  'an event forges another': [event({ type: 'x\n\ndata: y', choices: 'none' })],
};

/** The bytes of a stream up to the event that fails. After an event of bad content, the stream continues. */
function failedAt(bytes: Uint8Array, failure: string, at: number): Uint8Array {
  const events = Buffer.from(bytes)
    .toString('utf8')
    .split(/(?<=\n\r?\n)/);
  const index = at % events.length;
  const inserted = FAILURES[failure] ?? [];
  if (failure === 'none' || failure === 'the encoder fails') return bytes;
  return encode(
    [...events.slice(0, index), ...inserted, ...(inserted.length > 0 ? events.slice(index) : [])].join(''),
  );
}

const CASES = Object.keys(STREAMS).flatMap((protocol) =>
  Object.entries(FORMATS).map(([name, formatCase]) => ({ protocol, name, formatCase })),
);

describe.each(CASES)('a stream of $protocol in the format of $name', ({ protocol, formatCase }) => {
  it('gives the same bytes, bill and record at any split into reads, whichever event fails', async () => {
    const seen = new Set<string>();
    const draws = fc.record({
      recording: fc.constantFrom(...(STREAMS[protocol] ?? [])),
      failure: fc.constantFrom(...Object.keys(FAILURES)),
      at: fc.nat(),
      cuts: fc.array(fc.nat(), { maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(draws, async ({ recording, failure, at, cuts }) => {
        const bytes = failedAt(recording, failure, at);
        const breaks = failure === 'the connection breaks';
        const { format, body } = formatCase;
        const failing =
          failure === 'the encoder fails' ? { body, format: failingFormat(format, at % 8) } : formatCase;
        const inOneRead = await deliver(failing, { protocol, reads: [bytes], breaks });
        const split = await deliver(failing, { protocol, reads: fragmentsOf(bytes, cuts), breaks });
        expect(split).toEqual(inOneRead);
        expect(split.settled).toHaveLength(1);
        seen.add(`${split.failure === undefined} ${split.text.length > 500}`);
      }),
      { numRuns: SPLITS },
    );
    // Streams that all fail, or of which none is cut off within its output, would show nothing.
    expect([...seen]).toEqual(expect.arrayContaining(['true true', 'false true']));
  });
});
