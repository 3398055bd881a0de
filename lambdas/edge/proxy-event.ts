/** API Gateway's proxy event as a web `Request`, and its path parameters decoded. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { decodeSegment } from './router.ts';

/** What no `Request` may have for a method (Fetch standard, section 2.2.1); passed on under a name that no route has. */
const FORBIDDEN = /^(connect|trace|track)$/i;

/** Builds the request. The host name plays no part in routing, and one that a client made up must not break the URL. */
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
export function pathParametersOf(event: APIGatewayProxyEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, decodeSegment(value ?? '')]),
  );
}

/** Header values are bytes (RFC 9110, section 5.5); what an event holds beyond them is passed as its UTF-8 bytes. */
const toLatin1 = (value: string): string =>
  /[^\0-\xff]/.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value;
