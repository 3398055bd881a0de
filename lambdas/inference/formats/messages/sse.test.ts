import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { TokenUsage } from '../../core/pricing/token-usage.ts';
import { framesOf } from '../../testing/completions/frames.ts';
import { accumulated } from '../../testing/completions/messages/accumulated.ts';
import { request } from '../../testing/completions/messages/request-fixture.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { partsOf, type Step } from '../../testing/upstream/stream-script.ts';
import { messagesFormat } from './format.ts';

const USAGE: TokenUsage = { promptTokens: 20, cachedTokens: 5, completionTokens: 9 };
const COST = 1_234_567n;

const createWriter = () =>
  messagesFormat.createWriter({
    request: request({ stream: true }),
    responseId: 'msg_1',
    createdMs: 0,
    clock: () => 0,
    sealedTokens: NO_SEALED_TOKENS,
    catalog: '1',
  });

const FORMAT_WRITER = createWriter();

/**
 * The frames of a call that gives these events, settles unless it fails, and ends, as a server writes them: a failure is
 * the last event.
 */
async function readSseEvents(
  payloads: readonly JsonObject[],
  { usage = USAGE, failure }: { readonly usage?: TokenUsage; readonly failure?: Error } = {},
): Promise<string[]> {
  const { encoder, events } = createWriter();
  const sseEvents: string[] = [];
  try {
    for (const sseEvent of framesOf(encoder, payloads, { usage, cost: COST, failure }))
      sseEvents.push(sseEvent);
  } catch (thrown) {
    const error = { type: 'api_error', message: String(thrown) };
    sseEvents.push(events.errorEvent({ type: 'error', error, request_id: 'req_1' }));
  }
  return sseEvents;
}

function eventsOf(steps: readonly Step[]): JsonObject[] {
  const writer = FORMAT_WRITER.writer({ identity: { id: 'msg_1', model: 'a/b' }, promptTokens: () => 11 });
  return partsOf(steps).flatMap((part) => writer.events(part));
}

const RESPONSE_EVENTS = eventsOf([
  { says: 'Looking.' },
  { calls: 0, name: 'f' },
  { adds: '{"a":[1]}', to: 0 },
  { calls: 1, name: 'g' },
  { ends: 1 },
  { finishes: { reason: 'tool-calls', raw: 'tool_calls' } },
]);

/** A message as a server of the protocol streams it (Claude API docs, Streaming, example with thinking). */
const NATIVE: JsonObject[] = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'a/b',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 25, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 15 },
  },
  { type: 'message_stop' },
];

const parse = (sseEvent: string) => JSON.parse(/^event: \w+\ndata: (.*)\n\n$/.exec(sseEvent)?.[1] ?? 'null');
const named = (sseEvent: string) => /^event: (\w+)\n/.exec(sseEvent)?.[1];

describe('the event stream of Messages', () => {
  it('names each event, contains usage and cost once the call is settled, and ends with the stop event', async () => {
    const sseEvents = await readSseEvents(RESPONSE_EVENTS);
    expect(sseEvents.map(named)).toEqual(RESPONSE_EVENTS.map(({ type }) => type));
    expect(sseEvents.slice(0, -2).map(parse)).toEqual(RESPONSE_EVENTS.slice(0, -2));
    expect(sseEvents.slice(-2)).toEqual([
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},' +
        '"usage":{"input_tokens":15,"cache_creation_input_tokens":0,"cache_read_input_tokens":5,' +
        '"output_tokens":9,"cost":0.001234567}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ]);
  });

  it('passes on a route’s own events, with what else it counted', async () => {
    const reported = {
      input_tokens: 12,
      cache_creation_input_tokens: 3,
      server_tool_use: { web_search_requests: 1 },
    };
    const sseEvents = await readSseEvents(NATIVE, { usage: { ...USAGE, reported } });
    expect(sseEvents.slice(0, -2).map(parse)).toEqual(NATIVE.slice(0, -2));
    expect(parse(sseEvents.at(-2) ?? '')).toEqual({
      ...NATIVE.at(-2),
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 5,
        output_tokens: 9,
        server_tool_use: { web_search_requests: 1 },
        cost: 0.001234567,
      },
    });
    expect(await accumulated([FORMAT_WRITER.events.heartbeat, ...sseEvents])).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'Hello' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 12, output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
    });
  });

  it('holds back only the last of several changes, and what follows it', async () => {
    const change = (stop_reason: string | null) => ({
      type: 'message_delta',
      delta: { stop_reason },
      usage: {},
    });
    const sseEvents = await readSseEvents([
      change(null),
      { type: 'new' },
      change('end_turn'),
      { type: 'message_stop' },
    ]);
    expect(sseEvents.map(named)).toEqual(['message_delta', 'new', 'message_delta', 'message_stop']);
    expect(sseEvents.map((sseEvent) => parse(sseEvent).usage?.cost)).toEqual([
      undefined,
      undefined,
      0.001234567,
      undefined,
    ]);
  });

  it('ends a failed stream with one error and never with an end, which the official SDK reports', async () => {
    for (const delivered of [[], RESPONSE_EVENTS.slice(0, 3), RESPONSE_EVENTS]) {
      const sseEvents = await readSseEvents(delivered, { failure: new Error('gone') });
      expect(
        sseEvents.filter((sseEvent) => /^event: (message_delta|message_stop|error)/.test(sseEvent)),
      ).toEqual([
        'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Error: gone"},"request_id":"req_1"}\n\n',
      ]);
      expect(named(sseEvents.at(-1) ?? '')).toBe('error');
      await expect(accumulated(sseEvents)).rejects.toThrow('gone');
    }
  });

  it('uses a ping as its heartbeat', () => {
    expect(FORMAT_WRITER.events.heartbeat).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });

  it('names its events as the protocol does', () => {
    expect(messagesFormat.responseId('01J')).toBe('msg_01J');
    expect(messagesFormat.maxTokens(request({ max_tokens: 9 }))).toMatchObject({
      tokens: 9,
      param: 'max_tokens',
    });
    expect(messagesFormat.choices(request())).toBe(1);
  });
});

it.each(['ping\ndata: {}\n\nevent: message_stop', 'a b', '', 5, undefined])(
  'the service rejects %j as the name of an event',
  async (type) => {
    const sseEvents = await readSseEvents([
      ...RESPONSE_EVENTS.slice(0, 1),
      { type },
      ...RESPONSE_EVENTS.slice(1),
    ]);
    expect(sseEvents).toEqual(await readSseEvents(RESPONSE_EVENTS));
  },
);
