/**
 * Changes of a subscription's plan. A preview states the amount that is due at a time. A change that names both charges
 * exactly this amount, and counts from that time: no second in between is free, or charged twice.
 */
import { ServiceError, type ServiceErrorOptions } from '../../../platform/core/errors.ts';
import { toCents } from '../../../platform/core/money.ts';
import type { Listing, ListingPlan } from '../listings/listing.ts';
import type { Listings } from '../listings/listings.ts';
import { etagOf, type Precondition } from '../listings/revision.ts';
import type { OfferedPlan } from './ports.ts';
import {
  type AgreedPlan,
  changePlan,
  isLive,
  isSamePlan,
  type PlanSubscription,
  type SubscriptionChange,
  type SubscriptionTimes,
} from './subscription.ts';

/** The plan that the subscriber agrees to: its amount, the state of its listing, or both. */
export interface PlanAgreement {
  readonly planId: string;
  readonly amount: number | undefined;
  /** The condition of `If-Match`; undefined when the request names no state. */
  readonly state: Precondition | undefined;
}

/** The plan that a subscriber changes to. */
export interface PlanUpdate {
  readonly planId: string;
  readonly amount: number;
  /** The amount of the preview, in cents. */
  readonly due?: number | undefined;
  /** The time of the preview, in seconds since the epoch. */
  readonly prorationDate?: number | undefined;
}

export interface PlanPreview {
  readonly change: SubscriptionChange;
  readonly plan: AgreedPlan;
  readonly prorationDate: number;
}

/** The oldest preview that a change may name. */
export const MAX_PREVIEW_SECONDS = 600;

interface Dependencies {
  readonly listings: Pick<Listings, 'find'>;
  readonly times: SubscriptionTimes;
}

/**
 * Returns the change to a plan at a time, as a preview; undefined after the end. Throws 400 `invalid_value` if the listing
 * has no such plan, and 409 `conflict` if the listing is gone.
 */
export async function previewPlan(
  { listings, times }: Dependencies,
  subscription: PlanSubscription,
  planId: string,
  now: number,
): Promise<PlanPreview | undefined> {
  if (!isLive(subscription)) return undefined;
  const offer = await offerFor(listings, subscription, { planId, amount: undefined, state: undefined });
  const plan = agreed(offer.plan);
  return { change: changePlan(subscription, plan, now, times), plan, prorationDate: now };
}

/**
 * Returns the change to the plan of a request; its `change` is undefined if the subscription is like that already. Throws
 * as `previewPlan` does, and 409 `price_changed` if the plan or the amount due is not as the request names it.
 */
export async function planChangeOf(
  { listings, times }: Dependencies,
  before: PlanSubscription,
  update: PlanUpdate,
  now: number,
): Promise<{ readonly change: SubscriptionChange | undefined; readonly offer: OfferedPlan }> {
  const offer = await offerFor(listings, before, { ...update, state: undefined });
  const plan = agreed(offer.plan);
  const waiting = before.pendingPlan ?? before.plan;
  const isSet = before.status !== 'past_due' && !before.cancelAtPeriodEnd && isSamePlan(waiting, plan);
  if (isSet) return { change: undefined, offer };
  const change = changePlan(before, plan, changeTime(update, before, now), times);
  const due = toCents(change.charge ?? 0n);
  if (update.due !== undefined && update.due !== due)
    throw priceChanged(`${due} cents are due for this change of the plan.`, { param: 'due' });
  return { change, offer };
}

/** Returns the time from which a change counts. Throws 409 `price_changed` if it cannot count from it any more. */
function changeTime({ prorationDate }: PlanUpdate, { period }: PlanSubscription, now: number): number {
  if (prorationDate === undefined) return now;
  const earliest = Math.max(now - MAX_PREVIEW_SECONDS, period.start);
  if (prorationDate >= earliest && prorationDate <= now) return prorationDate;
  const minutes = MAX_PREVIEW_SECONDS / 60;
  const message = `proration_date must be at most ${minutes} minutes ago and in the current period: request a new preview.`;
  throw priceChanged(message, { param: 'proration_date' });
}

async function offerFor(
  listings: Pick<Listings, 'find'>,
  { listingId }: PlanSubscription,
  agreement: PlanAgreement,
): Promise<OfferedPlan> {
  const listing = await listings.find(listingId);
  if (listing !== undefined) return offerOf(listing, agreement);
  const message = 'The listing has been removed: the subscription ends with its period.';
  throw new ServiceError('conflict', message);
}

export const agreed = ({ id, interval, amount: cents }: ListingPlan): AgreedPlan => ({ id, interval, cents });

/** Throws 400 `invalid_value` if the listing has no such plan, and 409 `price_changed` if it differs from the agreement. */
export function offerOf(listing: Listing, { planId, amount, state }: PlanAgreement): OfferedPlan {
  const plan = listing.plans.find(({ id }) => id === planId);
  if (plan === undefined)
    throw new ServiceError('invalid_value', 'The listing has no such plan.', { param: 'plan' });
  if (state?.(listing.revision) === false || (amount !== undefined && amount !== plan.amount)) {
    const message = `The listing or its plan has changed: the plan is now ${plan.amount} cents each ${plan.interval}.`;
    throw priceChanged(message, { param: 'amount', headers: { etag: etagOf(listing.revision) } });
  }
  return { listing, plan, unchanged: state !== undefined };
}

const priceChanged = (message: string, options: ServiceErrorOptions): ServiceError =>
  new ServiceError('price_changed', message, options);
