/** The `node:http` host: the same endpoints on any compute that can listen, with the same limits and envelopes. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { Handler } from './front.ts';

/** What serves a method and path. */
export interface Target {
  readonly handler: Handler;
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface NodeHostOptions {
  readonly resolve: (method: string, path: string) => Target;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  /** A body that brings nothing for so long is given up. */
  readonly bodyIdleMs: number;
  /** The longest a call may take; its endpoint ends it in time. */
  readonly callMs: number;
}

/** A server that is not listening yet. A client that leaves does not end its call: the call settles as if it stayed. */
export function createNodeHost(options: NodeHostOptions): Server {
  const server = createServer((request, response) => {
    serve(options, request, response).catch(() => response.destroy());
  });
  // The body's own idle limit answers in our envelope; Node's would not.
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
  const url = new URL(`http://localhost${incoming.url ?? '/'}`);
  const { handler, pathParameters } = resolve(incoming.method ?? 'GET', url.pathname);
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  const body = hasBody ? boundedBody(incoming, options) : undefined;
  const request = new Request(url, {
    method: incoming.method ?? 'GET',
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

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  }
  return headers;
}

const tooLarge = (most: number) =>
  new ServiceError('request_too_large', `The request body exceeds ${most} bytes.`);

/**
 * The body's bytes, none held back; fails when there are too many of them or none for too long. By events, because a
 * stream that was once read by iteration could not be drained any more.
 */
function boundedBody(
  incoming: IncomingMessage,
  { maxBodyBytes, bodyIdleMs }: NodeHostOptions,
): { readonly stream: ReadableStream<Uint8Array>; release(): void } {
  let bytes = 0;
  let over = false;
  const release = () => {
    over = true;
    incoming.setTimeout(0);
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (finish: () => void) => {
          if (over) return;
          release();
          finish();
        };
        const fail = (cause: Error) => end(() => controller.error(cause));
        const stalled = `The request body stalled for ${bodyIdleMs} ms.`;
        incoming.setTimeout(bodyIdleMs, () => fail(new ServiceError('invalid_json', stalled)));
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBodyBytes) fail(tooLarge(maxBodyBytes));
          if (over) return;
          controller.enqueue(chunk);
          incoming.pause();
        });
        incoming.once('end', () => end(() => controller.close()));
        incoming.once('error', fail);
        incoming.once('close', () => fail(new Error('the client left before its request was complete')));
        incoming.pause();
        if (Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) fail(tooLarge(maxBodyBytes));
      },
      pull() {
        incoming.resume();
      },
      cancel: release,
    },
    // A chunk is read when it is asked for.
    { highWaterMark: 0 },
  );
  return { stream, release };
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
