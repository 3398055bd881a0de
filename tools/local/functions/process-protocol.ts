/**
 * The protocol between the runtime and a function's process: one POST per invocation, with the response bytes as they
 * are written.
 */

/** Request: the invocation's id. */
export const REQUEST_ID_HEADER = 'x-function-request-id';

/** Request: when the function's time is up, epoch milliseconds. */
export const DEADLINE_HEADER = 'x-function-deadline-ms';

/** Response: present when the handler failed before its first byte; the body is a `FunctionFailure`. */
export const FAILURE_HEADER = 'x-function-failure';

/** Lambda's error document (Lambda developer guide, Node.js errors). */
export interface FunctionFailure {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** First message of a process: it listens, or its handler could not be loaded. */
export type ProcessReport = { readonly port: number } | { readonly failure: FunctionFailure };

/** Environment of a process, beside Lambda's own variables. */
export const FUNCTION_ARN_VARIABLE = 'LOCAL_FUNCTION_ARN';

export function describeFailure(failure: unknown): FunctionFailure {
  if (!(failure instanceof Error)) return { errorType: 'Error', errorMessage: String(failure) };
  return { errorType: failure.name, errorMessage: failure.message };
}
