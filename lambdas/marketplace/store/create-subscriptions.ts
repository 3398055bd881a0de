/** Subscriptions on DynamoDB, and their terms, as the environment names them. */
import { PERIOD_VARIABLE, requirePositiveInteger } from '../../platform/contract/environment.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock, UlidSource } from '../../platform/core/ports.ts';
import { calendarEnd, fixedEnd } from '../core/subscriptions/period.ts';
import type { SubscriptionTimes } from '../core/subscriptions/subscription.ts';
import type { SubscriptionDependencies } from '../core/subscriptions/subscriptions.ts';
import { type EarningsOptions, readSaleTerms } from './create-earnings.ts';
import { createListings } from './create-listings.ts';
import { DynamoPlanSubscriptionStore } from './subscriptions/subscription-store.ts';

const DAY_SECONDS = 86_400;
const DAYS_OF_MONTH = 30;

/** If the length of a month is set, a day is a thirtieth of it. */
export function readTimes(environment: EarningsOptions['environment']): SubscriptionTimes {
  if (environment[PERIOD_VARIABLE] === undefined) return { periodEnd: calendarEnd, daySeconds: DAY_SECONDS };
  const monthSeconds = requirePositiveInteger(environment, PERIOD_VARIABLE);
  const daySeconds = Math.max(1, Math.floor(monthSeconds / DAYS_OF_MONTH));
  return { periodEnd: fixedEnd(monthSeconds), daySeconds };
}

export const createSubscriptionStore = ({ clients, environment }: EarningsOptions) =>
  new DynamoPlanSubscriptionStore(clients, {
    market: requireTable(environment, 'market'),
    listings: requireTable(environment, 'listings'),
    accounts: requireTable(environment, 'accounts'),
    wallets: requireTable(environment, 'wallets'),
  });

export interface SubscriptionsOptions extends EarningsOptions {
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** Throws an error that names a variable that is missing or malformed. */
export const createSubscriptions = (options: SubscriptionsOptions): SubscriptionDependencies => ({
  clock: options.clock,
  ulid: options.ulid,
  store: createSubscriptionStore(options),
  listings: createListings(options),
  terms: readSaleTerms(options.environment),
  times: readTimes(options.environment),
});
