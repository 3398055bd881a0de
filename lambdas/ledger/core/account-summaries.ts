/** The accounts of a deployment, for an operator. */
import * as z from 'zod';
import { cursor, limit, type Page } from '../../platform/core/api/paging.ts';
import { type Body, idOf, seconds, usd } from '../../platform/core/api/response-schema.ts';
import { type NanoUsd, usdJson } from '../../platform/core/money.ts';

/** One account with the totals of its wallet; amounts in nano-USD. */
export interface AccountSummary {
  readonly id: string;
  readonly email: string | undefined;
  /** Seconds since the epoch; undefined for a wallet whose account has no item. */
  readonly created: number | undefined;
  /** The balance after the debt is deducted. */
  readonly balance: NanoUsd;
  /** In open calls. */
  readonly heldAmount: NanoUsd;
  readonly debt: NanoUsd;
  /** The cost of all calls that have ended. */
  readonly spentAmount: NanoUsd;
}

/** Reads a page of at most `limit` accounts after the wallet that `after` names; a page may have fewer, or none. */
export type AccountSummaries = (query: {
  readonly limit: number;
  readonly after: string | undefined;
}) => Promise<Page<AccountSummary>>;

/** A page ends where its reading ended, which may be at a further part of a wallet. */
const WALLET_ID = /^acc_[0-9A-Z]{26}(#\d{1,4})?$/;

/** The query of `GET /api/v1/operator/accounts`. */
export const accountsQuery = z.object({ limit, cursor: cursor(WALLET_ID).optional() });

export const accountSummarySchema = z.object({
  id: idOf('acc'),
  object: z.literal('account_summary'),
  email: z.string().nullable(),
  created: seconds.nullable(),
  balance: usd,
  held: usd,
  owed: usd,
  spent: usd,
});

export const accountSummaryEntry = (account: AccountSummary): Body<typeof accountSummarySchema> => ({
  id: account.id,
  object: 'account_summary',
  email: account.email ?? null,
  created: account.created ?? null,
  balance: usdJson(account.balance),
  held: usdJson(account.heldAmount),
  owed: usdJson(account.debt),
  spent: usdJson(account.spentAmount),
});
