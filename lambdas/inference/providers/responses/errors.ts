/**
 * The meaning of the error within a response of the Responses protocol. A response with another status is read as in
 * chat completions.
 */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { rejectionOfBody } from '../rejections/rejection.ts';
import { isQuotaExhausted } from '../rejections/status-failure.ts';

/** Codes by which the request itself is at fault (OpenAI API reference, The response object, `error.code`; Azure's filter). */
const CALLER_FAULT =
  /^(invalid_prompt|content_filter|.*_policy|.*image.*|unsupported_.*|context_length_exceeded)$/;

/** Returns the failure that the `error` of a response, or of an event, means. */
export function failureOf(error: unknown): UpstreamFailure {
  const code = isJsonObject(error) ? String(error.code) : '';
  if (CALLER_FAULT.test(code))
    return new UpstreamFailure('status', {
      status: 400,
      retryable: false,
      rejection: rejectionOfBody(400, { error }),
    });
  const isExhausted = isQuotaExhausted({ error });
  if (isExhausted || code === 'rate_limit_exceeded')
    return new UpstreamFailure('status', { status: 429, isExhausted });
  return new UpstreamFailure('interrupted');
}
