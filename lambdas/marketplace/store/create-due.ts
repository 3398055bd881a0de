/** The processing of due items on DynamoDB, from the tables that the environment names. */
import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock, Log, UlidSource } from '../../platform/core/ports.ts';
import { type DueProcessor, type DueResult, processDue } from '../core/due.ts';
import { saleProcessor } from '../core/earnings/due.ts';
import { subscriptionProcessor } from '../core/subscriptions/due.ts';
import { createDueStore } from './due-store.ts';
import { createEarningsStore, type EarningsOptions } from './earnings/create-earnings.ts';
import { createSubscriptions } from './subscriptions/create-subscriptions.ts';

export interface DueOptions extends EarningsOptions {
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
}

/** Without a client of the scanner, builds wait for the next run of the schedule. */
const waitForSchedule: DueProcessor = async () => {};

/** Returns a function that processes all that is due, and starts no item after a time; ms by the clock. */
export function createDueProcessing(
  options: DueOptions,
  build: DueProcessor = waitForSchedule,
): (stopMs: number) => Promise<DueResult> {
  const { clients, environment, clock, log } = options;
  const store = createDueStore(clients.client, requireTable(environment, 'market'));
  const processors = {
    sale: saleProcessor({ ...options, store: createEarningsStore(options) }),
    subscription: subscriptionProcessor(createSubscriptions(options)),
    build,
  };
  return (stopMs) => processDue({ store, processors, clock, log, stopMs });
}
