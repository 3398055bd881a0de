/**
 * Recovery of holds and leases whose process died. Any number of processes may recover the same one, at any time.
 *
 * - A hold is settled from the usage record of its call if it has one, else released. A release first writes its own record,
 *   which decides the case before a late settlement of a call that was considered dead.
 * - A lease is charged what was recorded and not yet charged, and the rest returns. Each write applies only to the entry that
 *   it was computed from. No record of it can arrive any more (`lease-times.ts`).
 */
import { decodeTime } from 'ulid';
import { type CostByDay, type LeaseEntry, totalOf } from '../../access/core/keys/key-leases.ts';
import type { KeyState } from '../../access/core/keys/key-state.ts';
import type { KeyStore } from '../../access/core/keys/key-store.ts';
import { windowsAt } from '../../access/core/keys/windows.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import { requestRange } from './lease-times.ts';
import {
  type Hold,
  isCallHold,
  type LeaseHold,
  type OpenHold,
  type UsageStore,
  type Wallet,
  type WalletStore,
} from './ports.ts';
import { type UsageRecord, unitOf } from './usage-record.ts';

export interface RecoveryCount {
  /** Holds ended at the cost in their usage record, and leases. */
  readonly settled: number;
  /** Holds ended at no cost. */
  readonly released: number;
}

export interface ExpiredHolds {
  readonly accountId: string;
  readonly holds: readonly OpenHold[];
}

interface RecoveryDependencies {
  readonly keys: Pick<KeyStore, 'read' | 'writeLease'>;
  readonly wallets: Pick<WalletStore, 'read' | 'endHold' | 'writeLease'>;
  readonly usage: Pick<UsageStore, 'put' | 'ofLease'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Each takes three database calls, which the caller of the call that met it waits for. */
const MAX_PER_TOUCH = 2;

const SECONDS_A_DAY = 86_400;

export class Recovery {
  readonly #dependencies: RecoveryDependencies;

  constructor(dependencies: RecoveryDependencies) {
    this.#dependencies = dependencies;
  }

  /** The holds and leases of a wallet that have expired by now. */
  expiredOf({ accountId, holds }: Pick<Wallet, 'accountId' | 'holds'>): ExpiredHolds {
    return { accountId, holds: holds.filter((hold) => this.#hasExpired(hold)) };
  }

  /** Ends every expired hold of the wallet, as it was read; safe to repeat and to race. */
  recoverWallet(wallet: Pick<Wallet, 'accountId' | 'holds'>): Promise<RecoveryCount> {
    return this.recover(this.expiredOf(wallet));
  }

  async recover({ accountId, holds }: ExpiredHolds): Promise<RecoveryCount> {
    const count = { settled: 0, released: 0, left: 0 };
    for (const hold of holds)
      count[isCallHold(hold) ? await this.#endHold(accountId, hold) : await this.#endLease(hold)] += 1;
    return { settled: count.settled, released: count.released };
  }

  /** Some of it, after a call that met expired holds; a failure is logged, and the rest left to the next touch. */
  async recoverQuietly({ accountId, holds }: ExpiredHolds): Promise<void> {
    try {
      await this.recover({ accountId, holds: holds.slice(0, MAX_PER_TOUCH) });
    } catch (failure) {
      this.#dependencies.log.warn('recovery failed', { accountId, failure: String(failure) });
    }
  }

  /**
   * Recovers the expired leases that a key has. Those that a process left in the key alone, because it died between the two
   * writes of an opening or a close, are found here only.
   */
  async recoverKey({ keyId, leases }: Pick<KeyState, 'keyId' | 'leases'>): Promise<void> {
    for (const [id, entry] of leases ?? [])
      if (this.#hasExpired(entry)) await this.#endKeyLease(keyId, id, entry);
  }

  #hasExpired = ({ expires }: { readonly expires: number }): boolean =>
    expires * 1000 <= this.#dependencies.clock();

  async #endHold(accountId: string, hold: Hold): Promise<'settled' | 'released' | 'left'> {
    const record = await this.#decide(accountId, hold);
    // A late copy of a hold that was settled already is released: its call has paid.
    const isSameAttempt = record.attempt === hold.attempt;
    const balance = await this.#dependencies.wallets.endHold(accountId, {
      ...hold,
      cost: isSameAttempt ? record.cost : 0n,
      recorded: record.created,
    });
    if (balance === undefined) return 'left';
    return record.status === 'expired' ? 'released' : 'settled';
  }

  /**
   * Returns the outcome of the call: its usage record, or else a new record with the status expired. The charge of an
   * expired call is missing from the caps of its key until they are repaired.
   */
  async #decide(accountId: string, hold: Hold): Promise<UsageRecord> {
    const { usage, clock } = this.#dependencies;
    const record = expiredRecord(accountId, hold, Math.floor(clock() / 1000));
    const written = await usage.put(record);
    return written === 'written' ? record : written;
  }

