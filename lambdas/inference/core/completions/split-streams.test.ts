/** Reads of a connection cut a stream anywhere: what the caller receives and pays must not depend on it. */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { Ledger } from '../../../ledger/core/admission.ts';
import type { Call } from '../../../ledger/core/call.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { createProviders } from '../../providers/protocols.ts';
import { recordedAdmission } from '../../testing/admission.ts';
import { modelsOf } from '../../testing/catalog/models.ts';
import { createBreaker, SILENT } from '../../testing/circuit/memory-circuits.ts';
import * as anthropic from '../../testing/providers/anthropic/fixtures.ts';
import * as gemini from '../../testing/providers/gemini/fixtures.ts';
import { EVENT_STREAM } from '../../testing/providers/http-calls.ts';
import * as openai from '../../testing/providers/openai/fixtures.ts';
import * as responses from '../../testing/providers/responses/fixtures.ts';
import { encode, event, fragmentsOf } from '../../testing/providers/streams.ts';
import { PLAIN_SEALED_TOKENS } from '../../testing/upstream/plain-sealed-tokens.ts';
import { runPaidCall } from '../paid-endpoint.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import type { ApiFormat } from './api-format.ts';
import { readCompletion } from './completion-endpoint.ts';

/** The splits of each provider's streams in each format. A plain run tries 200. */
const SPLITS = rounds(400);

const STREAMS: Readonly<Record<string, readonly Uint8Array[]>> = {
  openai: openai.NAMES.map(openai.bytesOf),
  anthropic: anthropic.NAMES.map(anthropic.bytesOf),
  gemini: [gemini.bytesOf(gemini.EVENTS)],
  'openai-responses': [responses.EVENTS, responses.COMPLETE_ITEMS].map(responses.bytesOf),
};

const messages = [{ role: 'user', content: 'Hi' }];
const COMMON = { model: 'a/b', stream: true };

const world = { clock: () => 1_700_000_000_000, random: () => 0, ulid: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
const CALLER = { requestId: 'req_1', key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' } };

interface FormatCase {
  readonly format: ApiFormat<never>;
  readonly body: object;
}

const FORMATS: Readonly<Record<string, FormatCase>> = {
  chat: {
    format: chatFormat as ApiFormat<never>,
    body: { ...COMMON, messages, max_tokens: 500, stream_options: { include_usage: true } },
  },
  messages: {
    format: messagesFormat as ApiFormat<never>,
    body: { ...COMMON, messages, max_tokens: 500 },
  },
  responses: {
    format: responsesFormat as ApiFormat<never>,
    body: { ...COMMON, input: 'Hi', max_output_tokens: 500 },
  },
};

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

/** Nothing of it depends on time. */
const after = () => () => {};

interface Delivery {
  readonly text: string;
  readonly failure: string | undefined;
  readonly settled: readonly unknown[];
}

interface Upstream {
  readonly protocol: string;
  readonly reads: readonly Uint8Array[];
  /** True if the connection breaks after the reads. */
  readonly breaks: boolean;
}

/** Runs a call whose route sends these reads. */
async function deliver(
  { format, body: request }: FormatCase,
  { protocol, reads, breaks }: Upstream,
): Promise<Delivery> {
  async function* body() {
    yield* reads;
    if (breaks) throw new Error('reset');
  }
  const providers = createProviders({
    fetch: async () => new Response(ReadableStream.from(body()), { headers: EVENT_STREAM }),
    readSecret: async () => 'key',
    readToken: async () => 'token',
    sign: async ({ headers }) => headers,
    bedrockClient: () => {
      throw new Error('no route of Bedrock');
    },
  });
  const models = modelsOf({
    context_window: 100_000,
    max_output_tokens: 10_000,
    routes: [{ protocol, capabilities: ['stream', 'tools', 'json'] }],
  });
  const valid = { ...CALLER, identity: '', models, catalog: 'v1', sealedTokens: PLAIN_SEALED_TOKENS };
  const call = readCompletion(format, { ...valid, body: request } as never, {
    ...world,
    after,
    providers,
    log: SILENT,
    hostEnds: undefined,
  });
  const { admission, outcomes } = recordedAdmission(1_000_000_000n);
  const ledger = {
    admit: async ({ output }: Call) => ({ ...admission, output: output.max }),
  } as unknown as Ledger;
  let text = '';
  try {
    const services = { ledger, breaker: createBreaker(), after, log: SILENT };
    const response = await runPaidCall(services, call, () => ({ remainingTimeMs: 900_000 }));
    if (!('body' in response)) throw new Error('not a stream');
    for await (const chunk of response.body) text += chunk;
    return { text, failure: undefined, settled: outcomes };
  } catch (failure) {
    const error = { type: 'api_error', message: String(failure) };
    return { text: text + call.events?.errorEvent({ error }), failure: String(failure), settled: outcomes };
  }
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
