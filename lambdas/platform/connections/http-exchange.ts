/**
 * One HTTP exchange with an upstream on a persistent connection, repeated once on a new one if the former turns out to
 * be closed. A server may close an idle connection at any time, so a request can meet a closed connection (RFC 9112,
 * section 9.5). A client may repeat a non-idempotent request if it can determine that the first was not processed (RFC
 * 9110, section 9.2.2). This holds if a connection that was used before ends at once and delivers nothing. The first
 * failure of a new connection is a failure.
 */
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { ConnectionPool } from './connection-pool.ts';

/**
 * A closed connection reports it within a round trip. A server that closes it later may have been processing the
 * request.
 */
const CLOSED_WITHIN_MS = 2_000;

/** The codes that Node reports for a connection that its server has closed, or no longer has. */
const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read once, so its request is never repeated. */
  readonly body?: string | Uint8Array | Readable | undefined;
  /** Ends the exchange, also while its response is read; the failure is then the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the response as soon as its headers have arrived. The caller must read it to its end, or destroy it. */
export type HttpExchange = (request: HttpRequest) => Promise<IncomingMessage>;

/** `repeated` is called for each request that is sent once more; `now` is a monotonic clock, in milliseconds. */
export function createExchange(
  pool: ConnectionPool,
  repeated: () => void = () => {},
  now = () => performance.now(),
): HttpExchange {
  return async (request) => {
    request.signal?.throwIfAborted();
    pool.dropStale();
    const first = await send(pool, request, now);
    if (!('closed' in first)) return first.response;
    pool.dropIdle(request.url);
    repeated();
    const second = await send(pool, request, now);
    if ('closed' in second) throw second.closed;
    return second.response;
  };
}

type ExchangeOutcome =
  | { readonly response: IncomingMessage }
  /** The request can be repeated: its connection was closed before it came. */
  | { readonly closed: Error };

function send(pool: ConnectionPool, request: HttpRequest, now: () => number): Promise<ExchangeOutcome> {
  const { url, method, headers, body, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeOutcome>();
  const open = url.protocol === 'https:' ? secureRequest : plainRequest;
  const call = open(url, { method, headers, agent: pool.agentFor(url) });
  const heard = listenOn(call);
  const sentMs = now();
  let response: IncomingMessage | undefined;
  const abort = () => void (response ?? call).destroy(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const isText = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  call.once('close', () => signal?.removeEventListener('abort', abort));
  call.once('response', (message) => {
    response = message;
    resolve({ response });
  });
  // Further failures are those of the response, which reports them itself.
  call.on('error', (failure: Error & { readonly code?: string }) => {
    const isClosed = call.reusedSocket && !heard() && CLOSED.has(failure.code) && !signal?.aborted;
    const canRepeat = isClosed && isText && now() - sentMs < CLOSED_WITHIN_MS;
    if (canRepeat) resolve({ closed: failure });
    else reject(failure);
  });
  if (isText) call.end(body);
  else pipeline(body, call, () => {});
  return promise;
}

/** Returns a function that reports whether the connection has received a byte since this request got it. */
function listenOn(call: ClientRequest): () => boolean {
  let heard = false;
  call.once('socket', (socket: Socket) => {
    const hear = () => {
      heard = true;
    };
    socket.once('data', hear);
    call.once('close', () => socket.off('data', hear));
  });
  return () => heard;
}
