/** Plans and their dates, as the service computes them: a test compares both. */
import type { ListingBody, SubscriptionBody } from './types.ts';

export type PlanBody = ListingBody['plans'][number];

/** A cent in nano-USD. */
const CENT = 10_000_000n;

export const centsNano = (cents: number): bigint => BigInt(cents) * CENT;

export const isLive = ({ status }: Pick<SubscriptionBody, 'status'>): boolean => status !== 'canceled';

/** The plan that the next period is charged for. */
export const nextPlan = ({
  pending_plan: pending,
  plan,
  interval,
  amount,
}: SubscriptionBody): NonNullable<SubscriptionBody['pending_plan']> => pending ?? { plan, interval, amount };

/** Returns whether a plan is the subscriber's, or that of the next charge: there is none after a cancellation. */
export function planRole(subscription: SubscriptionBody, offered: PlanBody): 'yours' | 'next' | undefined {
  const { status, pending_plan: pending, cancel_at_period_end: ends } = subscription;
  if (status === 'past_due') return undefined;
  if (pending === null || ends) return isAgreed(subscription, offered) ? 'yours' : undefined;
  return isAgreed(pending, offered) ? 'next' : undefined;
}

/** Returns whether a subscriber pays the present price and interval of the plan. */
export const isAgreed = (
  { plan, interval, amount }: Pick<SubscriptionBody, 'plan' | 'interval' | 'amount'>,
  offered: PlanBody,
): boolean => plan === offered.id && interval === offered.interval && amount === offered.amount;

/** The end of a period that starts now: the same day of a later month, or the last one that the month has (UTC). */
export function periodEnd(interval: PlanBody['interval'], startSeconds: number): number {
  const start = new Date(startSeconds * 1000);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + (interval === 'year' ? 12 : 1)];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(start.getUTCDate(), lastDay)) / 1000 + (startSeconds % 86_400);
}
