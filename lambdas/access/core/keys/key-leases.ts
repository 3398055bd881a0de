/**
 * The leases of a key: limits that processes have taken in advance, each for the calls that it admits in one UTC minute. The
 * ledger has the rules; a shard of the account's wallet has an entry under the same id.
 */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Windows } from './windows.ts';

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
  /** The credit that the entry takes from the balance or the caps, nano-USD; less than 0 if it returns credit. */
  readonly change: NanoUsd;
  /** The write takes credit, requests or tokens. A write that only settles and returns has no other condition than the entry. */
  readonly asks: boolean;
}

export interface KeyLeaseWrite extends LeaseWrite {
  readonly keyId: string;
  readonly windows: Windows;
  /** Taken from the minute; less than 0 if returned. */
  readonly requests: number;
  readonly tokens: number;
}

export interface LeaseResult<T> {
  readonly applied: boolean;
  /** The item after the write, or the item that the write did not apply to; undefined if there is none. */
  readonly item: T | undefined;
  /** The number of times that the request was sent. A copy without a response may still arrive. */
  readonly copies: number;
}
