/** The processing of due items on DynamoDB, from the tables that the environment names. */

import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock, Log, UlidSource } from '../../platform/core/ports.ts';
import { type DueLane, type DueProcessor, type DueResult, processDue } from '../core/due.ts';
import { saleProcessor } from '../core/earnings/due.ts';
import { type DuePayoutDependencies, payoutProcessors } from '../core/payouts/due.ts';
import type { PayoutProvider } from '../core/payouts/ports.ts';
import { subscriptionProcessor } from '../core/subscriptions/due.ts';
import { createEarningsStore, type EarningsOptions, maturityOf } from './create-earnings.ts';
import { createPayoutStore } from './create-payouts.ts';
import { createSubscriptions } from './create-subscriptions.ts';
import { createDueStore } from './due-store.ts';
import { DUE_PARTITIONS } from './market-item.ts';
import { PAYOUTS_DUE } from './payouts/payout-hint.ts';

export interface DueOptions extends EarningsOptions {
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
}

export interface DueOfOthers {
  /** Without it, builds wait for the next run of the schedule. */
  readonly build?: DueProcessor | undefined;
  /** Without it, no seller is paid, and payouts stay as they are. */
  readonly provider?: PayoutProvider | undefined;
}

/**
 * Payouts have a lane: each takes some seconds of the provider's time, for which no sale waits. It comes last, so that a
 * scheduled payout includes what matures in the same run.
 */
export const payoutLane = (dependencies: DuePayoutDependencies): DueLane => ({
  partitions: [PAYOUTS_DUE],
  concurrent: 8,
  late: 'latestPayoutSeconds',
  processors: payoutProcessors(dependencies),
});

/** Returns a function that processes all that is due, and starts no item after a time; ms by the clock. */
export function createDueProcessing(
  options: DueOptions,
  { build = async () => {}, provider }: DueOfOthers = {},
): (stopMs: number) => Promise<DueResult> {
  const { clients, environment, clock, log } = options;
  const store = createDueStore(clients.client, requireTable(environment, 'market'));
  const lane: DueLane = {
    partitions: DUE_PARTITIONS,
    concurrent: 1,
    late: 'oldestSeconds',
    processors: {
      sale: saleProcessor({ ...options, store: createEarningsStore(options) }),
      subscription: subscriptionProcessor(createSubscriptions(options)),
      build,
    },
  };
  const payouts = { ...options, store: createPayoutStore(options), maturitySeconds: maturityOf(environment) };
  const payoutLanes = () => (provider === undefined ? [] : [payoutLane({ ...payouts, provider })]);
  return (stopMs) => processDue({ store, lanes: [lane, ...payoutLanes()], clock, log, stopMs });
}
