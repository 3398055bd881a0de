/**
 * The code that all OpenAI routes share: bearer keys, the error envelope, response headers (OpenAI API reference,
 * "Errors").
 */
import { sse } from '../exchange/encodings.ts';
import { type CompleteReply, jsonResponse, type WireProtocol } from '../exchange/reply.ts';
import { fieldPath, RequestError } from '../exchange/request-error.ts';
import { identifierFrom } from '../model/random.ts';

interface OpenAiError {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

export const envelope = ({
  message,
  type = 'invalid_request_error',
  param = null,
  code = null,
}: OpenAiError) => ({
  error: { message, type, param, code },
});

/** The refusal of a request in exactly this message, at the parameter it names. */
export const rejectionAs = (message: string, param: string | null = null, code: string | null = null) =>
  new RequestError(message, [], { body: envelope({ message, param, code }) });

export const errorResponse = (status: number, error: OpenAiError): CompleteReply =>
  jsonResponse(status, envelope(error));

const SERVER_ERROR: OpenAiError = { message: 'The server had an error.', type: 'server_error' };

/** The types and codes of statuses (OpenAI's guide "Error codes"). */
const FAILURES: Readonly<Record<number, OpenAiError>> = {
  401: { message: 'Incorrect API key provided.', code: 'invalid_api_key' },
  403: { message: 'Country not supported.', code: 'unsupported_country_region_territory' },
  404: { message: 'The model does not exist.', param: 'model', code: 'model_not_found' },
  429: { message: 'Rate limit reached.', type: 'requests', code: 'rate_limit_exceeded' },
  503: { message: 'The engine is currently overloaded.', type: 'server_error' },
};

const CODES = {
  missing: 'missing_required_parameter',
  wrong_type: 'invalid_type',
  invalid: 'invalid_value',
  unknown: 'unknown_parameter',
};

function badRequest({ message, path, reason, status, body }: RequestError): CompleteReply {
  if (body !== undefined) return jsonResponse(status, body);
  if (path.length === 0) return errorResponse(status, { message });
  const param = fieldPath(path);
  return errorResponse(status, { message: `Invalid '${param}': ${message}.`, param, code: CODES[reason] });
}

const REQUEST_ID_LENGTH = 32;
/** OpenAI's limit on a request with images is 50 MB (vision guide). */
const MAX_BODY_BYTES = 50 * 1024 * 1024;

export const openAiProtocol: WireProtocol = {
  encoding: sse,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal: ({ headers: { authorization } }) =>
    typeof authorization === 'string' && /^Bearer +\S/u.test(authorization)
      ? undefined
      : errorResponse(401, { message: "You didn't provide an API key." }),
  badRequest,
  failure(status) {
    const other = status < 500 ? { message: `Status ${status}.` } : SERVER_ERROR;
    return errorResponse(status, FAILURES[status] ?? other);
  },
  failureEvent: () => ({ data: JSON.stringify(envelope(SERVER_ERROR)) }),
  responseHeaders: ({ sequence }) => ({
    'openai-version': '2020-10-01',
    'x-request-id': `req_${identifierFrom(`request ${sequence}`, REQUEST_ID_LENGTH)}`,
  }),
};

/** Takes requests without a key. */
export const openProtocol: WireProtocol = { ...openAiProtocol, refusal: () => undefined };

/** The tier as it was asked for; fast and priority are one (OpenAI API reference, `service_tier`). */
export function usedTier({ service_tier: tier }: { readonly service_tier?: string | null | undefined }) {
  if (tier === 'fast') return 'priority';
  return tier == null || tier === 'auto' ? 'default' : tier;
}
