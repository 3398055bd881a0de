/** The events of a subscription, for the owner of its listing. */
import type { UlidSource } from '../../../platform/core/ports.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import { currentCharge, isLive, type PlanSubscription } from './subscription.ts';

/** The fields that a response and an event have in common. */
export const agreementFields = (subscription: PlanSubscription) => ({
  listing_id: subscription.listingId,
  subscriber_id: subscription.subscriberId,
  plan: subscription.plan.id,
  interval: subscription.plan.interval,
  amount: subscription.plan.cents,
  currency: 'USD' as const,
  status: subscription.status,
  trial_end: subscription.trialEnd ?? null,
  current_period_start: subscription.period.start,
  current_period_end: subscription.period.end,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
});

const dataOf = (subscription: PlanSubscription) => ({
  subscription_id: subscription.id,
  ...agreementFields(subscription),
  pending_plan: subscription.pendingPlan?.id ?? null,
  charge_id: currentCharge(subscription) ?? null,
});

/** Returns the event of a change; undefined if no field of the event changes. */
export function eventOf(
  id: string,
  before: PlanSubscription | undefined,
  after: PlanSubscription,
): PublishedEvent | undefined {
  const data = dataOf(after);
  const event = { id, accountId: after.sellerId };
  if (before === undefined) return { ...event, type: 'subscription.created', data };
  if (!isLive(after)) {
    const { cancelReason: reason, canceledAt, endedAt } = after;
    const end = { reason, canceled_at: canceledAt, ended_at: endedAt };
    return { ...event, type: 'subscription.canceled', data: { ...data, ...end } };
  }
  const now = new Map<string, unknown>(Object.entries(data));
  const previous = Object.entries(dataOf(before)).filter(([name, value]) => now.get(name) !== value);
  if (previous.length === 0) return undefined;
  return {
    ...event,
    type: 'subscription.updated',
    data: { ...data, previous: Object.fromEntries(previous) },
  };
}

export const newEventId = (ulid: UlidSource): string => `evt_${ulid()}`;
