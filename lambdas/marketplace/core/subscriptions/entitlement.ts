/** The entitlements of an account: to the listings that it has bought or subscribed to. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import type { Purchase } from '../listings/activity.ts';
import { isLive, type PlanSubscription } from './subscription.ts';

/** The purchases and subscriptions of an account, of the listings that a request names. */
export interface Holdings {
  /** Those that entitle the account. */
  readonly purchases: readonly Purchase[];
  /** The latest subscription to each listing. */
  readonly subscriptions: readonly PlanSubscription[];
  /** The account has spent credit that was taken back. */
  readonly isInDebt: boolean;
}

const SOURCES = ['purchase', 'subscription'] as const;
export type EntitlementSource = (typeof SOURCES)[number];

const entitlementSchema = z.object({
  object: z.literal('entitlement'),
  listing_id: idOf('lst'),
  source: z.enum(SOURCES),
  plan: z.string().nullable(),
  active: z.boolean(),
  reason: z
    .enum(['account_owes', 'canceled'])
    .nullable()
    .describe('Why it is not active. `account_owes`: until the account has paid its debt.'),
  ends: seconds.nullable().describe('The end of a subscription that is canceled; `null` if none is planned.'),
});

type Entitlement = Body<typeof entitlementSchema>;

export const entitlementsSchema = z.object({
  object: z.literal('list'),
  data: z.array(entitlementSchema).describe('Without the listings that the account has never had.'),
});

export function entitlementsBody(
  { purchases, subscriptions, isInDebt }: Holdings,
  nowSeconds: number,
): Body<typeof entitlementsSchema> {
  const state = (isOver: boolean) => {
    const reason = isOver ? 'canceled' : isInDebt ? 'account_owes' : null;
    return { active: reason === null, reason } as const;
  };
  const data: readonly Entitlement[] = [
    ...purchases.map(({ listingId }) => ({
      object: 'entitlement' as const,
      listing_id: listingId,
      source: 'purchase' as const,
      plan: null,
      ...state(false),
      ends: null,
    })),
    ...subscriptions.map((subscription) => ({
      object: 'entitlement' as const,
      listing_id: subscription.listingId,
      source: 'subscription' as const,
      plan: subscription.plan.id,
      ...state(hasEnded(subscription, nowSeconds)),
      ends: endOf(subscription),
    })),
  ];
  return { object: 'list', data };
}

/** A canceled subscription ends with its period, even if the worker is late. */
const hasEnded = (subscription: PlanSubscription, nowSeconds: number): boolean =>
  !isLive(subscription) || (subscription.cancelAtPeriodEnd && subscription.period.end <= nowSeconds);

const endOf = ({ endedAt, cancelAtPeriodEnd, period }: PlanSubscription): number | null =>
  endedAt ?? (cancelAtPeriodEnd ? period.end : null);
