/** The response of `GET /api/v1/earnings`: the balance of a seller, and where it is paid. */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { SellerBalance } from '../earnings/sale.ts';
import { payoutSettingsSchema } from './payout-entry.ts';

export const earningsSchema = z.object({
  object: z.literal('earnings'),
  pending: usd.describe('Proceeds of sales that have not matured.'),
  available: usd.describe('Can be transferred to the account’s own credit.'),
  in_transit: usd.describe('On its way to the bank.'),
  paid_out: usd.describe('Has been paid to the bank.'),
  transferred: usd.describe('Has become the account’s own credit.'),
  received: usd.describe('The proceeds of all sales, less fees and refunds.'),
  fees: usd.describe('The platform’s part of these sales.'),
  currency: z.literal('USD'),
  next_available: seconds
    .nullable()
    .describe('When the next pending sale matures, in seconds since the epoch.'),
  payouts: payoutSettingsSchema,
});

export const earningsEntry = (
  { pending, available, inTransit, paidOut, transferred, received, fees }: SellerBalance,
  nextDue: number | undefined,
  payouts: Body<typeof payoutSettingsSchema>,
): Body<typeof earningsSchema> => ({
  object: 'earnings',
  pending: usdJson(pending),
  available: usdJson(available),
  in_transit: usdJson(inTransit),
  paid_out: usdJson(paidOut),
  transferred: usdJson(transferred),
  received: usdJson(received),
  fees: usdJson(fees),
  currency: 'USD',
  next_available: nextDue ?? null,
  payouts,
});
