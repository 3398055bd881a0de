/** The steps that every upstream with JSON over HTTP shares: the key, one POST, its response and its failures. */

import { createParser, type ParseError } from 'eventsource-parser';
import {
  isJsonObject,
  isTooDeep,
  type JsonObject,
  MAX_DEPTH,
  parseJson,
} from '../../platform/core/json/lossless-json.ts';
import type { SecretReader } from '../../platform/core/ports.ts';
import { type RouteEvent, type RouteResponse, UpstreamFailure } from '../core/upstream/provider.ts';
import { boundedBytes, boundedText } from './response-bytes.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request. A stream is sent as it is read, with its length among the headers. */
  readonly body: string | ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
  /** Returns the failure for a response whose status is not 2xx. */
  readonly toFailure: (response: Response) => Promise<UpstreamFailure>;
}

export interface UpstreamCall extends Omit<UpstreamRequest, 'body'> {
  readonly body: string;
  readonly stream: boolean;
  /** The most bytes that the response may have. */
  readonly maxBytes: number;
  readonly toRouteResponse: (body: unknown) => Extract<RouteResponse, { kind: 'json' }>;
  readonly readRouteEvents: (data: AsyncIterable<string>) => AsyncIterable<RouteEvent>;
}

/** Makes one call. Throws `UpstreamFailure` for everything that goes wrong, also while the events are read. */
export async function callUpstream(
  fetch: typeof globalThis.fetch,
  call: UpstreamCall,
): Promise<RouteResponse> {
  const accept = call.stream ? 'text/event-stream' : 'application/json';
  const headers = { 'content-type': 'application/json', accept, ...call.headers };
  return reading(async () => {
    const response = await post(fetch, { ...call, headers });
    if (!call.stream) return call.toRouteResponse(parseLossless(await boundedText(response, call.maxBytes)));
    const { body } = response;
    if (body === null || !isEventStream(response)) throw new UpstreamFailure('protocol');
    return {
      kind: 'stream',
      events: connected(call.readRouteEvents(decodeSse(boundedBytes(body, call.maxBytes)))),
    };
  });
}

/** Sends one request and returns its response, whose status is 2xx. Throws `UpstreamFailure`. */
export const post = (
  fetch: typeof globalThis.fetch,
  { url, headers, body, signal, toFailure }: UpstreamRequest,
): Promise<Response> =>
  reading(async () => {
    // A redirect would send the prompt to a hostname that the catalog does not list.
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal,
      ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    } as RequestInit);
    if (!response.ok) throw await toFailure(response);
    return response;
  });

/** Runs the work that reads a response. A connection that breaks meanwhile is an upstream failure. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    throw failure instanceof UpstreamFailure
      ? failure
      : new UpstreamFailure('connection', { cause: failure });
  }
}

/** The route's key, if it has one. Throws `UpstreamFailure` when it cannot be read. */
export async function readKey(
  readSecret: SecretReader,
  reference: string | undefined,
): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  try {
    return await readSecret(reference);
  } catch (cause) {
    throw new UpstreamFailure('secret', { cause });
  }
}

const isEventStream = (response: Response) =>
  response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;

/** Throws `UpstreamFailure` for what is not JSON, and for what is too deep to be written again. */
function parseLossless(text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new UpstreamFailure('protocol');
  }
  // Each level takes two brackets, so most events are too short to require the check.
  if (text.length > 2 * MAX_DEPTH && isTooDeep(value)) throw new UpstreamFailure('protocol');
  return value;
}

/** The same events; a connection that breaks while they are read is an upstream failure. */
export async function* connected<T>(events: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* events;
  } catch (failure) {
    throw failure instanceof UpstreamFailure
      ? failure
      : new UpstreamFailure('interrupted', { cause: failure });
  }
}

/** The object of an event's data. Throws `UpstreamFailure` for anything else. */
export const parseUpstreamEvent = (text: string): JsonObject => objectOf(parseLossless(text));

/** The JSON object of a text, with its numbers as doubles. Throws `UpstreamFailure` for anything else. */
export function parsePlainObject(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    throw new UpstreamFailure('protocol');
  }
}

/** Throws `UpstreamFailure` for anything but an object. */
export function objectOf(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new UpstreamFailure('protocol');
  return value;
}

/** Reads the remaining bytes of a complete response, so that its connection can be reused. */
export async function drain(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await iterator.next()).done);
  } catch {
    // The response is complete, so a connection error no longer matters.
  }
}

/** The largest event: that of a complete response at the end of its stream, or a picture in it. */
const EVENT_BOUND = {
  maxBufferSize: 8 * 1024 * 1024,
  onError({ type }: ParseError) {
    if (type === 'max-buffer-size-exceeded') throw new UpstreamFailure('protocol');
  },
};

/** Yields the data of every event of the body; comments, ids and retry fields are dropped. */
export async function* decodeSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const ready: string[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event.data), ...EVENT_BOUND });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (ready.length > 0) yield* ready.splice(0);
  }
  // A stream whose lines end in a lone CR has its last one open: the parser waits whether an LF follows.
  parser.feed('\n');
  yield* ready.splice(0);
  // The last event may lack its blank line; what was cut off does not count.
  parser.feed('\n\n');
  yield* ready.filter(isComplete);
}

/** Returns whether the data is a JSON text or the end marker (OpenAI API reference, Streaming). */
function isComplete(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
