/** The requests about subscriptions, and the responses. */
import * as z from 'zod';
import { ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { toCents } from '../../../platform/core/money.ts';
import { cents } from '../earnings/requests.ts';
import type { Sale } from '../earnings/sale.ts';
import { INTERVALS, plan } from '../listings/fields.ts';
import { LISTING_ID } from '../listings/listing.ts';
import { agreementFields } from './events.ts';
import { MAX_PREVIEW_SECONDS, type PlanPreview } from './plan-change.ts';
import { CANCEL_REASONS, type PlanSubscription, SUBSCRIPTION_STATUSES } from './subscription.ts';
import { SUBSCRIPTION_ROLES, type SubscriptionUpdate } from './subscriptions.ts';

/** The body of `POST /apps/{id}/subscribe`. */
export const subscribeRequest = z.object({
  plan: plan.shape.id.describe('The id of a plan of the listing.'),
  amount: plan.shape.amount.optional().describe('In cents, as in the plan.'),
  currency: plan.shape.currency.optional(),
});

const cancellation = z
  .object({ cancel_at_period_end: z.boolean().describe('`false` takes a cancellation back.') })
  .strict();
const planChange = z
  .object({
    plan: plan.shape.id,
    amount: plan.shape.amount,
    due: cents
      .optional()
      .describe(
        'The amount of the preview. If another one is due, nothing is charged (409 `price_changed`).',
      ),
    proration_date: seconds
      .optional()
      .describe(
        `The time of the preview, from which the change counts. It is at most ${MAX_PREVIEW_SECONDS / 60} minutes old (409 \`price_changed\`). Now, if it is left out.`,
      ),
  })
  .strict();

/** The body of `PATCH /api/v1/subscriptions/{id}`. */
export const subscriptionUpdate = z.union([cancellation, planChange]);

export const updateOf = (body: z.output<typeof subscriptionUpdate>): SubscriptionUpdate =>
  'plan' in body
    ? { planId: body.plan, amount: body.amount, due: body.due, prorationDate: body.proration_date }
    : { cancelAtPeriodEnd: body.cancel_at_period_end };

const listingId = z.string().regex(LISTING_ID, 'must be the id of a listing');

/** The query of `GET /api/v1/subscriptions`. */
export const subscriptionsQuery = ulidPageQuery('sub').extend({
  role: z
    .enum(SUBSCRIPTION_ROLES)
    .default('subscriber')
    .describe('`seller`: the subscriptions of others to a listing of the account; requires `listing_id`.'),
  listing_id: listingId.optional(),
});

/** The most listings that one request about entitlements names. */
export const MAX_ENTITLEMENTS = 100;

/** The query of `GET /api/v1/entitlements`. */
export const entitlementsQuery = z.object({
  listing_id: z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .refine((ids) => ids.length <= MAX_ENTITLEMENTS, `must name at most ${MAX_ENTITLEMENTS} listings`)
    .refine((ids) => ids.every((id) => LISTING_ID.test(id)), 'must be ids of listings, separated by commas')
    .optional()
    .describe(
      `Ids of listings, separated by commas, ${MAX_ENTITLEMENTS} at most; those that the account has, if it is left out.`,
    ),
  subscriber_id: z
    .string()
    .regex(/^(acc_[0-9A-HJKMNP-TV-Z]{26}|usr_[\w-]{22})$/, 'must be the id of a customer')
    .optional()
    .describe(
      'A customer, by the `sub` of an entitlement token, or the `subscriber_id` or `buyer_id` of an event: what it may use of listings of the account, which `listing_id` names.',
    ),
});

export const planSubscriptionSchema = z.object({
  id: idOf('sub'),
  object: z.literal('subscription'),
  listing_id: idOf('lst'),
  subscriber_id: idOf('acc'),
  plan: z.string(),
  interval: z.enum(INTERVALS),
  amount: z.int().describe('In cents, as the subscriber agreed to it.'),
  currency: z.literal('USD'),
  status: z.enum(SUBSCRIPTION_STATUSES),
  trial_end: seconds.nullable(),
  current_period_start: seconds,
  current_period_end: seconds,
  cancel_at_period_end: z.boolean(),
  pending_plan: z
    .object({ plan: z.string(), interval: z.enum(INTERVALS), amount: z.int() })
    .nullable()
    .describe('The plan from the next renewal on.'),
  canceled_at: seconds.nullable().describe('When it was canceled; it may end later.'),
  ended_at: seconds.nullable(),
  cancel_reason: z.enum(CANCEL_REASONS).nullable(),
  created: seconds,
});

export const planSubscriptionEntry = (
  subscription: PlanSubscription,
): Body<typeof planSubscriptionSchema> => ({
  id: subscription.id,
  object: 'subscription',
  ...agreementFields(subscription),
  pending_plan: pendingEntry(subscription),
  canceled_at: subscription.canceledAt ?? null,
  ended_at: subscription.endedAt ?? null,
  cancel_reason: subscription.cancelReason ?? null,
  created: subscription.created,
});

function pendingEntry({ pendingPlan }: PlanSubscription) {
  if (pendingPlan === undefined) return null;
  const { id, interval, cents: amount } = pendingPlan;
  return { plan: id, interval, amount };
}

/** The query of `GET /api/v1/subscriptions/{id}`. */
export const subscriptionQuery = z.object({
  plan: plan.shape.id.optional().describe('The id of a plan, whose change `preview` is about.'),
});

export const MAX_CHARGES = 100;

export const chargedSubscriptionSchema = planSubscriptionSchema.extend({
  charges: z
    .array(z.object({ id: z.string(), amount: cents, refunded: cents, created: seconds }))
    .describe(`The latest ${MAX_CHARGES}, newest first.`),
  preview: z
    .object({
      plan: z.string(),
      amount: cents.describe('Of the plan.'),
      due: cents.describe('The charge of a change at `proration_date`; 0 if it waits for the renewal.'),
      proration_date: seconds,
      current_period_end: seconds.describe('The next charge after the change.'),
    })
    .nullable()
    .describe('A change to the plan of the query; `null` without one, and after the end.'),
});

export const chargedSubscriptionEntry = (
  subscription: PlanSubscription,
  charges: readonly Sale[],
  preview: PlanPreview | undefined,
): Body<typeof chargedSubscriptionSchema> => ({
  ...planSubscriptionEntry(subscription),
  preview: preview === undefined ? null : previewEntry(preview),
  charges: charges.map(({ chargeId, gross, returned, created }) => ({
    id: chargeId,
    amount: toCents(gross),
    refunded: toCents(returned),
    created,
  })),
});

const previewEntry = ({ change: { subscription, charge = 0n }, plan, prorationDate }: PlanPreview) => ({
  plan: plan.id,
  amount: plan.cents,
  due: toCents(charge),
  proration_date: prorationDate,
  current_period_end: subscription.period.end,
});
