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

/** What is read of a response. A web `Response` has it too. */
export interface UpstreamResponse extends Pick<Response, 'status' | 'ok' | 'text'> {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: UpstreamBody | null;
}

/** The bytes of a response. A reader that leaves closes the connection, unless all of them are here. */
export interface UpstreamBody extends AsyncIterable<Uint8Array> {
  cancel(): Promise<void>;
}

export interface UpstreamRequestInit extends Pick<RequestInit, 'method' | 'body' | 'signal' | 'redirect'> {
  readonly headers?: Readonly<Record<string, string>>;
}

export type UpstreamFetch = (url: string, init?: UpstreamRequestInit) => Promise<UpstreamResponse>;

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
  const body = new MessageBody(message);
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    body: WITHOUT_BODY.has(status) ? null : body,
    async text() {
      const chunks: Uint8Array[] = [];
      for await (const bytes of body) chunks.push(bytes);
      return Buffer.concat(chunks).toString();
    },
  };
}

/** Gives all bytes that have arrived at once, and a failure after those before it. */
class MessageBody implements UpstreamBody, AsyncIterableIterator<Uint8Array> {
  readonly #source: IncomingMessage;
  #arrived: Buffer[] = [];
  #arrivedBytes = 0;
  #isOver = false;
  #failure: Error | undefined;
  #onArrival = () => {};

  constructor(source: IncomingMessage) {
    this.#source = source;
    source.on('data', (bytes: Buffer) => {
      this.#arrived.push(bytes);
      this.#arrivedBytes += bytes.length;
      if (this.#arrivedBytes >= READ_AHEAD) source.pause();
      this.#onArrival();
    });
    source.once('end', () => this.#end());
    source.once('error', (failure) => this.#end(failure));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#arrived.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#onArrival = resolve;
      });
    }
    const [first, ...others] = this.#arrived;
    const value = first === undefined || others.length > 0 ? Buffer.concat(this.#arrived) : first;
    this.#arrived = [];
    this.#arrivedBytes = 0;
    this.#source.resume();
    return { done: false, value };
  }

  async cancel(): Promise<void> {
    this.#source.destroy();
    this.#arrived = [];
    this.#end();
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.cancel();
    return { done: true, value: undefined };
  }

  #end(failure?: Error): void {
    this.#isOver = true;
    this.#failure ??= failure;
    this.#onArrival();
  }
}
