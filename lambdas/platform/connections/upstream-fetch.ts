/**
 * `fetch` for upstreams: over persistent connections, and without redirects, cookies, caches and proxies (Fetch
 * standard).
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { HttpExchange } from './http-exchange.ts';

const USER_AGENT = 'unified-inference-service/1';

/** The bytes that are read ahead of the reader. The end of a short response frees its connection without a reader. */
const READ_AHEAD = 64 * 1024;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Fetch standard, "null body status". */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Accepts a URL, a method, headers, a string, bytes or a stream, and a signal. Rejects with the error that broke the
 * connection, or the signal's reason. A redirect is an error: it would send a prompt and a key to a host that the
 * catalog does not list. So is a content coding, because none is requested.
 */
export function createUpstreamFetch(exchange: HttpExchange): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body, signal } = init;
    const message = await exchange({
      url: new URL(input instanceof Request ? input.url : input),
      method,
      headers: {
        'user-agent': USER_AGENT,
        // Compressed events come late, and a short response could become a long one.
        'accept-encoding': 'identity',
        ...Object.fromEntries(new Headers(init.headers)),
      },
      body: bodyOf(body),
      signal: signal ?? undefined,
    });
    return responseOf(message);
  };
}

function bodyOf(body: RequestInit['body']): string | Uint8Array | Readable | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof ReadableStream) return Readable.fromWeb(body as NodeReadableStream<Uint8Array>);
  throw new TypeError('a body must be a text, bytes or a stream');
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message;
  if (REDIRECTS.has(status)) {
    message.destroy();
    throw new TypeError('an upstream must not redirect');
  }
  const { 'content-encoding': coding = 'identity' } = message.headers;
  if (!/^\s*(identity)?\s*$/i.test(coding)) {
    message.destroy();
    throw new TypeError('an upstream must not encode its response, which was requested without a coding');
  }
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  if (WITHOUT_BODY.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(webStreamOf(message), { status, headers });
}

/** The same bytes; a reader that leaves closes the connection, unless all of them are here. */
function webStreamOf(source: Readable): ReadableStream<Uint8Array> {
  // A source that has been destroyed still emits the bytes that it had.
  let hasLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        source.on('data', (bytes: Buffer) => {
          if (hasLeft) return;
          controller.enqueue(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once('end', () => hasLeft || controller.close());
        source.once('error', (failure) => controller.error(failure));
      },
      pull() {
        source.resume();
      },
      cancel() {
        hasLeft = true;
        source.destroy();
      },
    },
    { highWaterMark: READ_AHEAD, size: ({ byteLength }) => byteLength },
  );
}
