/**
 * The code that all Bedrock Runtime routes share: signatures, the error envelope, response headers (its API reference,
 * "Common Errors").
 */
import { eventStream } from '../exchange/encodings.ts';
import { type CompleteReply, jsonResponse, type RequestHead, type WireProtocol } from '../exchange/reply.ts';
import type { FieldPath } from '../exchange/request-error.ts';
import { signatureError } from './signature.ts';

/** The error types of statuses (API reference, "Converse", "Errors"). */
const TYPES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  413: 'RequestEntityTooLargeException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

/** The name comes with the address of a type, which clients cut off. */
const TYPE_SUFFIX = ':http://internal.amazon.com/coral/com.amazon.bedrock/';

/** An error as AWS's REST services with JSON name it. */
export const errorResponse = (status: number, type: string, message: string): CompleteReply =>
  jsonResponse(status, { message }, { 'x-amzn-errortype': `${type}${TYPE_SUFFIX}` });

/** `messages.1.member.content.2.member.text`: members of lists count from one. */
const locationOf = (path: FieldPath): string =>
  path.map((key) => (typeof key === 'number' ? `${key + 1}.member` : String(key))).join('.');

/** Returns the check of an AWS service, which rejects a request that is not signed for it. */
export const signedFor =
  (service: string) =>
  (head: RequestHead): CompleteReply | undefined => {
    const type = signatureError(head, service);
    return type === undefined
      ? undefined
      : errorResponse(403, type, 'The request is not signed as it must be.');
  };

export const responseHeaders = ({ sequence }: RequestHead): Record<string, string> => ({
  'x-amzn-requestid': `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`,
});

/** The quota on a request to a model is 25 MB (Bedrock API reference, "InvokeModel"). */
const MAX_BODY_BYTES = 25_000_000;

export const bedrockProtocol: WireProtocol = {
  encoding: eventStream,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal: signedFor('bedrock'),
  badRequest({ status, path, message, reason }) {
    const type = reason === 'wrong_type' ? 'SerializationException' : 'ValidationException';
    const location = path.length === 0 ? '' : ` at '${locationOf(path)}'`;
    return errorResponse(status, type, `1 validation error detected${location}: ${message}`);
  },
  failure(status) {
    const type = TYPES[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException');
    return errorResponse(status, type, `Status ${status}.`);
  },
  failureEvent: () => ({
    name: 'modelStreamErrorException',
    data: JSON.stringify({ message: 'The model encountered an unexpected error.' }),
  }),
  responseHeaders,
};
