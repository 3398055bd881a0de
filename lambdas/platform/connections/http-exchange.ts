/**
 * One HTTP exchange with an upstream on a kept connection, and once more on a new one when the kept one turns out to be
 * closed. A server may close an idle connection at any time, so a request can meet the end of its connection (RFC 9112,
 * section 9.5); RFC 9110, section 9.2.2 lets a client repeat a request that is not idempotent when it knows that the
 * first was not acted on. It knows: nothing was heard on a connection that had served before, and it ended at once.
 * The first failure of a new connection is a failure.
 */
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { ConnectionPool } from './connection-pool.ts';

/**
 * A connection that was closed before says so within a round trip; a server that closes it later may have been at work
 * on the request.
 */
const CLOSED_WITHIN_MS = 2_000;

/** As Node reports the end of a connection: by its server, and by one that no longer knows of it. */
const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read once, so its request is never repeated. */
  readonly body?: string | Uint8Array | Readable | undefined;
  /** Ends the exchange, also while its answer is read; the failure is then the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer as soon as its head is here. It must be read to its end, or be destroyed. */
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
    if (!('closed' in first)) return first.answer;
    pool.dropIdle(request.url);
    repeated();
    const second = await send(pool, request, now);
    if ('closed' in second) throw second.closed;
    return second.answer;
  };
}

type Sent =
  | { readonly answer: IncomingMessage }
  /** The request can be repeated: its connection was closed before it came. */
  | { readonly closed: Error };

function send(pool: ConnectionPool, request: HttpRequest, now: () => number): Promise<Sent> {
  const { url, method, headers, body, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const open = url.protocol === 'https:' ? secureRequest : plainRequest;
  const call = open(url, { method, headers, agent: pool.agentFor(url) });
  const heard = listenOn(call);
  const sentMs = now();
  let answer: IncomingMessage | undefined;
  const abort = () => void (answer ?? call).destroy(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const isText = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  call.once('close', () => signal?.removeEventListener('abort', abort));
  call.once('response', (message) => {
    answer = message;
    resolve({ answer });
  });
  // Further failures are those of the answer, which reports them itself.
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
