/** What the audit reads of an account, and what it stores of what it has proven. */
import type { NanoUsd } from '../../money.ts';
import type { BookEntry } from '../book-entry.ts';

/** One part of a wallet, as one consistent read found it. */
export interface WalletPart {
  readonly id: string;
  readonly balance: NanoUsd;
  readonly holds: readonly {
    /** The call's request id. */
    readonly id: string;
    readonly amount: NanoUsd;
    /** Seconds since the epoch. */
    readonly created: number;
  }[];
  readonly owed: NanoUsd;
  /** Counts the postings, transfers and merges that touched the part. */
  readonly entries: number;
  /** What the part has received, less what has left it other than by calls. */
  readonly received: NanoUsd;
  /** The cost of all calls whose hold ended in this part. */
  readonly spent: NanoUsd;
  /** The same cost by the UTC day of the usage record, as days since the epoch; days that are proven may be missing. */
  readonly spentByDay: ReadonlyMap<number, NanoUsd>;
}

/** A usage record, as far as the audit needs it. */
export interface AuditedCall {
  readonly keyId: string;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly cost: NanoUsd;
}

/** Where a reading of usage records continues: after this record. */
export type UsagePosition = Pick<AuditedCall, 'keyId' | 'id'>;

/** Which records are read, by the time in their request ids (milliseconds, both inclusive). */
export interface UsageSpan {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly after?: UsagePosition | undefined;
}

/** Sums over the usage records of an account. */
export interface UsageSums {
  readonly cost: NanoUsd;
}

/** The usage of an account that an audit has proven. */
export interface ProvenUsage extends UsageSums {
  /** Of all records that were created on this UTC day (days since the epoch) or earlier; undefined: of none. */
  readonly through: number | undefined;
  /** A reading of the days through `through` that ran out of time, to be continued. */
  readonly partial: PartialReading | undefined;
  /** Changes with every write, so that of two audits at once only one stores its sums. 0: not stored yet. */
  readonly version: number;
}

export interface PartialReading extends UsageSums {
  readonly through: number;
  readonly after: UsagePosition;
}

export const NOTHING_PROVEN: ProvenUsage = {
  through: undefined,
  cost: 0n,
  partial: undefined,
  version: 0,
};

export interface AuditStore {
  /** The parts of an account's wallet, the first part first; none when the account has no wallet. */
  parts(accountId: string): Promise<readonly WalletPart[]>;
  /** Every entry of its books. */
  entries(accountId: string): AsyncIterable<Pick<BookEntry, 'kind' | 'amount'>>;
  /** The records of its keys, ordered by key and request id. */
  usage(accountId: string, span: UsageSpan): AsyncIterable<AuditedCall>;
  proven(accountId: string): Promise<ProvenUsage>;
  /** Stores `proven` as the next version; returns false when another audit has stored one since it was read. */
  storeProven(accountId: string, proven: ProvenUsage): Promise<boolean>;
  /** Removes the costs by day of proven days from the wallet's parts. Safe to repeat. */
  removeDays(days: readonly { readonly part: string; readonly day: number }[]): Promise<void>;
}
