/** Calls of the provider through the real client, over a real wire or with an answer given in process. */
import { Readable } from 'node:stream';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { Conversation, StreamPart } from '../../../core/upstream/conversation.ts';
import type { RouteAttempt, RouteEvent, RouteResponse } from '../../../core/upstream/provider.ts';
import { createBedrockProvider } from '../../../providers/bedrock/provider.ts';
import { createBedrockClients } from '../../../store/bedrock-clients.ts';
import { routeOf, streamOf } from '../http-calls.ts';
import { CONVERSATION, convertedPayload } from '../payloads.ts';
import { SIGNATURES } from '../sealing.ts';
import { outcomeOf, partsIn } from '../streams.ts';

export const EVENT_STREAM = { 'content-type': 'application/vnd.amazon.eventstream' };
export const JSON_TYPE = { 'content-type': 'application/json' };

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

const MODEL = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';

/** A whole answer. */
export const RESPONSE = {
  output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

export interface Call {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  readonly conversation?: Partial<Conversation>;
}

export const attemptAt = (
  baseUrl: string,
  { stream = false, signal, conversation, maxBytes = 1_000_000 }: Call = {},
): RouteAttempt => ({
  route: routeOf({ id: 'sim-b', protocol: 'bedrock', base_url: baseUrl, upstream_model: MODEL }),
  payload: convertedPayload({ ...CONVERSATION, ...conversation }, stream, 'openai'),
  identity: { id: 'chatcmpl-01ARZ3NDEKTSV4RRFFQ69G5FAV', model: 'sim/chat' },
  signatures: SIGNATURES,
  maxBytes,
  signal: signal ?? new AbortController().signal,
});

/** The clients that functions have. */
const wired = createBedrockProvider({
  bedrockClient: createBedrockClients({ region: 'us-east-1', credentials }).client,
});

/** One chat call to the server at an origin. */
export const callAt = (origin: string, call: Call = {}): Promise<RouteResponse> =>
  wired.chat(attemptAt(origin, call));

export interface BedrockResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

let routeResponse: BedrockResponse = { body: [] };

/** The real client but for its network, so that a test says where the bytes of an answer are split. */
const unwired = createBedrockProvider({
  bedrockClient: () => client,
});
const client = new BedrockRuntimeClient({
  endpoint: 'http://bedrock.test',
  region: 'us-east-1',
  credentials,
  maxAttempts: 1,
  requestHandler: {
    async handle() {
      const { status = 200, headers = EVENT_STREAM, body } = routeResponse;
      return { response: { statusCode: status, headers, body: Readable.from(body, { objectMode: false }) } };
    },
  },
});

/** One chat call that gets this answer; one at a time. */
export function callFor(response: BedrockResponse, call: Call = {}): Promise<RouteResponse> {
  routeResponse = response;
  return unwired.chat(attemptAt('http://bedrock.test', call));
}

/**
 * Returns the events and parts of a response before it ended or failed, and the failure. Bytes are those of a stream.
 */
export async function outcome(
  response: BedrockResponse | Uint8Array,
  call: Call = {},
): Promise<{ events: RouteEvent[]; parts: StreamPart[]; failure: unknown }> {
  const { events, failure } = await outcomeOf(streamFor(response, call));
  return { events, parts: partsIn(events), failure };
}

async function* streamFor(response: BedrockResponse | Uint8Array, call: Call): AsyncGenerator<RouteEvent> {
  const answer = response instanceof Uint8Array ? { body: [response] } : response;
  yield* await streamOf(callFor(answer, { stream: true, ...call }));
}
