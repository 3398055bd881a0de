/** Streams of every protocol of a route in every format of a caller, which reads of a connection cut anywhere. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import * as anthropic from '../providers/anthropic/fixtures.ts';
import * as bedrock from '../providers/bedrock/frames.ts';
import * as gemini from '../providers/gemini/fixtures.ts';
import * as openai from '../providers/openai/fixtures.ts';
import * as responses from '../providers/responses/fixtures.ts';
import { encode, event, fragmentsOf } from '../providers/streams.ts';
import { type FormatCase, formatCases, serve, type Upstream } from './served-call.ts';

/** The events of each recording, in bytes. */
type Recording = readonly Uint8Array[];

const eventsOf = (bytes: Uint8Array): Recording =>
  Buffer.from(bytes)
    .toString('utf8')
    .split(/(?<=\n\r?\n)/)
    .map(encode);

const STREAMS: Readonly<Record<string, readonly Recording[]>> = {
  openai: openai.NAMES.map(openai.bytesOf).map(eventsOf),
  anthropic: anthropic.NAMES.map(anthropic.bytesOf).map(eventsOf),
  gemini: [eventsOf(gemini.bytesOf(gemini.EVENTS))],
  'openai-responses': [responses.EVENTS, responses.COMPLETE_ITEMS].map(responses.bytesOf).map(eventsOf),
  bedrock: Object.values(bedrock.STREAMS).map((events) => events.map(bedrock.frame)),
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
  const contentType =
    upstream.protocol === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  const { text, failure, settled } = await serve(formatCase, { ...upstream, contentType });
  return { text, failure, settled };
}

/** Events in place of the one that fails. After one of bad content, the stream continues. */
const FAILURES: Readonly<Record<string, readonly Uint8Array[]>> = {
  none: [],
  'the body ends': [],
  'the connection breaks': [],
  'the encoder fails': [],
  'an event is no JSON': [encode('data: {"type":\n\n')],
  'an event forges another': [encode(event({ type: 'x\n\ndata: y', choices: 'none' }))],
};

const BEDROCK_FAILURES: typeof FAILURES = {
  ...FAILURES,
  'an event is no JSON': [bedrock.frame(['contentBlockDelta', '{"delta":'])],
  'an event forges another': [bedrock.exceptionFrame('internalServerException', 'x\n\ndata: y')],
};

/** The bytes of a stream up to the event that fails. */
function failedAt(events: Recording, inserted: readonly Uint8Array[], at: number): Uint8Array {
  const index = at % events.length;
  return Buffer.concat([
    ...events.slice(0, index),
    ...inserted,
    ...(inserted.length > 0 ? events.slice(index) : []),
  ]);
}

export interface SplitCase {
  readonly protocol: string;
  /** The name of the caller's format. */
  readonly name: string;
  readonly formatCase: FormatCase;
}

export const SPLIT_CASES: readonly SplitCase[] = Object.keys(STREAMS).flatMap((protocol) =>
  Object.entries(FORMATS).map(([name, formatCase]) => ({ protocol, name, formatCase })),
);

/**
 * Tries so many splits, with a failure at any event. Throws for one that changes the bytes, the bill or the record of the
 * call. Returns the kinds of streams that it has seen.
 */
export async function trySplits(
  { protocol, formatCase }: SplitCase,
  numRuns: number,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  const failures = protocol === 'bedrock' ? BEDROCK_FAILURES : FAILURES;
  const draws = fc.record({
    recording: fc.constantFrom(...(STREAMS[protocol] ?? [])),
    failure: fc.constantFrom(...Object.keys(failures)),
    at: fc.nat(),
    cuts: fc.array(fc.nat(), { maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(draws, async ({ recording, failure, at, cuts }) => {
      const isWhole = failure === 'none' || failure === 'the encoder fails';
      const bytes = isWhole ? Buffer.concat(recording) : failedAt(recording, failures[failure] ?? [], at);
      const breaks = failure === 'the connection breaks';
      const { format, body } = formatCase;
      const failing =
        failure === 'the encoder fails' ? { body, format: failingFormat(format, at % 8) } : formatCase;
      const inOneRead = await deliver(failing, { protocol, reads: [bytes], breaks });
      const split = await deliver(failing, { protocol, reads: fragmentsOf(bytes, cuts), breaks });
      assert.deepEqual(split, inOneRead);
      assert.equal(split.settled.length, 1);
      seen.add(
        `${split.failure === undefined ? 'complete' : 'failed'}, ${split.text.length > 500 ? 'long' : 'short'}`,
      );
    }),
    { numRuns },
  );
  return [...seen];
}
