/**
 * The code that all Claude API routes share: keys and versions, the error envelope, response headers (its reference,
 * "Errors").
 */
import { sse } from '../exchange/encodings.ts';
import { type CompleteReply, jsonResponse, type RequestHead, type WireProtocol } from '../exchange/reply.ts';
import { identifierFrom } from '../model/random.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const REQUEST_ID_LENGTH = 20;
const requestId = ({ sequence }: RequestHead): string =>
  `req_011C${identifierFrom(`request ${sequence}`, REQUEST_ID_LENGTH)}`;

const envelope = (type: string, message: string, head: RequestHead) => ({
  type: 'error',
  error: { type, message },
  request_id: requestId(head),
});

export function errorResponse(status: number, message: string, head: RequestHead): CompleteReply {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return jsonResponse(status, envelope(type, message, head));
}

/** The versions of the API (reference, "Versions"); the initial one of 2023 had other routes. */
const VERSIONS: readonly unknown[] = ['2023-06-01', '2026-10-21'];

/** The key comes as it is, or as the bearer token that newer clients send. */
function hasKey({ 'x-api-key': key, authorization }: RequestHead['headers']): boolean {
  return Boolean(key) || (typeof authorization === 'string' && /^Bearer +\S/u.test(authorization));
}

function refusal(head: RequestHead): CompleteReply | undefined {
  if (!hasKey(head.headers)) return errorResponse(401, 'x-api-key header is required', head);
  return versionRejection(head);
}

export function versionRejection(head: RequestHead): CompleteReply | undefined {
  if (VERSIONS.includes(head.headers['anthropic-version'])) return undefined;
  return errorResponse(400, 'anthropic-version: header is required and names a valid version', head);
}

/** The limit of the Messages API (reference, "Errors", "Request size limits"). */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export const anthropicProtocol: WireProtocol = {
  encoding: sse,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal,
  badRequest: ({ status, path, message }, head) =>
    errorResponse(status, path.length === 0 ? message : `${path.join('.')}: ${message}`, head),
  failure: (status, head) => errorResponse(status, `Status ${status}`, head),
  failureEvent: (call) => ({
    name: 'error',
    data: JSON.stringify(envelope('overloaded_error', 'Overloaded', call)),
  }),
  responseHeaders: (head) => ({
    'request-id': requestId(head),
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
  }),
};
