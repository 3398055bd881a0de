/** What every upstream that takes JSON over HTTP has in common: the key, one POST, its answer and its failures. */

import { parseHttpDate, parseRetryAfter } from '../core/api/retry-after.ts';
import { type Reply, type ReplyEvent, UpstreamFailure } from '../core/inference/upstream/provider.ts';
import type { JsonObject } from '../core/json/lossless-json.ts';
import { isJsonObject, isTooDeep, MAX_DEPTH, parseJson } from '../core/json/lossless-json.ts';
import type { SecretReader } from '../core/ports.ts';
import { isQuotaExhausted } from './refusals/exhausted-quota.ts';
import { refusalIn } from './refusals/refusal.ts';
import { sseData } from './sse-data.ts';

/** Statuses by which a route that understood the request says that no other route will do better. */
const CALLER_FAULTS: ReadonlySet<number> = new Set([400, 413, 422]);

/** Too Many Requests (RFC 6585, section 4). */
const RATE_LIMITED = 429;

/** An error body is small; more than this is not read. */
const MAX_ERROR_BYTES = 64 * 1024;

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it is read, and with a length of its own among the headers. */
  readonly body: string | ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
  /** What an answer means whose status is not 2xx. */
  readonly toFailure: (response: Response) => Promise<UpstreamFailure>;
}

export interface UpstreamCall extends Omit<UpstreamRequest, 'body'> {
  readonly body: string;
  readonly stream: boolean;
  readonly toReply: (body: unknown) => Extract<Reply, { kind: 'json' }>;
  readonly toReplyEvents: (data: AsyncIterable<string>) => AsyncIterable<ReplyEvent>;
}

/** Makes one call. Throws `UpstreamFailure` for everything that goes wrong, also while the events are read. */
export async function callUpstream(fetch: typeof globalThis.fetch, call: UpstreamCall): Promise<Reply> {
  const accept = call.stream ? 'text/event-stream' : 'application/json';
  const headers = { 'content-type': 'application/json', accept, ...call.headers };
  return reading(async () => {
    const response = await post(fetch, { ...call, headers });
    if (!call.stream) return call.toReply(parseLossless(await response.text()));
    const { body } = response;
    if (body === null || !isEventStream(response)) throw new UpstreamFailure('protocol');
    return { kind: 'stream', events: connected(call.toReplyEvents(sseData(body))) };
  });
}

/** Makes one request and gives its answer, whose status is 2xx. Throws `UpstreamFailure`. */
export const post = (
  fetch: typeof globalThis.fetch,
  { url, headers, body, signal, toFailure }: UpstreamRequest,
): Promise<Response> =>
  reading(async () => {
    // A redirect would carry the prompt to a host that the catalog does not name.
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

/** Does what reads an answer; a connection that breaks on the way is an upstream failure. */
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
  // Each level takes two brackets: most events are too short to be looked through.
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
export const parseEvent = (text: string): JsonObject => objectOf(parseLossless(text));

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

/** Reads what is left of a complete answer, so that its connection can be used again. */
export async function drain(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await iterator.next()).done);
  } catch {
    // The answer is complete; how its connection ends no longer matters.
  }
}

/** How a protocol's error body is read; each function receives the body's JSON, or undefined. */
export interface ErrorReader {
  /** The field that was refused, as the caller knows it. */
  readonly paramOf: (body: unknown) => string | undefined;
  /** The refusal is of the route's own account, whatever its status says. */
  readonly isRouteFault?: (body: unknown) => boolean;
  /** How long to wait after a 429, seconds, where the body says it and no header does. */
  readonly retryDelayOf?: (body: unknown) => number | undefined;
}

/** The failure that a status means; only the body of a refusal or of a 429 is read. */
export async function toStatusFailure(
  response: Response,
  { paramOf, isRouteFault = () => false, retryDelayOf = () => undefined }: ErrorReader,
): Promise<UpstreamFailure> {
  const { status } = response;
  const inHeader = secondsOf(response.headers.get('retry-after'), response.headers.get('date'));
  const isRead = CALLER_FAULTS.has(status) || status === RATE_LIMITED;
  const body = isRead ? await errorBody(response) : undefined;
  const retryAfterSeconds = inHeader ?? retryDelayOf(body);
  const retryable = !CALLER_FAULTS.has(status) || isRouteFault(body);
  const isExhausted = status === RATE_LIMITED && isQuotaExhausted(body);
  if (retryable) return new UpstreamFailure('status', { status, retryable, retryAfterSeconds, isExhausted });
  const refusal = refusalIn(body);
  return new UpstreamFailure('status', {
    status,
    retryable,
    retryAfterSeconds,
    param: paramOf(body),
    refusal,
  });
}

/**
 * When the route may be asked again, whole seconds from now and at least one; undefined when it does not say. A date
 * is read beside the answer's own `Date`, whatever the clock here shows.
 */
export function secondsOf(retryAfter: unknown, date: unknown): number | undefined {
  if (typeof retryAfter !== 'string') return undefined;
  const nowMs = (typeof date === 'string' ? parseHttpDate(date) : undefined) ?? Date.now();
  const ms = parseRetryAfter(retryAfter.trim(), nowMs);
  return ms === undefined ? undefined : Math.max(1, Math.ceil(ms / 1000));
}

async function errorBody({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > MAX_ERROR_BYTES) return undefined;
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
