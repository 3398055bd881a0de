/** The meaning of an upstream's error by its status: the fault of the caller's request, or of the route. */

import { parseHttpDate, parseRetryAfter } from '../../../platform/core/api/retry-after.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { UpstreamResponse } from '../../../platform/core/ports.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { boundedText } from '../response-bytes.ts';
import { rejectionOfBody } from './rejection.ts';

/** Statuses by which a route reports that the request is at fault, so that no other route would succeed. */
const CALLER_FAULTS: ReadonlySet<number> = new Set([400, 413, 422]);

/** Too Many Requests (RFC 6585, section 4). */
const RATE_LIMITED = 429;

/** An error body is small; more than this is not read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The reading of a protocol's error body. Each function receives the body's JSON, or undefined. */
export interface ErrorReader {
  /** Returns the rejected field under the caller's name for it. */
  readonly paramOf: (body: unknown) => string | undefined;
  /** Returns whether the rejection concerns the route's own account, independent of its status. */
  readonly isRouteFault?: (body: unknown) => boolean;
  /** Returns the wait after a 429, in seconds, if the body contains it and no header does. */
  readonly retryDelayOf?: (body: unknown) => number | undefined;
}

/** Returns the failure for a status. The body is read only for a rejection or a 429. */
export async function toStatusFailure(
  response: UpstreamResponse,
  { paramOf, isRouteFault = () => false, retryDelayOf = () => undefined }: ErrorReader,
): Promise<UpstreamFailure> {
  const { status } = response;
  const inHeader = secondsOf(response.headers.get('retry-after'), response.headers.get('date'));
  const isRead = CALLER_FAULTS.has(status) || status === RATE_LIMITED;
  const body = isRead ? await errorBody(response) : undefined;
  const retryAfterSeconds = inHeader ?? retryDelayOf(body);
  const retryable = !CALLER_FAULTS.has(status) || isRouteFault(body);
  const isExhausted = status === RATE_LIMITED && isQuotaExhausted(body);
  if (retryable) return new UpstreamFailure('status', { status, retryable, retryAfterSeconds, isExhausted });
  return new UpstreamFailure('status', {
    status,
    retryable,
    retryAfterSeconds,
    param: paramOf(body),
    rejection: rejectionOfBody(status, body),
  });
}

/**
 * Returns the time until the route accepts requests again, in whole seconds and at least one; undefined if the route
 * does not report it. A date is relative to the response's own `Date`, whatever the local clock shows.
 */
export function secondsOf(retryAfter: unknown, date: unknown): number | undefined {
  if (typeof retryAfter !== 'string') return undefined;
  const nowMs = (typeof date === 'string' ? parseHttpDate(date) : undefined) ?? Date.now();
  const ms = parseRetryAfter(retryAfter.trim(), nowMs);
  return ms === undefined ? undefined : Math.max(1, Math.ceil(ms / 1000));
}

async function errorBody(response: UpstreamResponse): Promise<unknown> {
  try {
    return JSON.parse(await boundedText(response, MAX_ERROR_BYTES));
  } catch {
    return undefined;
  }
}

/**
 * Types and codes of an exhausted account (OpenAI docs, Error codes; Moonshot AI docs, Errors; Claude API docs, Rate
 * limits). What Gemini and Bedrock call a quota may be one of a minute, so theirs is a limit like any other.
 */
const EXHAUSTED: ReadonlySet<unknown> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'exceeded_current_quota_error',
  'enforced_spend_limit_reached',
]);

/** Returns whether the error in a body reports an exhausted quota. */
export function isQuotaExhausted(body: unknown): boolean {
  const error = isJsonObject(body) ? body.error : undefined;
  return isJsonObject(error) && (EXHAUSTED.has(error.type) || EXHAUSTED.has(error.code));
}
