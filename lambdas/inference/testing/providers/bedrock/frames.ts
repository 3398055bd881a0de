/** Frames of a Converse stream as Bedrock sends them, from the events of its documentation. */
import { EventStreamCodec } from '@smithy/eventstream-codec';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => new Uint8Array(Buffer.from(text, 'utf8')),
);

/** One event: its type, and its payload. */
export type WireEvent = readonly [type: string, payload: unknown];

const encode = (headers: Readonly<Record<string, string>>, payload: unknown): Buffer =>
  Buffer.from(
    codec.encode({
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }]),
      ),
      body: new Uint8Array(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))),
    }),
  );

export const frame = ([type, payload]: WireEvent): Buffer =>
  encode({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload);

/** An error that the service's model names. */
export const exceptionFrame = (type: string, message: string): Buffer =>
  encode(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    { message },
  );

/** An error that it does not name. */
export const errorFrame = (code: string, message: string): Buffer =>
  encode({ ':error-code': code, ':error-message': message, ':message-type': 'error' }, '');

export const framesOf = (events: readonly WireEvent[]): Buffer => Buffer.concat(events.map(frame));

const delta = (contentBlockIndex: number, change: unknown): WireEvent => [
  'contentBlockDelta',
  // Bedrock pads its events, so that their length does not reveal their content.
  { contentBlockIndex, delta: change, p: 'abcdefghijk' },
];

export const text = (index: number, words: string): WireEvent => delta(index, { text: words });
export const thought = (index: number, change: object): WireEvent =>
  delta(index, { reasoningContent: change });
export const input = (index: number, json: string): WireEvent => delta(index, { toolUse: { input: json } });
export const tool = (contentBlockIndex: number, toolUseId: string, name: string): WireEvent => [
  'contentBlockStart',
  { contentBlockIndex, start: { toolUse: { toolUseId, name } }, p: 'abc' },
];
export const stop = (contentBlockIndex: number): WireEvent => ['contentBlockStop', { contentBlockIndex }];
export const start: WireEvent = ['messageStart', { role: 'assistant', p: 'abcd' }];
export const end = (stopReason: string, fields: object = {}): WireEvent => [
  'messageStop',
  { stopReason, ...fields },
];
export const metadata = (usage: object): WireEvent => [
  'metadata',
  { metrics: { latencyMs: 551 }, usage, p: 'abcdef' },
];

export const USAGE = { inputTokens: 21, outputTokens: 16, totalTokens: 37 };

/** A text in two deltas; two tool calls after a thought and a text, the second without arguments. */
export const STREAMS: Readonly<Record<string, readonly WireEvent[]>> = {
  text: [
    start,
    text(0, ''),
    text(0, 'Grüße'),
    text(0, ', 世界 👋'),
    stop(0),
    end('end_turn'),
    metadata(USAGE),
  ],
  'tool-calls': [
    start,
    thought(0, { text: 'Two cities.' }),
    thought(0, { signature: 'c2ln' }),
    stop(0),
    text(1, 'Let me look.'),
    stop(1),
    tool(2, 'tooluse_kZJMlvQmRJ6eAyJE5GIl7Q', 'get_weather'),
    input(2, ''),
    input(2, '{"city":'),
    input(2, '"Łódź"}'),
    stop(2),
    tool(3, 'tooluse_2', 'get_time'),
    stop(3),
    end('tool_use'),
    metadata({ ...USAGE, cacheReadInputTokens: 100, cacheWriteInputTokens: 7, totalTokens: 144 }),
  ],
};

export const TEXT = framesOf(STREAMS.text ?? []);
/** The stream up to its first text, and a few bytes more. */
export const TEXT_PART = TEXT.subarray(0, framesOf(STREAMS.text?.slice(0, 3) ?? []).length + 9);
