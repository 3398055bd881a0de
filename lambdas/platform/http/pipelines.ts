/**
 * The Lambda host of the API's routes: one pipeline for those that stream, one for those that API Gateway buffers. Each
 * also exposes the wrapped handler, for the shared host.
 */
import { PassThrough, type Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { GATEWAY_SILENCE_SECONDS } from '../contract/limits.ts';
import { type Handler, type HostResponse, silenceOf } from './request-handler.ts';
import { drained, type StreamedBody } from './streamed-response.ts';

/** Our own deadline ends a call in time to settle; middy's early timeout would only cut it short. */
const options = { timeoutEarlyInMillis: 0 };

/**
 * Returns whether this is a Lambda function: its runtime can stream a response. Libraries alone create an empty object
 * of the name.
 */
const isFunction = (): boolean =>
  'streamifyResponse' in ((globalThis as { readonly awslambda?: object }).awslambda ?? {});

function noFunction(): never {
  throw new Error('only the Lambda runtime can call a function that streams');
}

function call(handler: Handler, event: APIGatewayProxyEvent, context: Context): Promise<HostResponse> {
  const request = toRequest(event);
  return handler(request, {
    silenceMs: silenceOf(request.headers, GATEWAY_SILENCE_SECONDS * 1000),
    pathParameters: pathParametersOf(event),
    remainingTimeMs: () => context.getRemainingTimeInMillis(),
    functionRequestId: context.awsRequestId,
  });
}

/** Wraps routes whose integration streams: headers are sent at once, then each write immediately. */
export function streamed(handler: Handler) {
  // The shared host is not a function: it has no means to stream a function's response.
  if (!isFunction()) return Object.assign(() => noFunction(), { respond: handler });
  const pipeline = middy<APIGatewayProxyEvent>({
    ...options,
    executionMode: executionModeStreamifyResponse,
  }).handler(async (event: APIGatewayProxyEvent, context: Context) => {
    const { status, headers, body } = await call(handler, event, context);
    return { statusCode: status, headers, body: typeof body === 'string' ? body : readableOf(body) };
  });
  return Object.assign(pipeline, { respond: handler });
}

/** The body as a stream that the framework sends. It takes a chunk when the last has been read. */
function readableOf(body: StreamedBody): Readable {
  const stream = new PassThrough({
    highWaterMark: 1,
    destroy: (failure, done) => void body.cancel().then(() => done(failure)),
  });
  const write = (chunk: string | Uint8Array) => (stream.write(chunk) ? undefined : drained(stream));
  body.run({ write }).then(
    () => stream.end(),
    (failure: Error) => stream.destroy(failure),
  );
  return stream;
}

/** For routes whose integration buffers. */
export function buffered(handler: Handler) {
  const pipeline = middy<APIGatewayProxyEvent>(options).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      const { status, headers, body } = await call(handler, event, context);
      if (typeof body !== 'string') throw new Error('the route of this endpoint does not stream');
      return { statusCode: status, headers, body };
    },
  );
  return Object.assign(pipeline, { respond: handler });
}

/**
 * The methods that a `Request` may not have (Fetch standard, section 2.2.1). They are passed on under a name that no
 * route has.
 */
const FORBIDDEN = /^(connect|trace|track)$/i;

/**
 * Builds the request. The hostname has no effect on routing, and an invalid one from a client must not break the URL.
 */
export function toRequest(event: APIGatewayProxyEvent): Request {
  const headers = new Headers();
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {})) {
    for (const value of values ?? []) headers.append(name, toLatin1(value));
  }
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) query.append(name, value);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  const hasBody = event.httpMethod !== 'GET' && event.httpMethod !== 'HEAD' && event.body !== null;
  return new Request(`https://localhost${event.path}${search}`, {
    method: FORBIDDEN.test(event.httpMethod) ? `NOT-${event.httpMethod}` : event.httpMethod,
    headers,
    body: hasBody ? bodyOf(event) : null,
  });
}

function bodyOf({ body, isBase64Encoded }: APIGatewayProxyEvent): string | Uint8Array<ArrayBuffer> {
  return isBase64Encoded ? Uint8Array.from(Buffer.from(body ?? '', 'base64')) : (body ?? '');
}

/** Path parameters, decoded: API Gateway passes them as they stood in the URL. */
function pathParametersOf(event: APIGatewayProxyEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, decodeSegment(value ?? '')]),
  );
}

/** Header values are bytes (RFC 9110, section 5.5); what an event holds beyond them is passed as its UTF-8 bytes. */
const toLatin1 = (value: string): string =>
  /[^\0-\xff]/.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value;

/** Percent-decodes a path segment; a malformed one stays unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
