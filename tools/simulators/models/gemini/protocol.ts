/**
 * The code that all Gemini API routes share: the key, the error envelope, response headers (Google APIs, error model).
 */
import { sse } from '../exchange/encodings.ts';
import { type CompleteReply, jsonResponse, type WireProtocol } from '../exchange/reply.ts';
import { fieldPath } from '../exchange/request-error.ts';

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export const envelope = (code: number, message: string, details?: readonly object[]) => ({
  error: { code, message, status: CODES[code] ?? 'UNKNOWN', details },
});

/** A missing key is forbidden; a wrong one is refused as the request. */
const MISSING_KEY = 'Method does not allow unregistered callers. Please use API Key.';

const refusal: WireProtocol['refusal'] = ({ headers }): CompleteReply | undefined =>
  headers['x-goog-api-key'] ? undefined : jsonResponse(403, envelope(403, MISSING_KEY));

/** Inline requests are at most 20 MB (Gemini API docs, Image understanding). */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

export const geminiProtocol: WireProtocol = {
  encoding: sse,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal,
  badRequest({ status, path, message }) {
    const field = fieldPath(path).replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    const violation = { field, description: message };
    const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }];
    return jsonResponse(status, envelope(status, message, path.length === 0 ? undefined : details));
  },
  failure: (status) => jsonResponse(status, envelope(status, `Status ${status}`)),
  failureEvent: () => ({ data: JSON.stringify(envelope(503, 'The model is overloaded.')) }),
  responseHeaders: () => ({ 'x-gemini-service-tier': 'standard' }),
};
