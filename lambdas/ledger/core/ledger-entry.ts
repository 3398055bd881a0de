/** The ledger of an account: the entries that changed its credit, except calls. */
import type { NanoUsd } from '../../platform/core/money.ts';

const ADDS = ['top_up', 'sale'] as const;
const TAKES = ['refund', 'purchase'] as const;

export const ENTRY_KINDS = [...ADDS, ...TAKES] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface LedgerEntry {
  readonly kind: EntryKind;
  /** Unique among the account's entries of its kind: the same id again changes nothing. */
  readonly id: string;
  /** More than 0. */
  readonly amount: NanoUsd;
  /** The origin of the entry: `grant`, `order`, or the id of the purchased listing. */
  readonly source: string;
}

/** Returns the amount by which an entry changes the account's credit. */
export const changeOf = ({ kind, amount }: Pick<LedgerEntry, 'kind' | 'amount'>): NanoUsd =>
  ADDS.some((adding) => adding === kind) ? amount : -amount;
