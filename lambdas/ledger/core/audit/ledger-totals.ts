/** The findings of an audit, for one account or for several. */
import type { NanoUsd } from '../../../platform/core/money.ts';

export interface LedgerTotals {
  readonly topUps: NanoUsd;
  /** Credit removed after a refund or a dispute of a payment. */
  readonly refunds: NanoUsd;
  /** Paid for listings, and received back for them. */
  readonly purchases: NanoUsd;
  readonly purchaseRefunds: NanoUsd;
  /** Credit that sellers received for sales. */
  readonly transfers: NanoUsd;
  /** Proceeds of sellers that are not credit, and the platform's part of the sales. */
  readonly pending: NanoUsd;
  readonly available: NanoUsd;
  readonly inTransit: NanoUsd;
  readonly paidOut: NanoUsd;
  readonly fees: NanoUsd;
  readonly balances: NanoUsd;
  readonly held: NanoUsd;
  /** The cost of all calls whose hold has ended. */
  readonly usage: NanoUsd;
  /** Debt: credit removed after it had been spent, and not paid since. */
  readonly owed: NanoUsd;
  /**
   * The sum, over all accounts, of the largest difference that a check of the account detected, or of an amount below
   * zero.
   */
  readonly drift: NanoUsd;
  /** Seconds for which the oldest pending sale is due. */
  readonly salesOverdue: number;
  /** Every account was verified: no drift, and none unproven. */
  readonly exact: boolean;
  /** Accounts that the audit could not verify. These totals include nothing else of them. */
  readonly unproven: number;
}

export const EMPTY_TOTALS: LedgerTotals = {
  topUps: 0n,
  refunds: 0n,
  purchases: 0n,
  purchaseRefunds: 0n,
  transfers: 0n,
  pending: 0n,
  available: 0n,
  inTransit: 0n,
  paidOut: 0n,
  fees: 0n,
  balances: 0n,
  held: 0n,
  usage: 0n,
  owed: 0n,
  drift: 0n,
  salesOverdue: 0,
  exact: true,
  unproven: 0,
};

/** The totals of an account that could not be verified. */
export const UNPROVEN_TOTALS: LedgerTotals = { ...EMPTY_TOTALS, exact: false, unproven: 1 };

export function addTotals(a: LedgerTotals, b: LedgerTotals): LedgerTotals {
  return {
    topUps: a.topUps + b.topUps,
    refunds: a.refunds + b.refunds,
    purchases: a.purchases + b.purchases,
    purchaseRefunds: a.purchaseRefunds + b.purchaseRefunds,
    transfers: a.transfers + b.transfers,
    pending: a.pending + b.pending,
    available: a.available + b.available,
    inTransit: a.inTransit + b.inTransit,
    paidOut: a.paidOut + b.paidOut,
    fees: a.fees + b.fees,
    balances: a.balances + b.balances,
    held: a.held + b.held,
    usage: a.usage + b.usage,
    owed: a.owed + b.owed,
    drift: a.drift + b.drift,
    salesOverdue: Math.max(a.salesOverdue, b.salesOverdue),
    exact: a.exact && b.exact,
    unproven: a.unproven + b.unproven,
  };
}
