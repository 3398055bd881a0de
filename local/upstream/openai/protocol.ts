/** What all OpenAI routes share: bearer keys, the error envelope, response headers (OpenAI API reference, "Errors"). */

import { jsonReply, type Protocol, type WholeReply } from '../exchange/reply.ts';
import { identifierFrom } from '../model/random.ts';

export interface OpenAiError {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

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

function withNote(error: OpenAiError, note: string): OpenAiError {
  return note === '' ? error : { ...error, message: `${error.message} (${note})` };
}

const KEY_MISSING =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
  '(i.e. Authorization: Bearer YOUR_KEY).';

const REQUEST_ID_LENGTH = 32;

export const openAiProtocol: Protocol = {
  refusal: ({ authorization }) =>
    typeof authorization === 'string' && /^Bearer +\S/u.test(authorization)
      ? undefined
      : errorReply(401, { message: KEY_MISSING }),
  failure: (status, note) =>
    errorReply(
      status,
      withNote(FAILURES[status] ?? (status < 500 ? { message: `Status ${status}.` } : SERVER_ERROR), note),
    ),
  failureEvent: (note) => ({ data: JSON.stringify(envelope(withNote(SERVER_ERROR, note))), part: 'end' }),
  responseHeaders: (sequence) => ({
    'openai-version': '2020-10-01',
    'x-request-id': `req_${identifierFrom(`request ${sequence}`, REQUEST_ID_LENGTH)}`,
  }),
};
