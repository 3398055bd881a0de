/** The `node:http` host: the same endpoints on any compute that can listen, with the same limits and envelopes. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../core/ports.ts';
import { type BodyBounds, boundedBody } from './bounded-body.ts';
import type { Handler } from './request-handler.ts';

/** What serves a method and path. */
export interface Target {
  readonly handler: Handler;
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface NodeHostOptions {
  readonly resolve: (method: string, path: string) => Target;
  readonly clock: Clock;
  readonly body: BodyBounds;
  /** The longest a call may take; its endpoint ends it in time. */
  readonly callMs: number;
}

/** A server that is not listening yet. A client that leaves does not end its call: the call settles as if it stayed. */
export function createNodeHost(options: NodeHostOptions): Server {
  const server = createServer((request, response) => {
    serve(options, request, response).catch(() => response.destroy());
  });
  // The body's own bounds answer in our envelope; Node's would not.
  server.requestTimeout = 0;
  return server;
}

async function serve(
  options: NodeHostOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { clock, callMs, resolve } = options;
  const deadlineMs = clock() + callMs;
  const url = new URL(targetOf(incoming));
  const method = methodOf(incoming);
  const { handler, pathParameters } = resolve(method, url.pathname);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? boundedBody(incoming, options.body) : undefined;
  const request = new Request(url, {
    method,
    headers: headersOf(incoming),
    ...(body === undefined ? {} : { body: body.stream, duplex: 'half' }),
  } as RequestInit);
  const answer = await handler(request, { pathParameters, remainingTimeMs: () => deadlineMs - clock() });
  if (!incoming.complete) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.flushHeaders();
  await deliver(answer.body, outgoing);
  body?.release();
  await drain(incoming);
  outgoing.end();
}

/** How much, and for how long, to take in what a refused client still sends. */
const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 10_000;

/** A client that is still sending is not silent for so long; one that waits for its answer is. */
const DRAIN_IDLE_MS = 1_000;

/**
 * Waits, within bounds, for the rest of a request that has been answered: closing a connection on which data still
 * arrives would reset it, and the client might lose the answer.
 */
async function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return;
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DRAIN_BYTES) done();
    });
    incoming.on('error', () => {});
    incoming.setTimeout(DRAIN_IDLE_MS, done);
    incoming.once('end', done).once('close', done).resume();
  });
}

/** No method of HTTP, so that no route has it. */
const NO_METHOD = 'NONE';

/** A method that a web `Request` does not take (Fetch, "forbidden method") is answered as one that no path has. */
const methodOf = ({ method = 'GET' }: IncomingMessage): string =>
  /^(CONNECT|TRACE|TRACK)$/i.test(method) ? NO_METHOD : method;

/** The request's target as a URL of this host, whatever its form (RFC 9112, section 3.2); `*` is a path of none. */
function targetOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return `http://localhost${url}`;
  const absolute = URL.parse(url);
  return absolute === null ? 'http://localhost/*' : `http://localhost${absolute.pathname}${absolute.search}`;
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/** Writes the body as the client takes it; when the client leaves, the rest is read all the same, so that it settles. */
async function deliver(body: ReadableStream<Uint8Array> | null, outgoing: ServerResponse): Promise<void> {
  let gone = false;
  const closed = new Promise<void>((resolve) => {
    outgoing.once('error', () => {});
    outgoing.once('close', () => {
      gone = true;
      resolve();
    });
  });
  for await (const chunk of body ?? []) {
    if (!gone && !outgoing.write(chunk))
      await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), closed]);
  }
}
