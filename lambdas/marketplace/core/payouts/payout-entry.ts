/** The public forms of payouts and payout accounts, and the event of a payout that was paid. */
import * as z from 'zod';
import { ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { toCents } from '../../../platform/core/money.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import { price } from '../listings/fields.ts';
import { PAYOUT_STATUSES, type Payout, payoutStatus } from './payout.ts';
import { ACCOUNT_STATUSES, PAYOUT_SCHEDULES, type PayoutAccount, type PayoutAccountStatus } from './ports.ts';

/** A payout costs a fee whatever its amount is. In cents, as every amount of a payout. */
export const MIN_PAYOUT_CENTS = 1_000;

/** Countries that a platform of one of them can pay by itself (Stripe documentation, Cross-border payouts). */
const COUNTRIES =
  'AT BE BG CA CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK US'.split(
    ' ',
  );

const amount = price.shape.amount.min(MIN_PAYOUT_CENTS);

/** The body of `POST /api/v1/payout-account`. */
export const payoutAccountRequest = z.object({
  country: z.enum(COUNTRIES).describe('ISO 3166; it cannot change once the account exists.'),
  schedule: z.enum(PAYOUT_SCHEDULES).optional().describe('`manual` if it has never been set.'),
  minimum: amount.optional().describe('In cents: scheduled payouts of less wait for the next date.'),
});

/** The body of `POST /api/v1/payouts`. */
export const payoutRequest = z.object({
  amount: amount.optional().describe('In cents; everything that is available if it is left out.'),
});

/** The query of `GET /api/v1/payouts`. */
export const payoutsQuery = ulidPageQuery('po');

export const payoutAccountSchema = z.object({
  object: z.literal('payout_account'),
  status: z.enum(ACCOUNT_STATUSES),
  country: z.string(),
  schedule: z.enum(PAYOUT_SCHEDULES),
  minimum: z.int(),
  onboarding_url: z.url().describe('A page of the payment provider, for one visit.'),
  expires: seconds,
});

export const payoutAccountEntry = (
  { country, schedule, minimum }: PayoutAccount,
  status: PayoutAccountStatus,
  { url, expires }: { readonly url: string; readonly expires: number },
): Body<typeof payoutAccountSchema> => ({
  object: 'payout_account',
  status,
  country,
  schedule,
  minimum,
  onboarding_url: url,
  expires,
});

const SETTINGS_STATUSES = ['disabled', 'none', 'unknown', ...ACCOUNT_STATUSES] as const;

/** The part of `GET /api/v1/earnings` about payouts. */
export const payoutSettingsSchema = z.object({
  status: z
    .enum(SETTINGS_STATUSES)
    .describe(
      '`disabled`: sellers are not paid here; `none`: there is no payout account; `unknown`: the payment provider does not respond.',
    ),
  country: z.string().nullable().describe('Of the payout account; `null` without one.'),
  schedule: z.enum(PAYOUT_SCHEDULES),
  minimum: z.int().describe('In cents.'),
});

export const payoutSettings = (
  account: PayoutAccount | undefined,
  status: (typeof SETTINGS_STATUSES)[number],
): Body<typeof payoutSettingsSchema> => ({
  status,
  country: account?.country ?? null,
  schedule: account?.schedule ?? 'manual',
  minimum: account?.minimum ?? MIN_PAYOUT_CENTS,
});

export const payoutSchema = z.object({
  id: idOf('po'),
  object: z.literal('payout'),
  amount: z.int().describe('In cents.'),
  currency: z.literal('USD'),
  status: z
    .enum(PAYOUT_STATUSES)
    .describe('A payout that was `paid` can still become `failed`, when the bank returns it.'),
  failure_code: z.string().nullable().describe('The code of the payment provider.'),
  arrival_date: seconds.nullable().describe('When the bank should have it, in seconds since the epoch.'),
  created: seconds,
});

export const payoutEntry = (payout: Payout): Body<typeof payoutSchema> => ({
  id: payout.id,
  object: 'payout',
  amount: toCents(payout.amount),
  currency: 'USD',
  status: payoutStatus(payout),
  failure_code: payout.end?.code ?? null,
  arrival_date: payout.arrivalDate ?? null,
  created: payout.created,
});

/** Its id is that of the payout, so that a payout has one such event. */
export const paidEvent = ({ id, sellerId, amount: paid, arrivalDate, created }: Payout): PublishedEvent => ({
  id: `evt_${id}`,
  accountId: sellerId,
  type: 'payout.paid',
  data: { payout_id: id, amount: toCents(paid), currency: 'USD', arrival_date: arrivalDate, created },
});
