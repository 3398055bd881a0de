/**
 * The rejections of hosts, each with its own type of body. None of them is OpenAI's alone, so that a client meets the
 * bodies of compatible servers.
 */
import { RequestError } from '../exchange/request-error.ts';

/** The rejected field, as a path with dots, and the reason. */
export interface FieldRejection {
  readonly field: string;
  readonly reason: string;
}

type Write = (rejection: FieldRejection) => { readonly status: number; readonly body: unknown };

/** The envelope of OpenAI, which most compatible servers share (OpenAI API reference, "Errors"). */
const openai: Write = ({ field, reason }) => ({
  status: 400,
  body: {
    error: {
      message: `${reason}: ${field}`,
      type: 'invalid_request_error',
      param: field,
      code: 'unsupported_parameter',
    },
  },
});

/** A list of places and messages, as FastAPI writes it (FastAPI docs, "Handling Errors"). */
const locationError: Write = ({ field, reason }) => ({
  status: 422,
  body: { detail: [{ type: 'value_error', loc: ['body', ...field.split('.')], msg: reason }] },
});

/** The same fields without an envelope, as vLLM had it (vLLM, `ErrorResponse` of its OpenAI server). */
const bare: Write = ({ field, reason }) => ({
  status: 400,
  body: { object: 'error', message: `${reason} (${field})`, type: 'BadRequestError', param: null, code: 400 },
});

/** A text as the error (xAI API reference, "Error codes"). */
const text: Write = ({ field, reason }) => ({
  status: 400,
  body: { code: 'Client specified an invalid argument', error: `${reason}: ${field}` },
});

/** A list of one error with a status by name (Google API design guide, "Errors"). */
const google: Write = ({ field, reason }) => ({
  status: 400,
  body: [{ error: { code: 400, message: `${reason}: ${field}`, status: 'INVALID_ARGUMENT' } }],
});

const ENVELOPES = { openai, places: locationError, bare, text, google } as const;
export type Envelope = keyof typeof ENVELOPES;

/** The refusal in a host's envelope. */
export function rejectionOf(rejection: FieldRejection, envelope: Envelope): RequestError {
  const { status, body } = ENVELOPES[envelope](rejection);
  return new RequestError(rejection.reason, [], { status, body });
}
