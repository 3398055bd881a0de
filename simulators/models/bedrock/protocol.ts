/** What all Bedrock Runtime routes share: signatures, the error envelope, response headers (its API reference, "Common Errors"). */
import { eventStream } from '../exchange/event-stream.ts';
import { jsonReply, type Protocol, type RequestHead, type WholeReply, withNote } from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { signatureError } from './signature.ts';
import type { AwsError } from './validation-error.ts';

/** How the service names and words each status (API reference, "Converse", "Errors"). */
const FAILURES: Readonly<Record<number, AwsError>> = {
  400: { type: 'ValidationException', message: 'The input fails to satisfy the constraints.' },
  403: { type: 'AccessDeniedException', message: "You don't have access to the model." },
  404: { type: 'ResourceNotFoundException', message: 'Could not resolve the foundation model.' },
  408: { type: 'ModelTimeoutException', message: 'Model has timed out in processing the request.' },
  413: { type: 'RequestEntityTooLargeException', message: 'The request is too large.' },
  424: { type: 'ModelErrorException', message: 'The model encountered an error. Try your request again.' },
  429: { type: 'ThrottlingException', message: 'Too many requests, please wait before trying again.' },
  500: { type: 'InternalServerException', message: 'The system encountered an unexpected error.' },
  503: { type: 'ServiceUnavailableException', message: 'Bedrock is unable to process your request.' },
};

const REJECTIONS: Readonly<Record<404 | 405 | 413, AwsError>> = {
  404: { type: 'UnknownOperationException', message: 'Unknown operation' },
  405: { type: 'UnknownOperationException', message: 'Unknown operation' },
  413: { type: 'RequestEntityTooLargeException', message: 'The request is too large.' },
};

/** The name comes with the address of a type, which clients cut off. */
const TYPE_SUFFIX = ':http://internal.amazon.com/coral/com.amazon.bedrock/';

/** An error response: the message in the body, its type in a header. */
export const errorReply = (status: number, { type, message }: AwsError): WholeReply =>
  jsonReply(status, { message }, { 'x-amzn-errortype': `${type}${TYPE_SUFFIX}` });

function failureOf(status: number): AwsError {
  const known = FAILURES[status];
  if (known !== undefined) return known;
  const type = status < 500 ? 'ValidationException' : 'InternalServerException';
  return { type, message: `Status ${status}.` };
}

function refusal(head: RequestHead): WholeReply | undefined {
  const error = signatureError(head);
  return error === undefined ? undefined : errorReply(403, error);
}

const responseHeaders = ({ sequence }: RequestHead): Record<string, string> => ({
  'x-amzn-requestid': `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`,
});

/** The quota on a request to a model is 25 MB (Bedrock API reference, "InvokeModel"). */
const MAX_BODY_BYTES = 25_000_000;

const STREAM_FAILURE = 'The model encountered an unexpected error while streaming the response. Try again.';

export const bedrockProtocol: Protocol = {
  encoding: eventStream,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal,
  rejection: (status) => errorReply(status, REJECTIONS[status]),
  failure: (status, note) => {
    const { type, message } = failureOf(status);
    return errorReply(status, { type, message: withNote(message, note) });
  },
  failureEvent: (note, { fault }) => ({
    name: fault.error_event_type ?? 'modelStreamErrorException',
    data: JSON.stringify({ message: withNote(STREAM_FAILURE, note) }),
    part: 'end',
    failure: true,
  }),
  responseHeaders,
};

/** OpenAI's wire format as Bedrock serves it, to signed requests. */
export const bedrockOpenAiProtocol: Protocol = { ...openAiProtocol, refusal, responseHeaders };
