/** The requests of subscribers: to subscribe, to change a subscription, and to end it. */
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { dailyQuotaReached, hasAsMany, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';
import { type ActionOutcome, nowSeconds } from '../listings/actions.ts';
import type { ListingRequest, Listings } from '../listings/listings.ts';
import type { NewSale } from '../purchases/ports.ts';
import { newSale, type SaleTerms } from '../purchases/purchases.ts';
import { eventOf, newEventId } from './events.ts';
import { agreed, offerOf, type PlanAgreement, type PlanUpdate, planChangeOf } from './plan-change.ts';
import type { OfferedPlan, PlanSubscriptionStore, SubscriptionResult, SubscriptionWrite } from './ports.ts';
import {
  currentCharge,
  endSubscription,
  isLive,
  type PlanSubscription,
  type SubscriptionChange,
  type SubscriptionTimes,
  setCancellation,
  startSubscription,
} from './subscription.ts';

export interface SubscriptionDependencies {
  readonly store: PlanSubscriptionStore;
  readonly listings: Pick<Listings, 'get' | 'find'>;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly terms: SaleTerms;
  readonly times: SubscriptionTimes;
}

/** The subscription of a request, by path and session. */
export interface SubscriptionRequest {
  readonly accountId: string;
  readonly id: string;
}

/** Each further try means that the worker, a call or another request came in between. */
const MAX_ATTEMPTS = 8;

const maxPerDay = QUOTAS.purchases_per_account_per_day;

/**
 * Subscribes to a plan, at the amount that the subscriber was shown. A live subscription to the listing is returned as it
 * is. Throws 400 `missing_field` or `invalid_value`, 402 `insufficient_credit`, 409 `price_changed`, and 429
 * `subscription_quota` or `purchase_quota`.
 */
export async function subscribe(
  dependencies: SubscriptionDependencies,
  { kind, id: listingId, accountId: subscriberId }: ListingRequest,
  agreement: PlanAgreement,
): Promise<ActionOutcome<PlanSubscription>> {
  const { store, listings, clock, ulid, times } = dependencies;
  if (agreement.amount === undefined && agreement.state === undefined) {
    const message = 'amount is required: that of the plan, or the ETag of the listing in If-Match.';
    throw new ServiceError('missing_field', message, { param: 'amount' });
  }
  const id = `sub_${ulid()}`;
  return retryOptimistically(MAX_ATTEMPTS, 'the subscription', async () => {
    const listing = await listings.get(kind, listingId);
    const latest = await store.latest(subscriberId, listingId);
    const { subscription: current } = latest;
    if (current !== undefined && isLive(current)) return { entry: current, repeated: true };
    const offer = offerOf(listing, agreement);
    const { plan } = offer;
    const fields = {
      id,
      listingId,
      sellerId: listing.ownerId,
      subscriberId,
      plan: agreed(plan),
      created: nowSeconds(clock),
    };
    const change = startSubscription(fields, latest.trialUsed ? 0 : plan.trial_days, times);
    const write = { ...writeOf(dependencies, undefined, change), offer, maxPerDay };
    const maxLive = QUOTAS.subscriptions_per_account;
    const result = await store.create(write, latest, maxLive);
    if (result === 'quota reached') throw hasAsMany('subscription_quota', maxLive, 'live subscriptions');
    if (result === 'done') return { entry: change.subscription, repeated: false };
    if (result === 'changed') return undefined;
    // Another request of the subscriber may have spent the credit on this very subscription.
    const { subscription: other } = await store.latest(subscriberId, listingId);
    if (other !== undefined && isLive(other)) return { entry: other, repeated: true };
    throw rejectionOf(result, fields.created);
  });
}

export type SubscriptionUpdate = { readonly cancelAtPeriodEnd: boolean } | PlanUpdate;

/** Throws 404, 402 `insufficient_credit`, 409 `conflict` or `price_changed`, and 429 `purchase_quota`. */
export async function updateSubscription(
  dependencies: SubscriptionDependencies,
  request: SubscriptionRequest,
  update: SubscriptionUpdate,
): Promise<PlanSubscription> {
  const { store, clock } = dependencies;
  return retryOptimistically(MAX_ATTEMPTS, 'the subscription', async () => {
    const before = await findLive(store, request);
    const now = nowSeconds(clock);
    const { change, offer } = await changeOf(dependencies, before, update, now);
    if (change === undefined) return before;
    const write = { ...writeOf(dependencies, before, change, now), offer, maxPerDay };
    const result = await store.replace(before, write);
    if (result === 'done') return change.subscription;
    if (result === 'changed') return undefined;
    throw rejectionOf(result, now);
  });
}

/** The change of a request; undefined if the subscription is like that already. */
async function changeOf(
  dependencies: SubscriptionDependencies,
  before: PlanSubscription,
  update: SubscriptionUpdate,
  now: number,
): Promise<{ readonly change: SubscriptionChange | undefined; readonly offer: OfferedPlan | undefined }> {
  if ('cancelAtPeriodEnd' in update) {
    const { cancelAtPeriodEnd } = update;
    const subscription = setCancellation(before, cancelAtPeriodEnd, now);
    const isSet = before.cancelAtPeriodEnd === cancelAtPeriodEnd;
    return { change: isSet ? undefined : { subscription }, offer: undefined };
  }
  return planChangeOf(dependencies, before, update, now);
}

/** Ends a subscription at once, without a refund. Throws 404, and 409 `conflict` if it has ended. */
export async function cancelSubscription(
  dependencies: SubscriptionDependencies,
  request: SubscriptionRequest,
): Promise<PlanSubscription> {
  const { store, clock } = dependencies;
  return retryOptimistically(MAX_ATTEMPTS, 'the subscription', async () => {
    const before = await findLive(store, request);
    const now = nowSeconds(clock);
    const subscription = endSubscription(before, 'requested', now);
    const result = await store.replace(before, writeOf(dependencies, before, { subscription }, now));
    return result === 'done' ? subscription : undefined;
  });
}

/** Throws 400 `missing_field` if a seller names no listing. */
export async function listSubscriptions(
  store: Pick<PlanSubscriptionStore, 'list' | 'listOf'>,
  accountId: string,
  { role, listingId, ...query }: SubscriptionsRequest,
): Promise<Page<PlanSubscription>> {
  if (role === 'subscriber') return store.list(accountId, { ...query, listingId });
  if (listingId === undefined)
    throw new ServiceError('missing_field', 'listing_id is required.', { param: 'listing_id' });
  const page = await store.listOf(listingId, query);
  // The same response as for a listing without subscriptions: a stranger learns nothing of it.
  return page.entries.every(({ sellerId }) => sellerId === accountId)
    ? page
    : { entries: [], next: undefined };
}

export const SUBSCRIPTION_ROLES = ['subscriber', 'seller'] as const;

interface SubscriptionsRequest extends PageQuery {
  readonly role: (typeof SUBSCRIPTION_ROLES)[number];
  readonly listingId: string | undefined;
}

/** Throws 404 `not_found` for the id of another account, too. */
export async function findSubscription(
  store: Pick<PlanSubscriptionStore, 'find'>,
  { accountId, id }: SubscriptionRequest,
): Promise<PlanSubscription> {
  const isId = /^sub_[0-9A-HJKMNP-TV-Z]{26}$/.test(id);
  const subscription = isId ? await store.find(accountId, id) : undefined;
  if (subscription === undefined) {
    const message = 'No subscription with this id belongs to your account.';
    throw new ServiceError('not_found', message, { param: 'id' });
  }
  return subscription;
}

async function findLive(
  store: PlanSubscriptionStore,
  request: SubscriptionRequest,
): Promise<PlanSubscription> {
  const subscription = await findSubscription(store, request);
  if (!isLive(subscription)) throw new ServiceError('conflict', 'The subscription has ended.');
  return subscription;
}

/** The writes of a change without a new agreement. */
export function writeOf(
  { ulid, terms, clock }: Pick<SubscriptionDependencies, 'ulid' | 'terms' | 'clock'>,
  before: PlanSubscription | undefined,
  change: SubscriptionChange,
  now = nowSeconds(clock),
): SubscriptionWrite {
  const { subscription } = change;
  return {
    subscription,
    charge: chargeOf(change, `txn_${ulid()}`, now, terms),
    event: eventOf(newEventId(ulid), before, subscription),
    offer: undefined,
    maxPerDay: undefined,
    now,
  };
}

function chargeOf(
  { subscription, charge: gross }: SubscriptionChange,
  transactionId: string,
  created: number,
  terms: SaleTerms,
): NewSale | undefined {
  const chargeId = currentCharge(subscription);
  if (gross === undefined || chargeId === undefined) return undefined;
  const { sellerId, subscriberId: buyerId, listingId } = subscription;
  return newSale({ chargeId, transactionId, sellerId, buyerId, listingId, gross, created }, terms);
}

function rejectionOf(result: SubscriptionResult, now: number): ServiceError {
  if (result === 'insufficient')
    return new ServiceError('insufficient_credit', 'The credit does not cover the amount that is due.');
  return dailyQuotaReached('purchase_quota', { max: maxPerDay, things: 'purchases', nowSeconds: now });
}
