/** The ledger's storage: what each store must do in one atomic step, so that the rules above it need no transaction. */
import type { CostByDay, LeaseEntry, LeaseResult, LeaseWrite } from '../../access/core/keys/key-leases.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { UnbilledUsage, UsageRecord } from './usage-record.ts';

/** Credit set aside for one call until it is settled: the most that the call can cost. */
export interface Hold {
  /** The call's request id. */
  readonly id: string;
  /** The request that placed the hold, for a call that needed more than one. Set once the hold is placed. */
  readonly attempt?: string;
  /** The shard of the wallet that contains the hold. Set once the hold is placed. */
  readonly walletId?: string;
  readonly keyId: string;
  readonly amount: NanoUsd;
  readonly kind: Kind;
  /** Seconds since the epoch; after it the hold may be recovered. */
  readonly expires: number;
}

/** Credit set aside for the calls that one process admits with a key in one UTC minute. Its id is that of the lease. */
export interface LeaseHold extends LeaseEntry {
  readonly id: string;
  readonly walletId: string;
  readonly kind: 'lease';
}

export type OpenHold = Hold | LeaseHold;

export const isCallHold = (hold: OpenHold): hold is Hold => hold.kind !== 'lease';

export interface Wallet {
  readonly accountId: string;
  /** The credit that calls may hold, after the debt is deducted. */
  readonly balance: NanoUsd;
  /** Debt: credit that was removed after it had been spent. More than 0 only while the balance is 0. */
  readonly debt: NanoUsd;
  /** The number of ledger entries and transfers of the wallet. It distinguishes two states with the same balance. */
  readonly entries: number;
  /** The cost of all calls whose hold has ended in it. */
  readonly spentAmount: NanoUsd;
  readonly holds: readonly OpenHold[];
  /** The amount by which shards do not add up: 0, or an incident. */
  readonly drift: NanoUsd;
}

/** The end of a hold. If its shard is unknown, every shard is checked. */
export interface HoldEnd extends Hold {
  /** At most `amount`. */
  readonly cost: NanoUsd;
  /** The time at which the usage record was written, in seconds since the epoch. The cost counts for that day. */
  readonly recorded: number;
}

export type HoldResult =
  | { readonly granted: true; readonly wallet: Wallet }
  /** `wallet` is undefined when the account has none. */
  | { readonly granted: false; readonly wallet: Wallet | undefined };

/** A write of the entry of a lease in one shard of a wallet. */
export interface WalletLeaseWrite extends LeaseWrite {
  /** The shard of the lease. */
  readonly walletId: string;
  /** The UTC day of the first cost of `costs`, counted from the epoch. */
  readonly day: number;
  /** The cost that this write charges to the account. */
  readonly costs: CostByDay;
}

/** A wallet is stored in as many shards as its load needs; a hold is stored in one of them. */
export interface WalletStore {
  /**
   * Moves `hold.amount` from the balance into a hold if the balance suffices. Repeating it has no further effect.
   * Returned balance first pays the account's debt. The returned wallet is the shard that was tested or, if several
   * were, all of them. Throws 503 if the shards keep changing.
   */
  hold(accountId: string, hold: Hold): Promise<HoldResult>;
  /**
   * Ends that hold, retains `cost` of it and returns the remainder to the balance. Returns the new balance; that of a
   * sharded wallet is at most 2 s old. Returns undefined if there is no such hold (any more): then nothing has changed.
   */
  endHold(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined>;
  /** Returns the current hold, if it is open. */
  findHold(
    accountId: string,
    hold: { readonly id: string; readonly walletId?: string | undefined },
  ): Promise<Hold | undefined>;
  /** The balance; that of a wallet in several shards as it was at most 2 s ago. */
  balance(accountId: string): Promise<NanoUsd>;
  /** Returns all shards as one wallet, as of one instant if concurrent calls allow it. */
  read(accountId: string): Promise<Wallet | undefined>;
  /** Returns a random shard. */
  drawShard(accountId: string): string;
  /** Returns whether the wallet is known to have several shards. */
  hasShards(accountId: string): boolean;
  /** Reads one shard, consistently. */
  readShard(walletId: string): Promise<Wallet | undefined>;
  /**
   * Writes the shard's entry of a lease. If the write asks for more than the shard has, the other shards give it. Then the
   * returned wallet has the balance of all. Throws if no response arrived. An opening is sent once; any other write does
   * nothing to another entry than `from`.
   */
  writeLease(write: WalletLeaseWrite): Promise<LeaseResult<Wallet>>;
}

export interface UsageStore {
  /**
   * Writes the record of a call once. When the call has a record already, nothing changes and that one is
   * returned; repeating the very same write is not a conflict.
   */
  put(record: UsageRecord): Promise<'written' | UsageRecord>;
  get(keyId: string, requestId: string): Promise<UsageRecord | undefined>;
  /** The records of a lease of that key, whose request ids lie in a range; the end is exclusive. */
  ofLease(lease: LeaseRecords): Promise<readonly UsageRecord[]>;
}

export interface LeaseRecords {
  readonly keyId: string;
  readonly leaseId: string;
  readonly from: string;
  readonly to: string;
}

/** Usage beyond the bound of its call, by route: an operator metric, of which a crash may lose some. */
export interface UnbilledStore {
  add(route: string, unbilled: UnbilledUsage): Promise<void>;
  list(): Promise<readonly UnbilledOfRoute[]>;
}

export interface UnbilledOfRoute {
  readonly route: string;
  readonly calls: number;
  readonly amount: NanoUsd;
  /** The largest of its calls. */
  readonly factor: number;
}

/** The calls of one key between two request ids, newest first. */
export interface UsageQuery {
  readonly keyId: string;
  /** Request ids from this one on. */
  readonly from: string;
  /** Request ids up to this one. */
  readonly to: string;
  readonly limit: number;
  /** Continues after this record: the `next` of the page before. */
  readonly before?: string;
}

export interface UsagePage {
  readonly records: readonly UsageRecord[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** The replay flags in the receipts of calls whose responses were replayed. */
export interface ReplayMarks {
  /** Flags a call of a key as replayed. A call without a record, or whose record is gone, stays unchanged. */
  markReplay(call: { readonly keyId: string; readonly requestId: string }, nowSeconds: number): Promise<void>;
}
