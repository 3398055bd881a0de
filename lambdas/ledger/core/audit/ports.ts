/** The reads of the audit from an account, and its writes of proven results. */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { BookEntry } from '../book-entry.ts';
import type { SumDependencies } from '../usage/account-sums.ts';

/** One shard of a wallet, as one consistent read found it. */
export interface WalletShard {
  readonly id: string;
  readonly balance: NanoUsd;
  readonly holds: readonly {
    /** The call's request id. */
    readonly id: string;
    readonly keyId: string;
    readonly amount: NanoUsd;
    /** Seconds since the epoch. */
    readonly created: number;
  }[];
  readonly owed: NanoUsd;
  /** Counts the postings, transfers and merges that touched the shard. */
  readonly entries: number;
  /** The credit that the shard has received, less the credit that has left it other than by calls. */
  readonly received: NanoUsd;
  /** The cost of all calls whose hold ended in this shard. */
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

/** The usage of an account that an audit has proven: of all records that were created on a day or earlier. */
export interface ProvenUsage {
  /** UTC days since the epoch; -1: of none. */
  readonly through: number;
  readonly cost: NanoUsd;
  /** Changes with every write, so that of two audits at once only one stores what it has proven. 0: not stored yet. */
  readonly version: number;
}

export const NOTHING_PROVEN: ProvenUsage = { through: -1, cost: 0n, version: 0 };

export interface AuditStore {
  /** The shards of an account's wallet, the first shard first; none when the account has no wallet. */
  shards(accountId: string): Promise<readonly WalletShard[]>;
  /** Every entry of its books. */
  entries(accountId: string): AsyncIterable<Pick<BookEntry, 'kind' | 'amount'>>;
  /** The dependencies to read, create and store the usage sums of an account. */
  readonly sums: SumDependencies;
  /** The cost of those of these calls (any number) that have a record. */
  recordedCost(calls: readonly Pick<AuditedCall, 'keyId' | 'id'>[]): Promise<NanoUsd>;
  /** Every record of its keys. */
  usage(accountId: string): AsyncIterable<AuditedCall>;
  proven(accountId: string): Promise<ProvenUsage>;
  /** Stores `proven` as the next version; returns false when another audit has stored one since it was read. */
  storeProven(accountId: string, proven: ProvenUsage): Promise<boolean>;
  /** Removes the costs by day of proven days from the wallet's shards. Safe to repeat. */
  removeDays(days: readonly { readonly shard: string; readonly day: number }[]): Promise<void>;
}
