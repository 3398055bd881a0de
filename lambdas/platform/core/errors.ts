/** The one catalog of errors that a caller can receive: code, status, type. Only the edge converts an error to HTTP. */
import { isTransient } from './transient.ts';

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'api_error'
  | 'service_unavailable';

interface ErrorClass {
  readonly status: number;
  readonly type: ErrorType;
}

const request = (status: number): ErrorClass => ({ status, type: 'invalid_request_error' });

export const ERROR_CODES = {
  invalid_json: request(400),
  missing_field: request(400),
  invalid_value: request(400),
  unsupported_media_type: request(400),
  file_too_large: request(400),
  unsupported_file_type: request(400),
  model_not_found: request(400),
  unsupported_by_model: request(400),
  unpriced_feature: request(400),
  prompt_too_long: request(400),
  context_length_exceeded: request(400),
  content_filter: request(400),
  invalid_capsule: request(400),
  state_not_kept: request(400),
  idempotency_key_reused: request(400),
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  missing_session: { status: 401, type: 'authentication_error' },
  invalid_session: { status: 401, type: 'authentication_error' },
  invalid_token: { status: 401, type: 'authentication_error' },
  invalid_signature: { status: 401, type: 'authentication_error' },
  insufficient_credit: { status: 402, type: 'billing_error' },
  insufficient_earnings: { status: 402, type: 'billing_error' },
  daily_usd_exceeded: { status: 402, type: 'billing_error' },
  monthly_usd_exceeded: { status: 402, type: 'billing_error' },
  model_not_allowed: { status: 403, type: 'permission_error' },
  kind_not_allowed: { status: 403, type: 'permission_error' },
  not_owner: { status: 403, type: 'permission_error' },
  not_customer: { status: 403, type: 'permission_error' },
  builds_disabled: { status: 403, type: 'permission_error' },
  build_quarantined: { status: 403, type: 'permission_error' },
  payouts_disabled: { status: 403, type: 'permission_error' },
  operator_only: { status: 403, type: 'permission_error' },
  unknown_path: { status: 404, type: 'not_found_error' },
  not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: request(405),
  conflict: { status: 409, type: 'conflict_error' },
  price_changed: { status: 409, type: 'conflict_error' },
  already_subscribed: { status: 409, type: 'conflict_error' },
  subscription_only: { status: 409, type: 'conflict_error' },
  upgrade_unfinished: { status: 409, type: 'conflict_error' },
  request_too_large: request(413),
  websocket_unsupported: request(426),
  requests_per_minute: { status: 429, type: 'rate_limit_error' },
  tokens_per_minute: { status: 429, type: 'rate_limit_error' },
  body_quota: { status: 429, type: 'rate_limit_error' },
  key_quota: { status: 429, type: 'rate_limit_error' },
  listing_quota: { status: 429, type: 'rate_limit_error' },
  release_quota: { status: 429, type: 'rate_limit_error' },
  install_quota: { status: 429, type: 'rate_limit_error' },
  review_quota: { status: 429, type: 'rate_limit_error' },
  purchase_quota: { status: 429, type: 'rate_limit_error' },
  earnings_quota: { status: 429, type: 'rate_limit_error' },
  subscription_quota: { status: 429, type: 'rate_limit_error' },
  build_quota: { status: 429, type: 'rate_limit_error' },
  order_quota: { status: 429, type: 'rate_limit_error' },
  webhook_quota: { status: 429, type: 'rate_limit_error' },
  session_quota: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  all_routes_failed: { status: 503, type: 'service_unavailable' },
  overloaded: { status: 503, type: 'service_unavailable' },
  maintenance: { status: 503, type: 'service_unavailable' },
  outdated_version: { status: 503, type: 'service_unavailable' },
  idempotent_request_in_progress: { status: 503, type: 'service_unavailable' },
  identity_provider_unavailable: { status: 503, type: 'service_unavailable' },
  payment_provider_unavailable: { status: 503, type: 'service_unavailable' },
} as const satisfies Record<string, ErrorClass>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ServiceErrorOptions {
  /** The offending field as a path, for example `messages[2].content`. */
  readonly param?: string;
  /** Whole seconds after which a retry may succeed; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Further response headers, such as the rate limits. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Machine-readable fields in addition to the message, in the Messages envelope only. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** The largest smaller output with which the call would be admitted, tokens. */
  readonly affordableMaxTokens?: number;
  readonly cause?: unknown;
}

/** An error meant for the caller: its message is public, its cause is not. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly affordableMaxTokens: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.type = ERROR_CODES[code].type;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
    this.details = options.details;
    this.affordableMaxTokens = options.affordableMaxTokens;
  }

  /** The same error with more response headers. */
  withHeaders(headers: Readonly<Record<string, string>>): ServiceError {
    return this.#with({ headers: { ...this.headers, ...headers } });
  }

  /** The same error for a call that would be admitted with so much less output, tokens. */
  withAffordable(maxTokens: number): ServiceError {
    return this.#with({ affordableMaxTokens: maxTokens });
  }

  #with(options: ServiceErrorOptions): ServiceError {
    const { param, retryAfterSeconds, headers, details, cause, affordableMaxTokens } = this;
    return new ServiceError(this.code, this.message, {
      ...(param === null ? {} : { param }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(affordableMaxTokens === undefined ? {} : { affordableMaxTokens }),
      headers,
      details,
      cause,
      ...options,
    });
  }
}

/** Contention on an item and a throttle pass within a second or two. */
const OVERLOAD_SECONDS = 2;

/** The service cannot serve the request now, and a retry may succeed. */
export const overloaded = (message = 'The service is overloaded; retry.', cause?: unknown): ServiceError =>
  new ServiceError('overloaded', message, { retryAfterSeconds: OVERLOAD_SECONDS, cause });

/**
 * Returns the error that a caller receives: a `ServiceError` unchanged, a transient failure as 503, anything else as an
 * internal error.
 */
export function toServiceError(failure: unknown): ServiceError {
  if (failure instanceof ServiceError) return failure;
  if (isTransient(failure)) return overloaded(undefined, failure);
  return new ServiceError('internal_error', 'The service failed to answer this request.', { cause: failure });
}

/** Returns the message to its queue without counting a failure: what it waits for is in flight elsewhere. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
}

/** The caller left before its request was complete, and receives no response. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
}
