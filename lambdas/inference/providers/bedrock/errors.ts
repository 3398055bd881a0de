/** Errors of Bedrock and of its client: is the route at fault, or the request (Amazon Bedrock API reference, Converse, Errors)? */
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { rejectionOf } from '../rejections/rejection.ts';
import { secondsOf } from '../rejections/status-failure.ts';

/** Statuses of the errors that a stream brings as events (Amazon Bedrock API reference, ConverseStreamOutput). */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ['ValidationException', 400],
  ['ModelTimeoutException', 408],
  ['ModelStreamErrorException', 424],
  ['ThrottlingException', 429],
  ['InternalServerException', 500],
  ['ServiceUnavailableException', 503],
]);

/**
 * Texts of a failed validation that concern the route. Bedrock reports one also for a model that is unknown or not
 * available here, or lacks a feature, and for a guardrail that its region does not have. Another route may have it. The
 * text is read only for this check.
 */
const ABOUT_THE_ROUTE =
  /(model|guardrail) identifier|on-demand throughput|(doesn.t|does not) support|not (supported|available|allowed)|for this model/i;

/** Errors of the credential lookup, which precedes the request (AWS SDK for JavaScript, credential providers). */
const NO_CREDENTIALS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);

interface ClientError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
  readonly $response?: { readonly headers?: Readonly<Record<string, unknown>> };
}

/** Returns the failure for an error in place of a response. An aborted call ends with the signal's own reason. */
export function toFailure(thrown: unknown, signal: AbortSignal): UpstreamFailure {
  if (thrown instanceof UpstreamFailure) return thrown;
  if (signal.aborted && signal.reason instanceof UpstreamFailure) return signal.reason;
  const error = Object(thrown) as ClientError;
  const status = statusOf(error);
  if (status !== undefined) return toStatusFailure(error, status);
  if (NO_CREDENTIALS.has(String(error.name))) return new UpstreamFailure('secret', { cause: thrown });
  // The response started, but was interrupted or invalid.
  if (error.$response !== undefined)
    return new UpstreamFailure(typeof error.code === 'string' ? 'interrupted' : 'protocol');
  return new UpstreamFailure('connection', { cause: thrown });
}

/** Returns the failure for an error while a stream was read. Its text may be the upstream's, so it is not stored. */
export function toInterruption(thrown: unknown, signal: AbortSignal): UpstreamFailure {
  const isKnown = thrown instanceof UpstreamFailure || statusOf(Object(thrown)) !== undefined;
  return isKnown || signal.aborted ? toFailure(thrown, signal) : new UpstreamFailure('interrupted');
}

function statusOf({ name, $metadata }: ClientError): number | undefined {
  const status = $metadata?.httpStatusCode;
  // An error within a stream comes under the status of the stream.
  if (typeof status === 'number' && status >= 300) return status;
  return STATUSES.get(name);
}

function toStatusFailure({ name, message, $response }: ClientError, status: number): UpstreamFailure {
  const isRejected = name === 'ValidationException' && !ABOUT_THE_ROUTE.test(String(message));
  const retryable = !isRejected && status !== 413 && status !== 422;
  return new UpstreamFailure('status', {
    status,
    retryable,
    rejection: retryable ? undefined : rejectionOf(status, message),
    retryAfterSeconds: secondsOf($response?.headers?.['retry-after'], $response?.headers?.date),
  });
}
