/**
 * The errors that API Gateway and WAF return before a function runs. Their template does not have the surface of the
 * request. The body is therefore both envelopes at once: OpenAI's `error` object with the Messages `type` next to it.
 */

export interface GatewayError {
  /** API Gateway's response type (API Gateway developer guide, gateway response types). */
  readonly responseType: string;
  /** Absent on the two defaults: a status on `DEFAULT_4XX` would overwrite every other 4xx. */
  readonly status?: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** API Gateway fills its template in without rules, so the message cannot name the path that was meant. */
const NO_SUCH_PATH =
  'There is no such path. The base URL of an OpenAI client ends in /v1 (not /api/v1), that of an Anthropic client has no path.';

export const GATEWAY_ERRORS: readonly GatewayError[] = [
  {
    responseType: 'DEFAULT_4XX',
    type: 'invalid_request_error',
    code: 'invalid_value',
    message: 'The request could not be read, or its body is too large.',
  },
  {
    responseType: 'DEFAULT_5XX',
    type: 'api_error',
    code: 'internal_error',
    message: 'The service failed to answer.',
  },
  {
    responseType: 'MISSING_AUTHENTICATION_TOKEN',
    status: 404,
    type: 'not_found_error',
    code: 'unknown_path',
    message: NO_SUCH_PATH,
  },
  {
    responseType: 'RESOURCE_NOT_FOUND',
    status: 404,
    type: 'not_found_error',
    code: 'unknown_path',
    message: NO_SUCH_PATH,
  },
  {
    responseType: 'REQUEST_TOO_LARGE',
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    // API Gateway itself rejects more than 10 MB, and no template applies (developer guide, known issues). The template
    // does not know the path, so the message has the limits of every path.
    message:
      'The request body is too large: at most 6 MB, and for an audio file 4 MB, or 25 MB if the service has an upload ingress.',
  },
  {
    responseType: 'THROTTLED',
    status: 429,
    type: 'rate_limit_error',
    code: 'requests_per_minute',
    message: 'The service is receiving too many requests.',
    retryAfterSeconds: 1,
  },
  {
    // Among what fails before a function runs is Lambda's own 429, when no concurrent execution is left.
    responseType: 'INTEGRATION_FAILURE',
    status: 503,
    type: 'service_unavailable',
    code: 'overloaded',
    message: 'The service is overloaded; retry.',
    retryAfterSeconds: 2,
  },
  {
    responseType: 'INTEGRATION_TIMEOUT',
    status: 503,
    type: 'service_unavailable',
    code: 'all_routes_failed',
    message: 'The service did not answer in time.',
    retryAfterSeconds: 1,
  },
];

/** The WAF response to an address that exceeds its rate. */
export const IP_RATE_ERROR: GatewayError = {
  responseType: 'WAF_FILTERED',
  status: 429,
  type: 'rate_limit_error',
  code: 'ip_requests_per_minute',
  message: 'Too many requests from this address.',
  retryAfterSeconds: 60,
};

/** Returns the body of a gateway error; `requestId` is a template variable or a literal. */
export function gatewayErrorBody(error: GatewayError, requestId?: string): string {
  const { message, type, code } = error;
  const suffix = requestId === undefined ? '' : ` (request id: ${requestId})`;
  return JSON.stringify({
    type: 'error',
    error: { message: `${message}${suffix}`, type, code, param: null },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  });
}
