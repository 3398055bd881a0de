/**
 * A subscription to a plan of a listing, and its changes.
 *
 * | Status | Meaning | Entitled | Ends by |
 * |---|---|---|---|
 * | `trialing` | no charge yet | yes | the first charge, a cancellation |
 * | `active` | the current period is paid | yes | a renewal, a cancellation |
 * | `past_due` | the credit did not cover the renewal | yes | a retry that is paid, a cancellation |
 * | `canceled` | final | no | |
 */
import { greatest, NANO_PER_CENT, type NanoUsd, wholeCents } from '../../../platform/core/money.ts';
import type { Interval } from '../listings/fields.ts';
import { type Period, type PeriodCount, type PeriodEnd, periodAt } from './period.ts';

export const SUBSCRIPTION_STATUSES = ['trialing', 'active', 'past_due', 'canceled'] as const;
type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const CANCEL_REASONS = ['requested', 'payment_failed', 'listing_removed', 'refunded'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** A plan as the subscriber agreed to it: later changes by the owner of the listing do not affect it. */
export interface AgreedPlan {
  readonly id: string;
  readonly interval: Interval;
  /** In cents. */
  readonly cents: number;
}

export interface PlanSubscription {
  /** `sub_<ulid>`. */
  readonly id: string;
  readonly listingId: string;
  readonly sellerId: string;
  readonly subscriberId: string;
  readonly plan: AgreedPlan;
  readonly status: SubscriptionStatus;
  /** Seconds since the epoch, as every time here. */
  readonly created: number;
  readonly trialEnd: number | undefined;
  readonly period: Omit<Period, 'interval'>;
  /** The number of its charges; their ids are made of it. */
  readonly charges: number;
  /** The number of the first charge that paid for the current period: a change of plan counts what was left of the last. */
  readonly paidFrom: number;
  /** The part of these charges that the subscriber has received back since the period started. */
  readonly returned: NanoUsd;
  readonly cancelAtPeriodEnd: boolean;
  /** The plan from the next renewal on. */
  readonly pendingPlan: AgreedPlan | undefined;
  /** Attempts of the renewal after the first one. */
  readonly retries: number;
  /** The time of its renewal, of a retry or of its end; undefined once it has ended. */
  readonly dueAt: number | undefined;
  /** The time at which it was canceled; it may end later. */
  readonly canceledAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly cancelReason: CancelReason | undefined;
  /** Increases with every change. */
  readonly version: number;
}

/** The lengths of what a subscription waits for. */
export interface SubscriptionTimes {
  readonly periodEnd: PeriodEnd;
  /** The unit of a trial, and the time between two attempts to renew. */
  readonly daySeconds: number;
}

/** A subscription after a change, and the amount of a new charge; undefined if nothing is charged. */
export interface SubscriptionChange {
  readonly subscription: PlanSubscription;
  readonly charge?: NanoUsd | undefined;
}

/** After the first attempt of a renewal. */
export const MAX_RETRIES = 7;

export const isLive = ({ status }: Pick<PlanSubscription, 'status'>): boolean => status !== 'canceled';

/** The owner of a listing subscribes to it without charge. */
const isFree = ({ sellerId, subscriberId }: PlanSubscription): boolean => sellerId === subscriberId;

const priceOf = ({ cents }: AgreedPlan): NanoUsd => BigInt(cents) * NANO_PER_CENT;

/** The id of the charge of the current period; undefined if it was not charged. */
export const currentCharge = ({ id, status, charges }: PlanSubscription): string | undefined =>
  status === 'trialing' || charges === 0 ? undefined : `${id}#${charges}`;

type NewSubscription = Pick<
  PlanSubscription,
  'id' | 'listingId' | 'sellerId' | 'subscriberId' | 'plan' | 'created'
>;

/** Starts a subscription with a trial, or with its first charge. */
export function startSubscription(
  fields: NewSubscription,
  trialDays: number,
  { periodEnd, daySeconds }: SubscriptionTimes,
): SubscriptionChange {
  const { created, plan } = fields;
  const trialEnd = trialDays === 0 ? undefined : created + trialDays * daySeconds;
  const anchor = trialEnd ?? created;
  const count = { anchor, interval: plan.interval, elapsed: 0 };
  const period =
    trialEnd === undefined
      ? periodAt(count, created, periodEnd)
      : { ...count, start: created, end: trialEnd };
  const subscription: PlanSubscription = {
    ...fields,
    status: trialEnd === undefined ? 'active' : 'trialing',
    trialEnd,
    period: withoutInterval(period),
    charges: 0,
    paidFrom: 1,
    returned: 0n,
    cancelAtPeriodEnd: false,
    pendingPlan: undefined,
    retries: 0,
    dueAt: period.end,
    canceledAt: undefined,
    endedAt: undefined,
    cancelReason: undefined,
    version: 1,
  };
  return trialEnd === undefined ? charged(subscription, priceOf(plan)) : { subscription };
}

const withoutInterval = ({ anchor, elapsed, start, end }: Period): Omit<Period, 'interval'> => ({
  anchor,
  elapsed,
  start,
  end,
});

function charged(subscription: PlanSubscription, amount: NanoUsd): SubscriptionChange {
  if (isFree(subscription)) return { subscription };
  return { subscription: { ...subscription, charges: subscription.charges + 1 }, charge: amount };
}

/**
 * Starts the next period, and charges it. Periods that are over already are skipped: a late renewal never bills the
 * past.
 */
export function renewSubscription(
  subscription: PlanSubscription,
  nowSeconds: number,
  times: SubscriptionTimes,
): SubscriptionChange {
  const plan = subscription.pendingPlan ?? subscription.plan;
  return inPeriod(subscription, plan, nextPeriod(subscription, plan, nowSeconds, times), priceOf(plan));
}

/** The planned period that contains a time at or after the end of the current one. */
function nextPeriod(
  { plan: { interval }, period: { anchor, elapsed, end } }: PlanSubscription,
  plan: AgreedPlan,
  nowSeconds: number,
  { periodEnd }: SubscriptionTimes,
): Period {
  const count: PeriodCount =
    plan.interval === interval
      ? { anchor, interval, elapsed }
      : { anchor: end, interval: plan.interval, elapsed: 0 };
  return periodAt(count, nowSeconds, periodEnd);
}

const inPeriod = (
  subscription: PlanSubscription,
  plan: AgreedPlan,
  period: Period,
  amount: NanoUsd,
): SubscriptionChange =>
  charged(
    {
      ...subscription,
      plan,
      pendingPlan: undefined,
      status: 'active',
      period: withoutInterval(period),
      paidFrom: amount < priceOf(plan) ? subscription.paidFrom : subscription.charges + 1,
      returned: 0n,
      retries: 0,
      dueAt: period.end,
      version: subscription.version + 1,
    },
    amount,
  );

/** Records a renewal that the credit did not cover. After the last retry the subscription ends. */
export function markUnpaid(
  subscription: PlanSubscription,
  nowSeconds: number,
  { daySeconds }: SubscriptionTimes,
): PlanSubscription {
  const retries = subscription.status === 'past_due' ? subscription.retries + 1 : 0;
  if (retries === MAX_RETRIES) return endSubscription(subscription, 'payment_failed', nowSeconds);
  const { version } = subscription;
  return {
    ...subscription,
    status: 'past_due',
    retries,
    dueAt: nowSeconds + daySeconds,
    version: version + 1,
  };
}

export const endSubscription = (
  subscription: PlanSubscription,
  reason: CancelReason,
  nowSeconds: number,
): PlanSubscription => ({
  ...subscription,
  status: 'canceled',
  canceledAt: subscription.canceledAt ?? nowSeconds,
  endedAt: nowSeconds,
  cancelReason: reason,
  dueAt: undefined,
  version: subscription.version + 1,
});

/** Has a subscription end with its period, or takes this back. */
export const setCancellation = (
  subscription: PlanSubscription,
  cancelAtPeriodEnd: boolean,
  nowSeconds: number,
): PlanSubscription => ({
  ...subscription,
  cancelAtPeriodEnd,
  canceledAt: cancelAtPeriodEnd ? nowSeconds : undefined,
  version: subscription.version + 1,
});

/**
 * The amount due for a change of plan: the new price, less the value of the time that remains of a paid period. The
 * value is rounded down to whole cents, so that repeated changes never make time cheaper.
 */
export function amountDue(subscription: PlanSubscription, plan: AgreedPlan, nowSeconds: number): NanoUsd {
  const { period, returned, status } = subscription;
  const secondsLeft = BigInt(Math.max(0, period.end - nowSeconds));
  const isPaid = status === 'active' && !isFree(subscription);
  const value = isPaid ? greatest(0n, priceOf(subscription.plan) - returned) : 0n;
  return priceOf(plan) - wholeCents((value * secondsLeft) / BigInt(period.end - period.start));
}

/**
 * Changes the plan. If an amount is due, it is charged, and a new period starts now, or when the last paid period ended.
 * Otherwise the change waits for the renewal. Either takes a cancellation back. The agreed plan takes back a change that
 * waits.
 */
export function changePlan(
  subscription: PlanSubscription,
  plan: AgreedPlan,
  nowSeconds: number,
  times: SubscriptionTimes,
): SubscriptionChange {
  const { version } = subscription;
  const continuing = { ...subscription, cancelAtPeriodEnd: false, canceledAt: undefined };
  const waiting = { ...continuing, version: version + 1 };
  if (subscription.status !== 'past_due' && isSamePlan(subscription.plan, plan))
    return { subscription: { ...waiting, pendingPlan: undefined } };
  const due = amountDue(subscription, plan, nowSeconds);
  if (due <= 0n) return { subscription: { ...waiting, pendingPlan: plan } };
  const period =
    subscription.period.end <= nowSeconds
      ? nextPeriod(subscription, plan, nowSeconds, times)
      : periodAt({ anchor: nowSeconds, interval: plan.interval, elapsed: 0 }, nowSeconds, times.periodEnd);
  return inPeriod(continuing, plan, period, due);
}

export const isSamePlan = (one: AgreedPlan, other: AgreedPlan): boolean =>
  one.id === other.id && one.interval === other.interval && one.cents === other.cents;

/**
 * Records that a charge was returned, in part or in whole. If it paid for the current period, it reduces the value of that,
 * and ends the subscription once nothing is left. Returns undefined if nothing changes.
 */
export function recordReturn(
  subscription: PlanSubscription,
  { chargeId, amount }: { readonly chargeId: string; readonly amount: NanoUsd },
  nowSeconds: number,
): PlanSubscription | undefined {
  const { paidFrom, plan, version } = subscription;
  if (!isLive(subscription) || currentCharge(subscription) === undefined) return undefined;
  if (Number(chargeId.split('#')[1]) < paidFrom) return undefined;
  const returned = subscription.returned + amount;
  if (returned >= priceOf(plan))
    return { ...endSubscription(subscription, 'refunded', nowSeconds), returned };
  return { ...subscription, returned, version: version + 1 };
}
