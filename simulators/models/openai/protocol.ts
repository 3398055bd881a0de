/** What all OpenAI routes share: bearer keys, the error envelope, response headers (OpenAI API reference, "Errors"). */

import { jsonReply, type Protocol, type RequestHead, type WholeReply, withNote } from '../exchange/reply.ts';
import { sse } from '../exchange/sse.ts';
import { identifierFrom } from '../model/random.ts';

export interface OpenAiError {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** What OpenAI says of a body that is not JSON. */
export const NOT_JSON =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
  'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)';

const envelope = ({ message, type = 'invalid_request_error', param = null, code = null }: OpenAiError) => ({
  error: { message, type, param, code },
});

/** An error response in OpenAI's envelope. */
export const errorReply = (status: number, error: OpenAiError): WholeReply =>
  jsonReply(status, envelope(error));

const SERVER_ERROR: OpenAiError = {
  message: 'The server had an error while processing your request. Sorry about that!',
  type: 'server_error',
};

/** How OpenAI words each status (its guide "Error codes"). */
const FAILURES: Readonly<Record<number, OpenAiError>> = {
  400: { message: 'Your request was malformed.' },
  401: { message: 'Incorrect API key provided.', code: 'invalid_api_key' },
  403: {
    message: 'You are not allowed to sample from this model.',
    code: 'unsupported_country_region_territory',
  },
  404: {
    message: 'The model does not exist or you do not have access to it.',
    param: 'model',
    code: 'model_not_found',
  },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  500: SERVER_ERROR,
  503: { message: 'The engine is currently overloaded, please try again later.', type: 'server_error' },
};

const noted = (error: OpenAiError, note: string): OpenAiError => ({
  ...error,
  message: withNote(error.message, note),
});

/** What OpenAI says where no route answers. */
const REJECTIONS: Readonly<Record<404 | 405 | 413, (head: RequestHead) => string>> = {
  404: ({ method, path }) => `Invalid URL (${method} ${path})`,
  405: ({ method, path }) =>
    `Not allowed to ${method} on ${path}. ` +
    '(HINT: Perhaps you meant to make your HTTP request using a different method?)',
  413: () => 'Request too large.',
};

const KEY_MISSING =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
  '(i.e. Authorization: Bearer YOUR_KEY).';

const REQUEST_ID_LENGTH = 32;
/** OpenAI's limit on a request with images is 50 MB (vision guide). */
const MAX_BODY_BYTES = 50 * 1024 * 1024;

export const openAiProtocol: Protocol = {
  encoding: sse,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal: ({ headers: { authorization } }) =>
    typeof authorization === 'string' && /^Bearer +\S/u.test(authorization)
      ? undefined
      : errorReply(401, { message: KEY_MISSING }),
  rejection: (status, head) => errorReply(status, { message: REJECTIONS[status](head) }),
  failure: (status, note) =>
    errorReply(
      status,
      noted(FAILURES[status] ?? (status < 500 ? { message: `Status ${status}.` } : SERVER_ERROR), note),
    ),
  failureEvent: (note, { fault }) => ({
    data: JSON.stringify(
      envelope({ ...noted(SERVER_ERROR, note), type: fault.error_event_type ?? 'server_error' }),
    ),
    part: 'end',
    failure: true,
  }),
  responseHeaders: ({ sequence }) => ({
    'openai-version': '2020-10-01',
    'x-request-id': `req_${identifierFrom(`request ${sequence}`, REQUEST_ID_LENGTH)}`,
  }),
};
