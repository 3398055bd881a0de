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
