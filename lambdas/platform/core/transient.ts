/** The transient failures of requests to AWS. */

/** Errors, and reasons of a cancelled transaction, that say that nothing was done: a throttle, or another write to the item. */
const THROTTLE_OR_CONFLICT =
  /^(Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict)/;

interface AwsFailure {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** The reasons of a canceled transaction, one for each of its items. */
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Returns whether the service has certainly done nothing, and may do it if the request is sent again. */
export function isSafeToRetry(failure: unknown): boolean {
  const { name = '', CancellationReasons: reasons = [] } = Object(failure) as AwsFailure;
  const codes = reasons.map(({ Code: code = '' }) => code);
  const isThrottleOrConflict = [name, ...codes].some((code) => THROTTLE_OR_CONFLICT.test(code));
  return isThrottleOrConflict && !codes.includes('ConditionalCheckFailed');
}

/**
 * Returns undefined for a temporary failure that the database reports, so that the caller uses another method. Throws
 * any other failure.
 */
export function throwUnlessSafeToRetry(failure: unknown): undefined {
  if (!isSafeToRetry(failure)) throw failure;
}

/**
 * Returns whether a request to AWS failed in a transient way: throttled, without a response, or failed on their side.
 * The request may have been executed. Every error of an AWS SDK has `$metadata`, without a status if no response
 * arrived.
 */
export function isTransient(failure: unknown): boolean {
  const { $metadata: metadata } = Object(failure) as AwsFailure;
  if (metadata === undefined) return false;
  const { httpStatusCode: status = 503 } = metadata;
  return status >= 500 || isSafeToRetry(failure);
}
