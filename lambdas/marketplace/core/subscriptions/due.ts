/** The processing of a due subscription: it is renewed, waits for credit, or ends. */
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import { type DueCounts, type DueProcessor, nameOf } from '../due.ts';
import { nowSeconds } from '../listings/actions.ts';
import {
  endSubscription,
  isLive,
  markUnpaid,
  type PlanSubscription,
  renewSubscription,
} from './subscription.ts';
import { type SubscriptionDependencies, writeOf } from './subscriptions.ts';

/** Each further try means that the subscriber changed it, or spent credit, in between. */
const MAX_ATTEMPTS = 8;

/** The item of a subscription is this and its id. */
export const SUBSCRIPTION_PREFIX = 'subscription#';

export const subscriptionProcessor =
  (dependencies: SubscriptionDependencies): DueProcessor =>
  async (due, counts) => {
    const { store, clock } = dependencies;
    await retryOptimistically(MAX_ATTEMPTS, 'the subscription', async () => {
      const before = await store.find(due.ownerId, nameOf(due));
      const now = nowSeconds(clock);
      if (before?.dueAt === undefined || before.dueAt > now) return true;
      return processSubscription(dependencies, before, now, counts);
    });
  };

/** Returns undefined if another writer came in between. */
async function processSubscription(
  dependencies: SubscriptionDependencies,
  before: PlanSubscription,
  now: number,
  counts: DueCounts,
): Promise<true | undefined> {
  const { store, listings, times } = dependencies;
  const write = async (subscription: PlanSubscription, count: 'ended' | 'unpaid') => {
    const result = await store.replace(before, writeOf(dependencies, before, { subscription }, now));
    if (result !== 'done') return undefined;
    counts[count] += 1;
    return true;
  };
  if (before.cancelAtPeriodEnd) return write(endSubscription(before, 'requested', now), 'ended');
  if ((await listings.find(before.listingId)) === undefined)
    return write(endSubscription(before, 'listing_removed', now), 'ended');
  const renewal = renewSubscription(before, now, times);
  const result = await store.replace(before, writeOf(dependencies, before, renewal, now));
  if (result === 'done') {
    counts.renewed += 1;
    return true;
  }
  if (result !== 'insufficient') return undefined;
  const unpaid = markUnpaid(before, now, times);
  return write(unpaid, isLive(unpaid) ? 'unpaid' : 'ended');
}
