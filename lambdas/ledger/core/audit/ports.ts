/** The audit's reads of an account, and its writes of verified results. */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { LedgerEntry } from '../ledger-entry.ts';
import type { RollupDependencies } from '../usage/account-rollups.ts';
import type { LedgerTotals } from './ledger-totals.ts';

/** One shard of a wallet, from one consistent read. */
export interface WalletShard {
  readonly id: string;
  readonly balance: NanoUsd;
  readonly holds: readonly {
    /** The call's request id, or the id of a lease. */
    readonly id: string;
    readonly keyId: string;
    readonly amount: NanoUsd;
    /** Seconds since the epoch. */
    readonly created: number;
    /** Only of a lease: the cost that was charged from it so far. */
    readonly settled?: NanoUsd | undefined;
  }[];
  readonly debt: NanoUsd;
  /** Counts the postings, transfers and merges that touched the shard. */
  readonly entries: number;
  /** The credit that the shard has received, less the credit that has left it other than by calls. */
  readonly received: NanoUsd;
  /** Money that was paid in less money that left, only in the first shard. */
  readonly netCash: NanoUsd;
  /** The part of it that may still pay for listings, only in the first shard. */
  readonly payableCash: NanoUsd;
  /** The cost of all calls whose hold ended in this shard. */
  readonly spentAmount: NanoUsd;
  /** The same cost by the UTC day of the usage record, as days since the epoch. Verified days may be missing. */
  readonly spentByDay: ReadonlyMap<number, NanoUsd>;
}

/** The fields of a usage record that the audit needs. */
export interface AuditedCall {
  readonly keyId: string;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly cost: NanoUsd;
  /** The lease that admitted the call, if one did. */
  readonly lease?: string | undefined;
}

/** The usage of an account that an audit has verified: all records created on or before a day. */
export interface ProvenUsage {
  /** UTC days since the epoch; -1: of none. */
  readonly through: number;
  readonly cost: NanoUsd;
  /** Changes with every write, so that only one of two concurrent audits stores its result. 0: not stored yet. */
  readonly version: number;
}

export const NO_PROVEN_USAGE: ProvenUsage = { through: -1, cost: 0n, version: 0 };

export interface ComparisonOptions {
  /** The credit that the account's ledger received from its earnings. */
  readonly transfers: NanoUsd;
  readonly nowSeconds: number;
  /** Also compares what an earlier audit has compared. */
  readonly isWhole: boolean;
}

/** The earnings of an account as a seller, as of one instant. */
export interface AuditedEarnings {
  /** Returns their part of the account's totals. */
  totals(nowSeconds: number): Partial<LedgerTotals>;
  /** Returns the difference of each check; each is a part of the account's drift. */
  differences(options: ComparisonOptions): Promise<ReadonlyMap<string, NanoUsd>>;
}

/** The check of the context that has the earnings. */
export interface EarningsCheck {
  /** Undefined if the earnings changed at every reading. */
  readEarnings(accountId: string): Promise<AuditedEarnings | undefined>;
}

export interface AuditStore extends EarningsCheck {
  /** The shards of an account's wallet, the first shard first; none when the account has no wallet. */
  shards(accountId: string): Promise<readonly WalletShard[]>;
  /** Every entry of the account's ledger. */
  entries(accountId: string): AsyncIterable<Pick<LedgerEntry, 'kind' | 'amount' | 'cash'>>;
  /** The dependencies to read, compute and store the usage rollups of an account. */
  readonly rollups: RollupDependencies;
  /** The cost of calls that have a record, and that these holds (any number) still contain. */
  recordedCost(
    holds: readonly Pick<WalletShard['holds'][number], 'keyId' | 'id' | 'settled'>[],
  ): Promise<NanoUsd>;
  /** Every record of its keys. */
  usage(accountId: string): AsyncIterable<AuditedCall>;
  readProvenUsage(accountId: string): Promise<ProvenUsage>;
  /** Stores `provenUsage` as the next version. Returns false if another audit has stored a version since the read. */
  storeProvenUsage(accountId: string, provenUsage: ProvenUsage): Promise<boolean>;
  /** Removes the costs of verified days from the wallet's shards. Safe to repeat. */
  removeDays(days: readonly { readonly shard: string; readonly day: number }[]): Promise<void>;
}