  /** The key comes first, because the wallet's entry leads to it. */
  async #endLease(lease: LeaseHold): Promise<'settled' | 'left'> {
    const { keys, wallets } = this.#dependencies;
    const { id: leaseId, keyId, walletId } = lease;
    const keyEntry = (await keys.read(keyId))?.leases?.get(leaseId);
    if (keyEntry !== undefined && !(await this.#endKeyLease(keyId, leaseId, keyEntry))) return 'left';
    const { costs, day, change } = await this.#remainderOf(leaseId, lease);
    const write = { leaseId, from: lease, to: undefined, change, asks: false };
    return (await wallets.writeLease({ ...write, walletId, day, costs })).applied ? 'settled' : 'left';
  }

  /** Returns whether the entry of the key is gone. */
  async #endKeyLease(keyId: string, leaseId: string, entry: LeaseEntry): Promise<boolean> {
    const { change } = await this.#remainderOf(leaseId, entry);
    const windows = windowsAt(decodeTime(leaseId));
    const write = { leaseId, from: entry, to: undefined, change, asks: false };
    const { applied, item } = await this.#dependencies.keys.writeLease({
      ...write,
      keyId,
      windows,
      requests: 0,
      tokens: 0,
    });
    return applied || item?.leases?.has(leaseId) !== true;
  }

  /** Returns the recorded cost that was not charged from the entry yet, by day, and the change of credit that ends it. */
  async #remainderOf(leaseId: string, { keyId, amount, settled }: LeaseEntry) {
    const startMs = decodeTime(leaseId);
    const { day } = windowsAt(startMs);
    const records = await this.#dependencies.usage.ofLease({ keyId, leaseId, ...requestRange(startMs) });
    const costs: [NanoUsd, NanoUsd] = [-settled[0], -settled[1]];
    for (const { created, cost } of records) costs[Math.floor(created / SECONDS_A_DAY) > day ? 1 : 0] += cost;
    return { costs: costs as CostByDay, day, change: totalOf(costs) - amount };
  }
}

/** The account's wallet after its expired holds are recovered: they lock credit that is there. Throws when it has none. */
export async function currentWallet(
  { wallets, recovery }: { readonly wallets: Pick<WalletStore, 'read'>; readonly recovery: Recovery },
  accountId: string,
): Promise<Wallet> {
  const wallet = await wallets.read(accountId);
  if (wallet === undefined) throw new Error(`account ${accountId} has no wallet`);
  const { settled, released } = await recovery.recoverWallet(wallet);
  return settled + released === 0 ? wallet : ((await wallets.read(accountId)) ?? wallet);
}

function expiredRecord(accountId: string, hold: Hold, created: number): UsageRecord {
  return {
    id: hold.id,
    attempt: hold.attempt,
    keyId: hold.keyId,
    accountId,
    created,
    model: null,
    kind: hold.kind,
    inputUnits: 0,
    cachedUnits: 0,
    outputUnits: 0,
    heldAmount: hold.amount,
    unit: unitOf(hold.kind),
    cost: 0n,
    estimated: false,
    route: null,
    status: 'expired',
  };
}
