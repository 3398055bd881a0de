/** The steps that every upstream with JSON over HTTP shares: the key, one POST, its response and its failures. */

import {
  isJsonObject,
  isTooDeep,
  type JsonObject,
  MAX_DEPTH,
  parseJson,
} from '../../platform/core/json/lossless-json.ts';
import type {
  SecretReader,
  UpstreamFetch,
  UpstreamRequestInit,
  UpstreamResponse,
} from '../../platform/core/ports.ts';
import { type RouteResponse, UpstreamFailure } from '../core/upstream/provider.ts';
import { withError } from './error-frames.ts';
import { drain, type EventReader, eventBatches } from './event-batches.ts';
import { boundedText } from './response-bytes.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request. A stream is sent as it is read, with its length among the headers. */
  readonly body: string | ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
  /** The attempt's span in the caller's trace. A signature does not cover it. */
  readonly traceparent?: string | undefined;
  /** Returns the failure for a response whose status is not 2xx. */
  readonly toFailure: (response: UpstreamResponse) => Promise<UpstreamFailure>;
}

export interface UpstreamCall extends Omit<UpstreamRequest, 'body'> {
  readonly body: string;
  readonly stream: boolean;
  /** The most bytes that the response may have. */
  readonly maxBytes: number;
  readonly toRouteResponse: (body: unknown) => Extract<RouteResponse, { kind: 'json' }>;
  readonly createReader: () => EventReader;
}

/** Makes one call. Throws `UpstreamFailure` for everything that goes wrong, also while the events are read. */
export async function callUpstream(fetch: UpstreamFetch, call: UpstreamCall): Promise<RouteResponse> {
  const accept = call.stream ? 'text/event-stream' : 'application/json';
  const headers = { 'content-type': 'application/json', accept, ...call.headers };
  return reading(async () => {
    const response = await post(fetch, { ...call, headers });
    if (!call.stream) return call.toRouteResponse(parseLossless(await boundedText(response, call.maxBytes)));
    const { body } = response;
    if (body === null || !isEventStream(response)) throw new UpstreamFailure('protocol');
    return { kind: 'stream', batches: eventBatches(body, call.maxBytes, call.createReader()) };
  });
}

/** Sends one request and returns its response, whose status is 2xx. Throws `UpstreamFailure`. */
export const post = (
  fetch: UpstreamFetch,
  { url, headers, body, signal, traceparent, toFailure }: UpstreamRequest,
): Promise<UpstreamResponse> =>
  reading(async () => {
    // A redirect would send the prompt to a hostname that the catalog does not list.
    const response = await fetch(url, {
      method: 'POST',
      headers: traceparent === undefined ? headers : { ...headers, traceparent },
      body,
      redirect: 'error',
      signal,
      ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    } as UpstreamRequestInit);
    if (response.ok) return response;
    const failure = await toFailure(response);
    if (response.body !== null) void drain(response.body[Symbol.asyncIterator]());
    throw failure;
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

/** Some servers send events as plain text, or without a type. */
const isEventStream = ({ headers }: UpstreamResponse) =>
  /^(text\/(event-stream|plain)\b|$)/i.test(headers.get('content-type') ?? '');

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

/** The object of an event's data. Throws `UpstreamFailure` for anything else. */
export const parseUpstreamEvent = (text: string): JsonObject => withError(objectOf(parseLossless(text)));

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
