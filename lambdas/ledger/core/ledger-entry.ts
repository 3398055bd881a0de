/** The ledger of an account: the entries that changed its credit, except calls. */
import { least, type NanoUsd } from '../../platform/core/money.ts';

const ADDS = ['top_up', 'purchase_refund', 'transfer'] as const;
const TAKES = ['refund', 'purchase'] as const;

export const ENTRY_KINDS = [...ADDS, ...TAKES] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface LedgerEntry {
  readonly kind: EntryKind;
  /** Unique among the account's entries of its kind: the same id again changes nothing. */
  readonly id: string;
  /** More than 0. */
  readonly amount: NanoUsd;
  /**
   * The part of the entry that is money: positive if it came in or back, negative if it left or paid for a listing. 0
   * for granted credit.
   */
  readonly cash: NanoUsd;
  /** The origin of the entry: `grant`, `order`, the id of the purchased listing, or of the seller's transaction. */
  readonly source: string;
  readonly note?: EntryNote;
}

/** The person who made an entry by a command, and why. */
export interface EntryNote {
  readonly by: string;
  readonly reason: string;
}

/** A change of a wallet: of its credit, and of the money in it. */
export interface WalletChange {
  readonly credit: NanoUsd;
  readonly cash: NanoUsd;
}

/** Returns the amount by which an entry changes the account's credit. */
export const changeOf = ({ kind, amount }: Pick<LedgerEntry, 'kind' | 'amount'>): NanoUsd =>
  ADDS.some((adding) => adding === kind) ? amount : -amount;

/** Returns the change of a wallet by its new entries. */
export const walletChangeOf = (
  entries: readonly Pick<LedgerEntry, 'kind' | 'amount' | 'cash'>[],
): WalletChange =>
  entries.reduce(
    ({ credit, cash }, entry) => ({ credit: credit + changeOf(entry), cash: cash + entry.cash }),
    { credit: 0n, cash: 0n },
  );

/**
 * Returns whether the payable money in a wallet pays for a listing: all of the price or none of it. What granted credit
 * pays for, even in part, cannot leave the service as money.
 */
export const isPayable = (payableCash: NanoUsd, price: NanoUsd): boolean => payableCash >= price;

/** Returns whether a change adds credit that is no money: a grant, or proceeds or a refund of what a grant has paid for. */
export const addsGranted = ({ credit, cash }: WalletChange): boolean => credit > 0n && credit > cash;

/**
 * Returns the payable money of a wallet to which granted credit is added. Before that, what the balance no longer covers
 * has been used up, so that the added credit does not replace it. The balance is below 0 by a debt.
 */
export const unspentCash = (payableCash: NanoUsd, balance: NanoUsd): NanoUsd => least(payableCash, balance);
