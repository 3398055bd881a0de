/** Errors as HTTP, in the envelope of the surface that was hit. */
import type { Surface } from '../contract/route.ts';
import type { errorSchema, messagesErrorSchema } from '../core/api/error-body.ts';
import type { Body } from '../core/api/response-schema.ts';
import type { ServiceError } from '../core/errors.ts';

type ErrorBody = Body<ReturnType<typeof errorSchema>> | Body<typeof messagesErrorSchema>;

/** The body of an error; the request id stands at the message's end, where every client shows it. */
export function errorBody(error: ServiceError, surface: Surface, requestId: string): ErrorBody {
  const { type, code, param, details, affordableMaxTokens } = error;
  const message = `${error.message} (request id: ${requestId})`;
  const affordable = affordableMaxTokens === undefined ? {} : { affordable_max_tokens: affordableMaxTokens };
  if (surface === 'messages') {
    const shown = { type, message, ...affordable, ...(details === undefined ? {} : { details }) };
    return { type: 'error', error: shown, request_id: requestId };
  }
  return { error: { message, type, code, param, ...affordable } };
}

export const errorResponse = (error: ServiceError, surface: Surface, requestId: string) => ({
  status: error.status,
  headers: {
    'content-type': 'application/json',
    ...error.headers,
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
  },
  body: JSON.stringify(errorBody(error, surface, requestId)),
});
