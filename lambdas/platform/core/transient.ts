/** Which failures of a request to AWS pass by themselves. */

/** Errors, and reasons of a cancelled transaction, that say that nothing was done: a throttle, or another write to the item. */
const REFUSAL = /^(Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionConflict)/;

interface AwsFailure {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Of a cancelled transaction, one for each of its items. */
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

/** Whether the service has certainly done nothing, and may do it when it is sent again. */
export function isRefusal(failure: unknown): boolean {
  const { name = '', CancellationReasons: reasons = [] } = Object(failure) as AwsFailure;
  const codes = reasons.map(({ Code: code = '' }) => code);
  const wasRefused = [name, ...codes].some((code) => REFUSAL.test(code));
  return wasRefused && !codes.includes('ConditionalCheckFailed');
}

/**
 * Whether a request to AWS failed in a way that passes: refused, not answered, or failed on their side. It may have been
 * done. Every error of an AWS SDK carries `$metadata`, without a status when no answer came.
 */
export function isTransient(failure: unknown): boolean {
  const { $metadata: metadata } = Object(failure) as AwsFailure;
  if (metadata === undefined) return false;
  const { httpStatusCode: status = 503 } = metadata;
  return status >= 500 || isRefusal(failure);
}
