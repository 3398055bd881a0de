/** The dependencies of the core: time, chance and logs; and the shape of an endpoint. */

import type { Deprecation } from './deprecation.ts';

/** Milliseconds since the Unix epoch. */
export type Clock = () => number;

/** The largest difference between the clocks of two processes, in seconds. */
export const SKEW_SECONDS = 60;

/** A fresh ULID: 26 characters, sortable by time of creation (github.com/ulid/spec). */
export type UlidSource = () => string;

/** A number in [0, 1). */
export type RandomSource = () => number;

/** Runs something once after a number of milliseconds; the function returned cancels it. */
export type After = (ms: number, run: () => void) => () => void;

/** Numbers to be raised as metrics, by their names in the contract. Values are counts, amounts and times. */
export interface Measurement {
  readonly values: Readonly<Record<string, number>>;
  /** Each takes few values; the metrics are raised with them and without. */
  readonly dimensions?: Readonly<Record<string, string>>;
}

/** Structured logging. Fields never contain prompts, outputs, keys, secrets or upstream addresses. */
export interface Log {
  /** Writes a line. `measured` is on the same line, so that metrics need no separate line. */
  info(message: string, fields?: Readonly<Record<string, unknown>>, measured?: Measurement): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Raises a metric by its name in the contract. Values never hold more than counts and amounts. */
export type Metric = (name: string, value: number) => void;

/** Raises several metrics in one line. */
export type Measure = (measured: Measurement) => void;

/** Reads a secret by reference (`env:NAME`, `secretsmanager:NAME#field`); throws when there is none. */
export type SecretReader = (reference: string) => Promise<string>;

/** The issuers of access tokens: Microsoft Entra ID, or Google Cloud. */
export type TokenIssuer = 'entra' | 'google';

/** Gives the access token of the client whose credentials a secret holds; throws when there is none to be had. */
export type TokenReader = (issuer: TokenIssuer, reference: string) => Promise<string>;

/**
 * Signs a POST request to an AWS service with the function's own role; gives the headers to send, those of the
 * request among them. Throws when there are no credentials.
 */
export type RequestSigner = (request: {
  readonly url: string;
  /** The service's name in a signature. */
  readonly service: string;
  /** Absent: the function's own. */
  readonly region?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<Readonly<Record<string, string>>>;

/** The body of a request that its server may still be receiving. */
export interface IncomingBody {
  /** True if it has, or may have, so many bytes that its key is to be checked first. */
  readonly isLarge: boolean;
  /**
   * Counts the body as one of an account. Before, its bytes count as those of its address. Returns true if so many bodies
   * are arriving that it is read for an account with credit only. Throws `ServiceError` if too many are.
   */
  claim(accountId: string): boolean;
  /** States that the account has credit. */
  prove(): void;
  /** States that a route has responded to the request, so that no other route is sent it. */
  sent(): void;
}

/** The data that a server has about one call, in addition to its request. */
export interface CallContext {
  /** `req_<ulid>`. */
  readonly requestId: string;
  /** Milliseconds until the host ends the call, whatever it is doing. */
  remainingTimeMs(): number;
  /** Milliseconds without a byte after which what stands before the host ends the call; absent where nothing does. */
  readonly silenceMs?: number | undefined;
  /** Values of the route's path parameters, decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Absent if the request is complete when its call starts, or has no body. */
  readonly body?: IncomingBody | undefined;
  /** Adds fields to the line that the host logs at the end of the call. The same rules hold as for `Log`. */
  readonly note?: ((fields: Readonly<Record<string, unknown>>) => void) | undefined;
  /** States that the request uses something deprecated, which the headers of its response tell, also those of an error. */
  readonly deprecate?: ((deprecation: Deprecation) => void) | undefined;
  readonly log: Log;
}

/** The server-sent events that show that a call is alive, and that it failed. */
export interface EventFormat {
  /** Sent while nothing else is; complete with its blank line. */
  readonly heartbeat: string;
  /** The event that ends a stream which failed. `envelope` is the body of an error of this API. */
  errorEvent(envelope: Readonly<Record<string, unknown>>): string;
}

/** The parts of a request that endpoints read. A web `Request` has them too. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'text'> {
  readonly headers: Pick<Headers, 'get' | 'has'>;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** A complete response of text. The names of its headers are in lower case. */
export interface TextResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A response that is delivered in chunks, each when the caller reads it. */
export interface StreamedResponse {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Bytes, or complete events with their blank line. Remaining work of the call (its settlement) is done before this
   * ends. Throws if the response breaks off. A response that has started is read to its end.
   */
  readonly body: AsyncGenerator<string | Uint8Array, void>;
  /**
   * Ends the wait of the chunks after their reader has left; absent if only the end reports the cost of the response.
   */
  readonly leave?: () => void;
  /** Set when the chunks are server-sent events. */
  readonly events?: EventFormat;
  /** Set when the headers are to leave before there is a chunk: an event to send with them. */
  readonly opening?: string;
}

/** The end of a streamed response. Only the first is a complete response. */
export type StreamOutcome =
  | { readonly status: 'completed' }
  /** Its reader left. */
  | { readonly status: 'cancelled' }
  | { readonly status: 'failed'; readonly failure: unknown };

/** One endpoint, the same on every host. A `ServiceError` it throws becomes an error envelope. */
export type Endpoint = (request: HttpRequest, context: CallContext) => Promise<TextResponse>;

/** An endpoint that may stream its response. */
export type StreamingEndpoint = (
  request: HttpRequest,
  context: CallContext,
) => Promise<TextResponse | StreamedResponse>;

/** The parts of an upstream's response that are read. A web `Response` has them too. */
export interface UpstreamResponse extends Pick<Response, 'status' | 'ok' | 'text'> {
  readonly headers: Pick<Headers, 'get'>;
  /** Each read has all bytes that have arrived. A reader that leaves closes the connection. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** A request to an upstream, but for its address. */
export interface UpstreamRequestInit extends Pick<RequestInit, 'method' | 'body' | 'signal' | 'redirect'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to an upstream. */
export type UpstreamFetch = (url: string, init?: UpstreamRequestInit) => Promise<UpstreamResponse>;
