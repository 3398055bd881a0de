/** The credit of an account for one of its keys: balance, open holds, policy and spend. */
import * as z from 'zod';
import { type KeyState, spendOf } from '../../../access/core/keys/key-state.ts';
import { policyEntry, policyEntrySchema } from '../../../access/core/keys/policy.ts';
import { type Body, usd } from '../../../platform/core/api/response-schema.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { Wallet } from '../ports.ts';
import { type CreditHistory, type DaySpan, statementBody, statementSchema } from './statement.ts';

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

export const accountBalanceSchema = z.object({
  object: z.literal('account_balance'),
  ...creditBalanceSchema.pick({ balance: true, held: true, owed: true, currency: true }).shape,
  statement: statementSchema.optional(),
});

/** Returns the credit of an account for its owner. */
export function accountBalanceBody(wallet: Wallet): Body<typeof accountBalanceSchema> {
  return { object: 'account_balance', ...creditOf(wallet), currency: 'USD' };
}

/** Returns the same with the statement of a span, both as of one instant. */
export const accountStatementBody = (
  history: CreditHistory,
  span: DaySpan,
): Body<typeof accountBalanceSchema> => ({
  ...accountBalanceBody(history.wallet),
  statement: statementBody(history, span),
});

/** Returns the credit of a wallet, in USD. */
export const creditOf = ({ balance, debt, holds }: Wallet) => ({
  balance: usdJson(balance),
  held: usdJson(holds.reduce((sum, hold) => sum + hold.amount, 0n)),
  owed: usdJson(debt),
});

export function creditBalanceBody(state: KeyState, wallet: Wallet): Body<typeof creditBalanceSchema> {
  const { keyId, policy } = state;
  const spend = spendOf(state);
  return {
    object: 'credit_balance',
    api_key: keyId,
    ...creditOf(wallet),
    currency: 'USD',
    policy: policyEntry(policy),
    spend: { today: usdJson(spend.day), month: usdJson(spend.month) },
  };
}
