/** The quotas of an account, and the errors beyond them. */
import { type ErrorCode, ServiceError } from '../errors.ts';

/**
 * The quotas of one account and of one listing. A request beyond a quota is rejected with 429. They are well above what
 * a person needs. They are low enough that no caller fills a table, a search index or the payment provider's records.
 */
export const QUOTAS = {
  /** One request to the database reads this many. */
  api_keys_per_account: 100,
  listings_per_account: 100,
  webhooks_per_account: 100,
  /** Sessions that have not ended. */
  sessions_per_account: 100,
  /** Subscriptions to listings that have not ended. */
  subscriptions_per_account: 100,
  /** Orders whose checkout is still open: each is one at the payment provider too. */
  unpaid_orders_per_account: 20,
  /** Limits per UTC day, as are all that follow. */
  orders_per_account_per_day: 100,
  /** Purchases, subscriptions and changes of subscriptions. */
  purchases_per_account_per_day: 1000,
  /** Refunds and transfers of a seller. */
  earnings_postings_per_account_per_day: 1000,
  installs_per_account_per_day: 1000,
  reviews_per_account_per_day: 100,
  builds_per_account_per_day: 20,
  releases_per_listing: 1000,
  /** Except of builds that cannot be released. */
  build_bytes_per_account: 5 * 1024 ** 3,
} as const;

const DAY_SECONDS = 86_400;

type QuotaCode = Extract<ErrorCode, `${string}_quota`>;

/** 429 for something that an account has as many of as it may; waiting does not help, so there is no `Retry-After`. */
export const hasAsMany = (code: QuotaCode, max: number, things: string): ServiceError =>
  new ServiceError(code, `There may be at most ${max} ${things}: remove one that is not needed.`);

/** Returns a 429 error for an account that has reached its daily quota, with the time until the next UTC day. */
export const dailyQuotaReached = (
  code: QuotaCode,
  { max, things, nowSeconds }: { readonly max: number; readonly things: string; readonly nowSeconds: number },
): ServiceError =>
  new ServiceError(code, `An account may make at most ${max} ${things} a day (UTC).`, {
    retryAfterSeconds: secondsUntilTomorrow(nowSeconds),
  });

/** The UTC day of a time, in days since the epoch. */
export const dayOf = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

/** At least 1. */
export const secondsUntilTomorrow = (nowSeconds: number): number => DAY_SECONDS - (nowSeconds % DAY_SECONDS);
