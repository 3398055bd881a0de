/** Amounts and dates of plans, as the service computes them: a test compares both. */
import type { ChargedSubscriptionBody, ListingBody, SubscriptionBody } from './types.ts';

export type PlanBody = ListingBody['plans'][number];

/** A cent in nano-USD. */
const CENT = 10_000_000n;

export const centsNano = (cents: number): bigint => BigInt(cents) * CENT;

/** A field in cents that was read as if it were in USD. */
const ofCents = (nano: bigint): bigint => nano / 100n;

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

type PaidPeriod = Pick<
  ChargedSubscriptionBody,
  'status' | 'amount' | 'current_period_start' | 'current_period_end' | 'charges'
>;

/** The amount due if the plan changes now: the new price, less the value of the rest of a paid period. */
export function amountDue(
  { status, amount, current_period_start: start, current_period_end: end, charges }: PaidPeriod,
  newCents: number,
  nowSeconds: number,
): bigint {
  const returned = ofCents(charges[0]?.refunded ?? 0n);
  const value = status === 'active' ? centsNano(amount) - returned : 0n;
  const [length, left] = [BigInt(end - start), BigInt(Math.max(0, end - nowSeconds))];
  return centsNano(newCents) - (value <= 0n ? 0n : (value * left + length - 1n) / length);
}

/** The end of a period that starts now: the same day of a later month, or the last one that the month has (UTC). */
export function periodEnd(interval: PlanBody['interval'], startSeconds: number): number {
  const start = new Date(startSeconds * 1000);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + (interval === 'year' ? 12 : 1)];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(start.getUTCDate(), lastDay)) / 1000 + (startSeconds % 86_400);
}
