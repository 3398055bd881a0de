/**
 * The statement of an account's credit for a span of UTC days: opening balance + lines = closing balance, exactly. The
 * balances include open holds, and debt is deducted. They are computed backwards from the present wallet, so that the
 * opening balance of a span that includes the account's first day is 0 if no line is missing.
 */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { timeParameter } from '../../../platform/core/api/time-parameter.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { type NanoUsd, usdJson } from '../../../platform/core/money.ts';
import { changeOf, type EntryKind } from '../ledger-entry.ts';
import type { Wallet } from '../ports.ts';
import { chargesBody, chargesSchema, type DatedEntry } from './charges.ts';
import { CSV_FORMATS } from './csv.ts';

const DAY_SECONDS = 86_400;

export const statementQuery = z.object({
  start: timeParameter.optional().describe('Adds a statement that starts with the UTC day of this time.'),
  end: timeParameter
    .optional()
    .describe('The statement ends with the UTC day of this time; the present if it is absent.'),
  format: z.enum(CSV_FORMATS).optional().describe('`csv`: the statement alone. It needs `start`.'),
});

export const statementSchema = z.object({
  start: seconds,
  end: seconds.describe('Midnight after the last day, in seconds since the epoch.'),
  opening: usd,
  top_ups: usd,
  grants: usd,
  transfers: usd.describe('Earnings that became credit.'),
  purchase_refunds: usd,
  purchases: usd.describe('0 or below, as of the next two.'),
  refunds: usd.describe('Of top-ups: refunds and disputes, and credit that the operator took back.'),
  usage: usd,
  closing: usd.describe('balance + held - owed at the end.'),
  ...chargesSchema.shape,
});

type Line = 'top_ups' | 'grants' | 'transfers' | 'purchase_refunds' | 'purchases' | 'refunds' | 'usage';

/** The credit of an account as of one instant, and everything that has changed it. */
export interface CreditHistory {
  readonly wallet: Wallet;
  readonly entries: readonly DatedEntry[];
  /** The cost of calls by UTC day since the epoch. */
  readonly usage: ReadonlyMap<number, NanoUsd>;
}

/** UTC days since the epoch, `end` exclusive. */
export interface DaySpan {
  readonly start: number;
  readonly end: number;
}

/** Returns the days of a query, or undefined if it requests no statement. Throws 400 for an empty span, and for a CSV without one. */
export function statementDays(
  { start, end, format }: z.output<typeof statementQuery>,
  nowMs: number,
): DaySpan | undefined {
  if (start === undefined && format === 'csv')
    throw new ServiceError('invalid_value', 'start: is required for a CSV.', { param: 'start' });
  if (start === undefined) return undefined;
  const dayOf = (ms: number) => Math.floor(ms / 1000 / DAY_SECONDS);
  const span = { start: dayOf(start), end: dayOf(end ?? nowMs) + 1 };
  if (span.start < span.end) return span;
  throw new ServiceError('invalid_value', 'end: must not be before start.', { param: 'end' });
}

const LINE_OF: Readonly<Record<EntryKind, Line>> = {
  top_up: 'top_ups',
  transfer: 'transfers',
  purchase_refund: 'purchase_refunds',
  purchase: 'purchases',
  refund: 'refunds',
};

/** The origin of a top-up that is a payment; any other is granted. */
const OF_ORDERS = /^order/;

const lineOf = ({ kind, source }: DatedEntry): Line =>
  kind === 'top_up' && !OF_ORDERS.test(source) ? 'grants' : LINE_OF[kind];

export function statementBody(
  { wallet, entries, usage }: CreditHistory,
  { start, end }: DaySpan,
): Body<typeof statementSchema> {
  const lines: Record<Line, NanoUsd> = {
    top_ups: 0n,
    grants: 0n,
    transfers: 0n,
    purchase_refunds: 0n,
    purchases: 0n,
    refunds: 0n,
    usage: 0n,
  };
  let closing = creditOf(wallet);
  const count = (line: Line, day: number, change: NanoUsd) => {
    if (day >= end) closing -= change;
    else if (day >= start) lines[line] += change;
  };
  for (const entry of entries) count(lineOf(entry), Math.floor(entry.created / DAY_SECONDS), changeOf(entry));
  for (const [day, cost] of usage) count('usage', day, -cost);
  const span = { start: start * DAY_SECONDS, end: end * DAY_SECONDS };
  const total = Object.values(lines).reduce((sum, amount) => sum + amount, 0n);
  return {
    ...span,
    opening: usdJson(closing - total),
    top_ups: usdJson(lines.top_ups),
    grants: usdJson(lines.grants),
    transfers: usdJson(lines.transfers),
    purchase_refunds: usdJson(lines.purchase_refunds),
    purchases: usdJson(lines.purchases),
    refunds: usdJson(lines.refunds),
    usage: usdJson(lines.usage),
    closing: usdJson(closing),
    ...chargesBody(entries, span),
  };
}

const creditOf = ({ balance, holds, debt }: Wallet): NanoUsd =>
  balance + holds.reduce((sum, { amount }) => sum + amount, 0n) - debt;
