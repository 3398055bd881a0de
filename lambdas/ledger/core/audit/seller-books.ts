/** A seller's balance and sales, as the audit reads them. */
import type { NanoUsd } from '../../../platform/core/money.ts';

/** A sale as stored, with its part of the balance. */
export interface AuditedSale {
  readonly chargeId: string;
  readonly buyerId: string;
  readonly gross: NanoUsd;
  readonly fee: NanoUsd;
  readonly returned: NanoUsd;
  /** Undefined if it is not pending; seconds since the epoch, as `created`. */
  readonly dueAt: number | undefined;
  readonly payable: boolean;
  readonly created: number;
}

/** A payout as stored: its amount is in one part of the balance. */
export interface AuditedPayout {
  readonly amount: NanoUsd;
  readonly isPaid: boolean;
  /** Failed or canceled. */
  readonly hasEnded: boolean;
  readonly isReturned: boolean;
}

/** A seller's balance and all of its sales, as of one instant. */
export interface SellerBooks {
  /** Changes with every change of the balance or of a sale's amounts. */
  readonly version: number;
  readonly pending: NanoUsd;
  readonly available: NanoUsd;
  readonly inTransit: NanoUsd;
  readonly paidOut: NanoUsd;
  readonly transferred: NanoUsd;
  readonly received: NanoUsd;
  readonly fees: NanoUsd;
  readonly sales: readonly AuditedSale[];
  readonly payouts: readonly AuditedPayout[];
}

/** The entries of a sale in the ledger of its buyer. */
export interface SaleEntries {
  readonly purchase: { readonly amount: NanoUsd; readonly cash: NanoUsd } | undefined;
  readonly refunded: { readonly amount: NanoUsd; readonly cash: NanoUsd };
}

/** The books of an account that has sold nothing. */
export const NO_SALES: SellerBooks = {
  version: 0,
  pending: 0n,
  available: 0n,
  inTransit: 0n,
  paidOut: 0n,
  transferred: 0n,
  received: 0n,
  fees: 0n,
  sales: [],
  payouts: [],
};

export interface MarketReader {
  /** Undefined if the seller's balance changed at every reading. */
  sellerBooks(accountId: string): Promise<SellerBooks | undefined>;
  saleEntries(sale: AuditedSale): Promise<SaleEntries>;
}
