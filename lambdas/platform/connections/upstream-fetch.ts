/**
 * `fetch` for upstreams: over persistent connections, and without redirects, cookies, caches and proxies (Fetch
 * standard).
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { SERVICE_NAME } from '../contract/limits.ts';
import { RELEASE } from '../contract/release.ts';
import type { UpstreamFetch, UpstreamResponse } from '../core/ports.ts';
import type { HttpExchange } from './http-exchange.ts';

const USER_AGENT = `${SERVICE_NAME}/${RELEASE}`;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Fetch standard, "null body status". */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Accepts a URL, a method, headers, a string, bytes or a stream, and a signal. Rejects with the error that broke the
 * connection, or the signal's reason. A redirect is an error: it would send a prompt and a key to a host that the
 * catalog does not list. So is a content coding, because none is requested.
 */
export function createUpstreamFetch(exchange: HttpExchange): UpstreamFetch {
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    const message = await exchange({
      url: new URL(url),
      method,
      headers: {
        'user-agent': USER_AGENT,
        // Compressed events come late, and a short response could become a long one.
        'accept-encoding': 'identity',
        // Fetch standard, "normalize": a secret may end with a line break.
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.trim()])),
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
  if (body instanceof ReadableStream) return Readable.fromWeb(body as NodeReadableStream<Uint8Array>);
  throw new TypeError('a body must be a text, bytes or a stream');
}

function responseOf(message: IncomingMessage): UpstreamResponse {
  const { statusCode: status = 0, headers } = message;
  if (REDIRECTS.has(status)) {
    message.destroy();
    throw new TypeError('an upstream must not redirect');
  }
  const { 'content-encoding': coding = 'identity' } = headers;
  if (!/^\s*(identity)?\s*$/i.test(coding)) {
    message.destroy();
    throw new TypeError('an upstream must not encode its response, which was requested without a coding');
  }
  if (WITHOUT_BODY.has(status)) message.resume();
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    body: WITHOUT_BODY.has(status) ? null : message,
    text: async () => Buffer.concat(await message.toArray()).toString(),
  };
}
