/** The stores of sellers' balances. Each write is atomic, and changes nothing if what it was computed from has changed. */
import type { EntryKind, EntryNote } from '../../../ledger/core/ledger-entry.ts';
import type { Page } from '../../../platform/core/api/paging.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { BuyerFunds, HoldReason, Sale, SellerBalance } from './sale.ts';

export const TRANSACTION_TYPES = [
  'sale',
  'refund',
  'reversal',
  'transfer',
  'payout',
  'payout_failure',
] as const;
type TransactionType = (typeof TRANSACTION_TYPES)[number];

/**
 * A line of a seller's account: a change of what has been received, a transfer to its own credit, a payout, or a payout
 * that came back.
 */
export interface EarningsTransaction {
  /** `txn_<ulid>`. */
  readonly id: string;
  readonly sellerId: string;
  readonly type: TransactionType;
  /** Below 0 if the balance decreases. */
  readonly amount: NanoUsd;
  /** The sale that it concerns. */
  readonly chargeId?: string | undefined;
  readonly payoutId?: string | undefined;
  /** Seconds since the epoch. */
  readonly created: number;
}

/** A transaction, with its sale as it is now. */
export interface TransactionLine {
  readonly transaction: EarningsTransaction;
  readonly sale: Sale | undefined;
}

/** A ledger entry that a request has created before. */
export interface EarlierEntry {
  readonly amount: NanoUsd;
  readonly created: number;
  /** The id of the transaction. */
  readonly source: string;
}

/** The id of a request's entry: the same again changes nothing. */
export interface EarningsPosting {
  readonly entryId: string;
  readonly transaction: EarningsTransaction;
  /** The most postings of the seller on the day of the transaction (UTC); undefined if it is not the seller's request. */
  readonly max?: number;
  /** The version of the buyer's funds by which the amount was decided; undefined if it does not depend on them. */
  readonly fundsVersion?: number;
  /** The operator who returns a sale, and why. */
  readonly note?: EntryNote;
}

/** Ledger entries that postings of sellers create: in the buyer's ledger, or in their own. */
export type PostedKind = Extract<EntryKind, 'purchase_refund' | 'transfer'>;

/** The item of a sale is this and its charge id. */
export const SALE_PREFIX = 'sale#';

export interface SaleKey {
  readonly sellerId: string;
  readonly chargeId: string;
}

export interface CheckedFunds extends BuyerFunds {
  readonly paymentReversed: boolean;
  /** Increases with every entry in the ledger of the buyer. */
  readonly version: number;
}

export interface EarningsStore {
  balance(sellerId: string): Promise<SellerBalance>;
  findSale(key: SaleKey): Promise<Sale | undefined>;
  /** The time at which the first pending sale after a time is due. */
  nextDue(sellerId: string, createdAfter: number): Promise<number | undefined>;
  /** Newest first. */
  list(sellerId: string, limit: number, after?: string): Promise<Page<TransactionLine>>;
  /** The buyer's funds, and whether a payment from before the sale stands refunded or disputed. */
  funds(sale: Sale): Promise<CheckedFunds>;
  /** The entry that a refund has created in the buyer's ledger, or a transfer in the seller's. */
  findEntry(accountId: string, kind: PostedKind, entryId: string): Promise<EarlierEntry | undefined>;
  /**
   * Returns part of the price to the buyer's wallet, and pays the buyer's debt with it. False if the sale has changed, the
   * balance does not cover it, the seller has made its postings of the day, the buyer's funds are no longer of their
   * version, or the entry exists.
   */
  returnPart(sale: Sale, amount: NanoUsd, posting: EarningsPosting): Promise<boolean>;
  /** Matures a pending sale; what granted credit paid for becomes credit of the seller. False if it has changed. */
  mature(sale: Sale, transaction: EarningsTransaction): Promise<boolean>;
  /** Returns whether the listing is on the market. */
  isListed(listingId: string): Promise<boolean>;
  /** Has the sale wait until `dueAt`. False if it has changed. */
  hold(sale: Sale, dueAt: number, reason: HoldReason): Promise<boolean>;
  /** Has the sale wait without a reason to hold it. False if it has changed. */
  postpone(sale: Sale, dueAt: number): Promise<boolean>;
  /** Returns the days until a sale of this seller matures, if an operator has set them. */
  maturityDays(sellerId: string): Promise<number | undefined>;
  /** Returns the number of postings that the seller has made on the day of a time. */
  postedOn(sellerId: string, seconds: number): Promise<number>;
  /** Makes available earnings credit of the seller. False for the same reasons. */
  transfer(amount: NanoUsd, posting: EarningsPosting): Promise<boolean>;
}
