/** The storage of leases: one conditional write of the wallet and one of the key, each atomic by itself. */
import type { KeyState } from '../../../access/core/key-state.ts';
import type { Windows } from '../../../access/core/windows.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { UsageRecord } from '../usage-record.ts';

/** A cost by the UTC day of the usage record: the day of the lease's minute, and the day after. */
export type CostByDay = readonly [NanoUsd, NanoUsd];

export const NO_COST: CostByDay = [0n, 0n];

export const totalOf = ([first, second]: CostByDay): NanoUsd => first + second;

/** A lease as a shard of the wallet and the item of the key store it. Both entries have the id of the lease. */
export interface LeaseEntry {
  readonly keyId: string;
  /** The credit that the lease holds. */
  readonly amount: NanoUsd;
  /** Seconds since the epoch; after it the lease may be recovered. */
  readonly expires: number;
  /** Every request of a lease has its own number, so that no entry recurs. */
  readonly sequence: number;
  /** The total of what was charged to the account from this entry. */
  readonly settled: CostByDay;
}

export interface LeaseWrite {
  readonly leaseId: string;
  /** The write applies only to exactly this entry; undefined if it opens the lease. */
  readonly from: LeaseEntry | undefined;
  /** Undefined if the write closes the lease. */
  readonly to: LeaseEntry | undefined;
  /** What the entry takes from the balance or the caps, nano-USD; less than 0 if it returns credit. */
  readonly change: NanoUsd;
  /** The write takes credit, requests or tokens. A write that only settles and returns has no other condition than the entry. */
  readonly asks: boolean;
}

export interface WalletLeaseWrite extends LeaseWrite {
  /** The shard of the lease. */
  readonly walletId: string;
  /** The UTC day of the first cost of `costs`, counted from the epoch. */
  readonly day: number;
  /** What is charged to the account by this write. */
  readonly costs: CostByDay;
  /** The shard may take what it lacks from the other shards. The item returned is then the sum of all. */
  readonly across: boolean;
}

export interface KeyLeaseWrite extends LeaseWrite {
  readonly keyId: string;
  readonly windows: Windows;
  /** Taken from the minute; less than 0 if returned. */
  readonly requests: number;
  readonly tokens: number;
}

/** The part of a shard that leases need. */
export interface LeasedWallet {
  readonly balance: NanoUsd;
  readonly debt: NanoUsd;
  /** The cost of all calls that were settled in the shard. */
  readonly spentAmount: NanoUsd;
  readonly leases: ReadonlyMap<string, LeaseEntry>;
}

/** A key as of the windows of a lease. */
export interface LeasedKey {
  readonly state: KeyState;
  readonly leases: ReadonlyMap<string, LeaseEntry>;
}

export interface LeaseResult<T> {
  readonly applied: boolean;
  /** The item after the write, or the item that the write did not apply to; undefined if there is none. */
  readonly item: T | undefined;
  /** How often the request was sent: a copy without a response may still arrive. */
  readonly copies: number;
}

/** Each write throws if no response arrived. Then it is unknown whether the write applied, or still will. */
export interface LeaseStore {
  /** An opening is sent once. Any other write may be repeated, as it does nothing to another entry than `from`. */
  writeWallet(write: WalletLeaseWrite): Promise<LeaseResult<LeasedWallet>>;
  writeKey(write: KeyLeaseWrite): Promise<LeaseResult<LeasedKey>>;
  readWallet(walletId: string): Promise<LeasedWallet | undefined>;
  readKey(keyId: string, windows: Windows): Promise<LeasedKey | undefined>;
  /** Returns a random shard of the account's wallet. */
  drawShard(accountId: string): string;
  /** Returns whether the wallet is known to have several shards. */
  hasShards(accountId: string): boolean;
  /** Pays the account's debt from the balance that calls have returned. */
  collect(accountId: string): Promise<void>;
}

/** A record of a call that was admitted by a lease. */
export interface LeasedRecord extends UsageRecord {
  readonly lease: string;
}

/** Past the fence of a lease no record of it may be signed: recovery may already have read the records. */
export class FenceError extends Error {
  override readonly name = 'FenceError';
}

export interface RecordStore {
  /**
   * Writes records, at most `MAX_BATCH`, each over an earlier copy of itself. Returns those that the database did not
   * process. Throws `FenceError`, with nothing sent, if the request would be signed after `fenceMs`.
   */
  putAll(records: readonly LeasedRecord[], fenceMs: number): Promise<readonly LeasedRecord[]>;
  /** The records of a lease of that key, whose request ids lie in a range; the end is exclusive. */
  ofLease(lease: {
    readonly keyId: string;
    readonly leaseId: string;
    readonly from: string;
    readonly to: string;
  }): Promise<readonly UsageRecord[]>;
}

/** Items of one request (Amazon DynamoDB API reference, BatchWriteItem). */
export const MAX_BATCH = 25;
