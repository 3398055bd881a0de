/** The credit of an account as one of its keys sees it: balance, open holds, policy and spend. */
import * as z from 'zod';
import { dailyOf, type KeyState, monthlyOf } from '../access/key-state.ts';
import { policyEntry, policyEntrySchema } from '../access/policy.ts';
import { type Body, usd } from '../api/response-schema.ts';
import { usdJson } from '../money.ts';
import type { Wallet } from './ports.ts';

export const creditBalanceSchema = z.object({
  object: z.literal('credit_balance'),
  api_key: z.string(),
  balance: usd,
  held: usd,
  owed: usd.describe('USD, refunded or disputed after it was spent; the next credit pays it first.'),
  currency: z.literal('USD'),
  policy: policyEntrySchema,
  spend: z.object({ today: usd, month: usd }),
});

/** `state` with its windows rolled to now. */
export function creditBalanceBody(
  { keyId, policy, dayLeft, monthLeft }: KeyState,
  { balance, owed, holds }: Wallet,
): Body<typeof creditBalanceSchema> {
  return {
    object: 'credit_balance',
    api_key: keyId,
    balance: usdJson(balance),
    held: usdJson(holds.reduce((sum, hold) => sum + hold.amount, 0n)),
    owed: usdJson(owed),
    currency: 'USD',
    policy: policyEntry(policy),
    spend: { today: usdJson(dailyOf(policy) - dayLeft), month: usdJson(monthlyOf(policy) - monthLeft) },
  };
}
