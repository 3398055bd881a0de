/** The sellers of a deployment, for an operator: balances, the part of the sales that did not hold, and payouts by status. */
import * as z from 'zod';
import { cursor, limit, type Page } from '../../../platform/core/api/paging.ts';
import { type Body, idOf, usd } from '../../../platform/core/api/response-schema.ts';
import { type NanoUsd, usdJson } from '../../../platform/core/money.ts';
import { remainingOf, type Sale } from '../earnings/sale.ts';
import { PAYOUT_STATUSES, type Payout, payoutStatus } from './payout.ts';
import type { SellerState } from './ports.ts';

export interface SalesTotals {
  /** The prices of all sales. */
  readonly sold: NanoUsd;
  /** Remaining prices of sales that wait because the payment behind them is disputed or was refunded. */
  readonly held: NanoUsd;
  /** The part that buyers received back. */
  readonly returned: NanoUsd;
}

type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** Totals by status; a status without a payout is missing. */
export type PayoutTotals = ReadonlyMap<PayoutStatus, { readonly count: number; readonly total: NanoUsd }>;

export interface SellerSummary {
  readonly sellerId: string;
  readonly state: SellerState;
  readonly sales: SalesTotals;
  readonly payouts: PayoutTotals;
}

/** Reads a page of at most `limit` sellers after the item of the market that `after` names; a page may have none. */
export type SellerSummaries = (query: {
  readonly limit: number;
  readonly after: string | undefined;
}) => Promise<Page<SellerSummary>>;

export const NO_SALES_TOTALS: SalesTotals = { sold: 0n, held: 0n, returned: 0n };

export const addSale = ({ sold, held, returned }: SalesTotals, sale: Sale): SalesTotals => ({
  sold: sold + sale.gross,
  held: sale.held ? held + remainingOf(sale) : held,
  returned: returned + sale.returned,
});

export function addPayout(totals: PayoutTotals, payout: Payout): PayoutTotals {
  const status = payoutStatus(payout);
  const { count, total } = totals.get(status) ?? { count: 0, total: 0n };
  return new Map(totals).set(status, { count: count + 1, total: total + payout.amount });
}

/** A page ends where its reading ended, at any item of any owner. */
const MARKET_ITEM = /^\S{1,60} \S{1,80}$/;

/** The query of `GET /api/v1/operator/sellers`. */
export const sellersQuery = z.object({ limit, cursor: cursor(MARKET_ITEM).optional() });

export const sellerSummarySchema = z.object({
  id: idOf('acc'),
  object: z.literal('seller_summary'),
  payouts_paused: z.boolean().describe('By the operator’s command `seller pause`.'),
  maturity_days: z
    .int()
    .nullable()
    .describe('Set by the operator for this seller; `null` if its sales mature as those of all sellers.'),
  pending: usd,
  available: usd,
  in_transit: usd,
  paid_out: usd,
  transferred: usd.describe('Has become the account’s own credit.'),
  sold: usd.describe('The prices of all sales.'),
  held: usd.describe('Of `sold`: of pending sales whose payment is disputed or was refunded.'),
  returned: usd.describe('Of `sold`: returned to buyers, by refunds and reversals.'),
  payouts: z
    .array(z.object({ status: z.enum(PAYOUT_STATUSES), count: z.int(), total: usd }))
    .describe('All payouts, by status.'),
});

export const sellerSummaryEntry = ({
  sellerId,
  state: { balance, paused, maturityDays },
  sales,
  payouts,
}: SellerSummary): Body<typeof sellerSummarySchema> => ({
  id: sellerId,
  object: 'seller_summary',
  payouts_paused: paused,
  maturity_days: maturityDays ?? null,
  pending: usdJson(balance.pending),
  available: usdJson(balance.available),
  in_transit: usdJson(balance.inTransit),
  paid_out: usdJson(balance.paidOut),
  transferred: usdJson(balance.transferred),
  sold: usdJson(sales.sold),
  held: usdJson(sales.held),
  returned: usdJson(sales.returned),
  payouts: [...payouts].map(([status, { count, total }]) => ({ status, count, total: usdJson(total) })),
});
