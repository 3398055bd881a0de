/** Answers that are not what the protocol says, of every protocol over HTTP. */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { type RouteResponse, UpstreamFailure } from '../core/upstream/provider.ts';
import * as messages from '../testing/providers/anthropic/decoding.ts';
import { JSON_MODE, NATIVE } from '../testing/providers/anthropic/fixtures.ts';
import * as gemini from '../testing/providers/gemini/fixtures.ts';
import { decodeFor } from '../testing/providers/openai/decoding.ts';
import { CALL, CONVERTED } from '../testing/providers/openai/fixtures.ts';
import * as responses from '../testing/providers/responses/fixtures.ts';
import { collect, encode, wire } from '../testing/providers/streams.ts';
import { toRouteResponse as toMessage } from './anthropic/response.ts';
import { toRouteResponse as toGenerated } from './gemini/response.ts';
import { toRouteResponse as toCompletion } from './openai/response.ts';
import { toRouteResponse as toResponse } from './responses/response.ts';

/** Events with a value wherever one of the protocol may be. */
type EventsWith = (value: unknown, type: string) => readonly unknown[];

const CHAT: EventsWith = (value) => [
  { choices: [value] },
  { choices: [{ delta: value, finish_reason: value }] },
  { choices: [{ delta: { content: value } }] },
  value,
];
const MESSAGES: EventsWith = (value, type) => [
  messages.START,
  messages.block(0, { type: 'text', text: '' }),
  { type, index: 0, message: value, content_block: value, delta: value, usage: value },
  value,
  messages.STOP,
];
const RESPONSES: EventsWith = (value, type) => [
  responses.EVENTS[0],
  { type, output_index: 0, item: value, part: value, delta: value, response: value },
  value,
];
const GEMINI: EventsWith = (value) => [
  { candidates: [value], usageMetadata: value },
  { candidates: [{ content: { parts: [value] }, finishReason: value }] },
  value,
];

const TYPES = fc.constantFrom(
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  ...responses.EVENTS.map(({ type }) => String(type)),
);

const READERS: readonly (readonly [string, (...pieces: Uint8Array[]) => Promise<unknown>, EventsWith])[] = [
  ['chat completions', (...pieces) => collect(decodeFor(CALL, ...pieces)), CHAT],
  ['converted chat completions', (...pieces) => collect(decodeFor(CONVERTED, ...pieces)), CHAT],
  ['Messages', (...pieces) => collect(messages.decode(NATIVE, ...pieces)), MESSAGES],
  ['converted Messages', (...pieces) => collect(messages.decode(JSON_MODE, ...pieces)), MESSAGES],
  ['Responses', (...pieces) => responses.read(responses.native(), ...pieces), RESPONSES],
  ['converted Responses', (...pieces) => responses.read(responses.converted(), ...pieces), RESPONSES],
  ['generateContent', gemini.read, GEMINI],
];

describe.each(READERS)('a stream of %s', (_name, read, eventsWith) => {
  const failureOf = (...pieces: Uint8Array[]): Promise<unknown> =>
    read(...pieces).then(
      () => undefined,
      (failure: unknown) => failure,
    );

  it('fails as interrupted if it ends before its first event', async () => {
    for (const pieces of [[], [encode(': still thinking\n\n')]])
      expect(await failureOf(...pieces)).toMatchObject({ kind: 'interrupted', retryable: true });
  });

  it.each(['not json', '<html>', '{"choices":', '[]', 'null', '42', '"text"', 'true'])(
    'causes a protocol failure if its data is not a JSON object: %s',
    async (data) => {
      const failure = await failureOf(wire(data, 'true'));
      expect(failure).toMatchObject({ kind: 'protocol', retryable: true });
    },
  );

  it('ends in events or in an upstream failure for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), TYPES, async (value, type) => {
        const events = eventsWith(value, type);
        for (const some of [events, ...events.map((each) => [each])]) {
          const failure = await failureOf(wire(...some));
          if (failure !== undefined) expect(failure).toBeInstanceOf(UpstreamFailure);
        }
      }),
      { numRuns: rounds(60) },
    );
  });

  it('ends in an upstream failure for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), async (pieces) => {
        expect(await failureOf(...pieces)).toBeInstanceOf(UpstreamFailure);
      }),
      { numRuns: rounds(60) },
    );
  });
});

/** Bodies with a value wherever one of the protocol may be. */
const BODIES: Readonly<Record<string, (value: unknown) => readonly unknown[]>> = {
  chat: (value) => [{ choices: value }, { choices: [value] }, { choices: [{ message: value }] }],
  messages: (value) =>
    [
      value,
      [value],
      [{ type: 'text', text: value }],
      [{ type: 'tool_use', id: 'a', name: 'f', input: value }],
    ].map((content) => ({ content, stop_reason: 'end_turn', usage: value })),
  responses: (value) =>
    [value, [value], [{ type: 'message', content: value }], [{ type: 'reasoning', summary: value }]].map(
      (output) => ({
        ...responses.RESPONSE,
        output,
        usage: value,
      }),
    ),
  gemini: (value) => [
    { candidates: value, usageMetadata: value },
    { candidates: [value] },
    { candidates: [{ content: { parts: [value] }, finishReason: 'STOP' }] },
  ],
};

describe.each<[string, (body: unknown) => RouteResponse, string]>([
  ['chat completions', (body) => toCompletion(body, CALL), 'chat'],
  ['converted chat completions', (body) => toCompletion(body, CONVERTED), 'chat'],
  ['Messages', (body) => toMessage(body, NATIVE), 'messages'],
  ['converted Messages', (body) => toMessage(body, JSON_MODE), 'messages'],
  ['Responses', (body) => toResponse(body, responses.contextOf(responses.native())), 'responses'],
  [
    'converted Responses',
    (body) => toResponse(body, responses.contextOf(responses.converted())),
    'responses',
  ],
  ['generateContent', (body) => toGenerated(body, gemini.CONTEXT), 'gemini'],
])('a complete response of %s', (_name, toRouteResponse, form) => {
  it('becomes a response or an upstream failure for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const body of [value, ...(BODIES[form]?.(value) ?? [])]) {
          try {
            expect(toRouteResponse(body).kind).toBe('json');
          } catch (failure) {
            expect(failure).toBeInstanceOf(UpstreamFailure);
          }
        }
      }),
      { numRuns: rounds(100) },
    );
  });
});
