/** A 429 whose reason is money and not the rate of requests: only the operator can end it. */
import { isJsonObject } from '../../core/json/lossless-json.ts';

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

/** Whether the error in a body says so. */
export function isQuotaExhausted(body: unknown): boolean {
  const error = isJsonObject(body) ? body.error : undefined;
  return isJsonObject(error) && (EXHAUSTED.has(error.type) || EXHAUSTED.has(error.code));
}
