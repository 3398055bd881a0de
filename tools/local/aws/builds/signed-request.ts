/**
 * Verifies signatures of S3 requests, in the headers or in the query. Source: Amazon S3 API reference, "Authenticating
 * Requests (AWS Signature Version 4)".
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { REGION } from '../../assembly/intrinsics.ts';

/** Every caller of the local runtime signs with this key; the access key id states the role. */
export const LOCAL_SECRET = 'local';

export interface S3Request {
  readonly method: string;
  /** The path and the query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export type Verification =
  | { readonly accessKeyId: string; readonly signedHeaders: readonly string[]; readonly payloadHash: string }
  | { readonly code: 'AccessDenied' | 'SignatureDoesNotMatch' | 'AuthorizationQueryParametersError' };

const MAX_EXPIRES = 604_800;
const CLOCK_SKEW_MS = 900_000;

/** Returns who signed the request, or the code of the error. A secret differs for the operator's own tools. */
export function verifySignature(request: S3Request, nowMs: number): Verification {
  const [path = '', search = ''] = request.url.split('?');
  const query = new URLSearchParams(search);
  const isPresigned = query.has('X-Amz-Signature');
  const fields = isPresigned ? fieldsOfQuery(query) : fieldsOfHeader(request.headers.authorization ?? '');
  if (fields === undefined) return { code: 'AccessDenied' };
  const { credential, signedHeaders, signature } = fields;
  const time = isPresigned ? query.get('X-Amz-Date') : request.headers['x-amz-date'];
  const [accessKeyId = '', day = '', region, service, end] = credential.split('/');
  if (typeof time !== 'string' || region !== REGION || service !== 's3' || end !== 'aws4_request')
    return { code: 'AuthorizationQueryParametersError' };
  const signedMs = Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const expires = isPresigned ? Number(query.get('X-Amz-Expires')) : CLOCK_SKEW_MS / 1000;
  if (!(expires >= 1 && expires <= MAX_EXPIRES) || !time.startsWith(day))
    return { code: 'AuthorizationQueryParametersError' };
  if (!(signedMs - CLOCK_SKEW_MS <= nowMs && nowMs <= signedMs + expires * 1000))
    return { code: 'AccessDenied' };
  // A header that S3 evaluates must be signed: `host`, and all of `x-amz-`.
  const required = ['host', ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))];
  if (!required.every((name) => signedHeaders.includes(name))) return { code: 'AccessDenied' };
  const payloadHash = isPresigned ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256']);
  query.delete('X-Amz-Signature');
  const canonical = [
    request.method,
    path,
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
  const scope = [day, region, service, end].join('/');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const secret = accessKeyId === 'local-admin' ? accessKeyId : LOCAL_SECRET;
  const key = [day, region, service, end].reduce<Buffer | string>(
    (from, step) => createHmac('sha256', from).update(step).digest(),
    `AWS4${secret}`,
  );
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(signature, 'hex');
  const isValid = given.length === expected.length && timingSafeEqual(given, expected);
  return isValid ? { accessKeyId, signedHeaders, payloadHash } : { code: 'SignatureDoesNotMatch' };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface SignatureFields {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

function fieldsOfQuery(query: URLSearchParams): SignatureFields | undefined {
  if (query.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return undefined;
  return {
    credential: query.get('X-Amz-Credential') ?? '',
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
  };
}

function fieldsOfHeader(authorization: string): SignatureFields | undefined {
  const [, credential, headers, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      authorization,
    ) ?? [];
  if (credential === undefined || headers === undefined || signature === undefined) return undefined;
  return { credential, signedHeaders: headers.split(';'), signature };
}

/** RFC 3986: the unreserved characters stay. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
