/** What all Claude API routes share: keys and versions, the error envelope, response headers (its reference, "Errors"). */
import { jsonReply, type Protocol, type RequestHead, type WholeReply, withNote } from '../exchange/reply.ts';
import { sse } from '../exchange/sse.ts';
import { identifierFrom } from '../model/random.ts';

/** The types of errors, by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** How the API words each status that a fault can ask for. */
const FAILURES: Readonly<Record<number, string>> = {
  400: 'There was an issue with the format or content of your request.',
  401: 'invalid x-api-key',
  402: 'There is an issue with your billing or payment information.',
  403: 'Your API key does not have permission to use the specified resource.',
  404: 'The requested resource could not be found.',
  413: 'Request exceeds the maximum size',
  429: "This request would exceed your organization's rate limit.",
  500: 'Internal server error',
  504: 'Request timed out',
  529: 'Overloaded',
};

const REJECTIONS = { 404: 'Not Found', 405: 'Method Not Allowed', 413: 'Request exceeds the maximum size' };

const REQUEST_ID_LENGTH = 20;
const requestId = ({ sequence }: RequestHead): string =>
  `req_011C${identifierFrom(`request ${sequence}`, REQUEST_ID_LENGTH)}`;

const envelope = (type: string, message: string, head: RequestHead) => ({
  type: 'error',
  error: { type, message },
  request_id: requestId(head),
});

/** An error response in the API's envelope. */
export function errorReply(status: number, message: string, head: RequestHead): WholeReply {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return jsonReply(status, envelope(type, message, head));
}

/** The versions of the API (reference, "Versions"); the initial one of 2023 had other routes. */
const VERSIONS = ['2023-06-01', '2026-10-21'] as const;
export type ApiVersion = (typeof VERSIONS)[number];

/** The version a request asks for; undefined when there is none of that name. */
export const versionOf = ({ headers }: RequestHead): ApiVersion | undefined =>
  VERSIONS.find((version) => version === headers['anthropic-version']);

/** The key comes as it is, or as the bearer token that newer clients send. */
function hasKey({ 'x-api-key': key, authorization }: RequestHead['headers']): boolean {
  return Boolean(key) || (typeof authorization === 'string' && /^Bearer +\S/u.test(authorization));
}

function refusal(head: RequestHead): WholeReply | undefined {
  if (!hasKey(head.headers)) return errorReply(401, 'x-api-key header is required', head);
  const version = head.headers['anthropic-version'];
  if (version === undefined) return errorReply(400, 'anthropic-version: header is required', head);
  if (versionOf(head) !== undefined) return undefined;
  return errorReply(400, `anthropic-version: "${String(version)}" is not a valid version`, head);
}

/** The limit of the Messages API (reference, "Errors", "Request size limits"). */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export const anthropicProtocol: Protocol = {
  encoding: sse,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal,
  rejection: (status, head) => errorReply(status, REJECTIONS[status], head),
  failure: (status, note, head) =>
    errorReply(status, withNote(FAILURES[status] ?? `Status ${status}`, note), head),
  failureEvent: (note, call) => ({
    name: 'error',
    data: JSON.stringify(
      envelope(call.fault.error_event_type ?? 'overloaded_error', withNote('Overloaded', note), call),
    ),
    part: 'end',
    failure: true,
  }),
  responseHeaders: (head) => ({
    'request-id': requestId(head),
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
  }),
};
