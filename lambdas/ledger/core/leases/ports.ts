/** The storage of leases: one conditional write of the wallet and one of the key, each atomic by itself. */
import type {
  CostByDay,
  KeyLeaseStore,
  LeasedKey,
  LeaseEntry,
  LeaseResult,
  LeaseWrite,
} from '../../../access/core/key-leases.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { After, Clock, Log } from '../../../platform/core/ports.ts';
import type { UsageRecord } from '../usage-record.ts';
import type { LeaseTimes } from './times.ts';

export interface WalletLeaseWrite extends LeaseWrite {
  /** The shard of the lease. */
  readonly walletId: string;
  /** The UTC day of the first cost of `costs`, counted from the epoch. */
  readonly day: number;
  /** The cost that this write charges to the account. */
  readonly costs: CostByDay;
  /** The shard may take what it lacks from the other shards. The item returned is then the sum of all. */
  readonly across: boolean;
}

/** The part of a shard that leases need. */
export interface LeasedWallet {
  readonly balance: NanoUsd;
  readonly debt: NanoUsd;
  /** The cost of all calls that were settled in the shard. */
  readonly spentAmount: NanoUsd;
  readonly leases: ReadonlyMap<string, LeaseEntry>;
}

/** The leases of wallets. */
export interface WalletLeaseStore {
  /** Throws if no response arrived. An opening is sent once; any other write does nothing to another entry than `from`. */
  write(write: WalletLeaseWrite): Promise<LeaseResult<LeasedWallet>>;
  /** Reads a shard, consistently. */
  read(walletId: string): Promise<LeasedWallet | undefined>;
  /** Returns a random shard of the account's wallet. */
  drawShard(accountId: string): string;
  /** Returns whether the wallet is known to have several shards. */
  hasShards(accountId: string): boolean;
  /** Pays the account's debt from the balance that calls have returned. */
  collect(accountId: string): Promise<void>;
}

export interface LeaseStores {
  readonly wallets: WalletLeaseStore;
  readonly keys: KeyLeaseStore;
}

/** A shard of a wallet and a key, as the responses of a tick showed them. */
export interface SeenItems {
  readonly walletId: string;
  readonly wallet: LeasedWallet | undefined;
  readonly key: LeasedKey | undefined;
}

/** The dependencies of all leases of a process. */
export interface LeaseDependencies {
  readonly stores: LeaseStores;
  /** The time of day. */
  readonly clock: Clock;
  /** Milliseconds of the process, which no correction of its clock changes. */
  readonly uptime: Clock;
  readonly after: After;
  readonly times: LeaseTimes;
  readonly log: Log;
  /** Recovers expired leases that an item shows. */
  readonly recovery: { recoverQuietly(seen: SeenItems): void };
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
