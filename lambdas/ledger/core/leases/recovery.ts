/**
 * Recovery of leases whose process died. What was recorded and not charged is charged, and the rest returns. Any number of
 * processes may recover the same lease: each write applies only to the entry that it was computed from.
 */
import { decodeTime } from 'ulid';
import { type CostByDay, type LeaseEntry, totalOf } from '../../../access/core/key-leases.ts';
import { windowsAt } from '../../../access/core/windows.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import type { UsageRecord } from '../usage-record.ts';
import type { LeaseStores, RecordStore, SeenItems } from './ports.ts';
import { requestRange } from './times.ts';

export interface LeaseRecoveryDependencies {
  readonly stores: LeaseStores;
  readonly records: Pick<RecordStore, 'ofLease'>;
  readonly clock: Clock;
  readonly log: Log;
}

const SECONDS_A_DAY = 86_400;

export class LeaseRecovery {
  readonly #dependencies: LeaseRecoveryDependencies;

  constructor(dependencies: LeaseRecoveryDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Recovers an expired lease that a shard of a wallet holds. The key comes first, because the wallet's entry leads to it.
   * Returns whether this process removed the wallet's entry.
   */
  async recover(walletId: string, leaseId: string, entry: LeaseEntry): Promise<boolean> {
    const { stores } = this.#dependencies;
    const windows = windowsAt(decodeTime(leaseId));
    const keyEntry = (await stores.keys.read(entry.keyId, windows))?.leases.get(leaseId);
    if (keyEntry !== undefined && !(await this.recoverKey(leaseId, keyEntry))) return false;
    const { day } = windows;
    const costs = chargedByDay(await this.#recordsOf(leaseId, entry), day, entry);
    const change = totalOf(costs) - entry.amount;
    const write = { leaseId, from: entry, to: undefined, change, asks: false };
    return (await stores.wallets.write({ ...write, walletId, day, costs, across: false })).applied;
  }

  /** Recovers the entry of a key. Returns whether it is gone. */
  async recoverKey(leaseId: string, entry: LeaseEntry): Promise<boolean> {
    const windows = windowsAt(decodeTime(leaseId));
    const costs = chargedByDay(await this.#recordsOf(leaseId, entry), windows.day, entry);
    const { applied, item } = await this.#dependencies.stores.keys.write({
      leaseId,
      keyId: entry.keyId,
      windows,
      from: entry,
      to: undefined,
      change: totalOf(costs) - entry.amount,
      asks: false,
      requests: 0,
      tokens: 0,
    });
    return applied || item?.leases.has(leaseId) === false;
  }

  /** Recovers the expired leases of a key. */
  async recoverExpired(keyId: string): Promise<void> {
    const key = await this.#dependencies.stores.keys.read(keyId, windowsAt(this.#dependencies.clock()));
    for (const [id, entry] of key?.leases ?? [])
      if (this.#hasExpired(entry)) await this.recoverKey(id, entry);
  }

  /**
   * Recovers the expired leases that items show, one after the other. A failure is logged, and left to the next process. An
   * entry of a key alone, whose process died between the two writes of an opening or a close, is found here or at night.
   */
  recoverQuietly({ walletId, wallet, key }: SeenItems): void {
    const recoverAll = async () => {
      for (const [id, entry] of wallet?.leases ?? [])
        if (this.#hasExpired(entry)) await this.recover(walletId, id, entry);
      for (const [id, entry] of key?.leases ?? [])
        if (this.#hasExpired(entry)) await this.recoverKey(id, entry);
    };
    recoverAll().catch((failure: unknown) => {
      this.#dependencies.log.warn('lease not recovered', { walletId, failure: String(failure) });
    });
  }

  #hasExpired = ({ expires }: LeaseEntry): boolean => expires * 1000 <= this.#dependencies.clock();

  #recordsOf(leaseId: string, { keyId }: LeaseEntry): Promise<readonly UsageRecord[]> {
    return this.#dependencies.records.ofLease({ keyId, leaseId, ...requestRange(decodeTime(leaseId)) });
  }
}

/** The cost that was recorded and not yet charged from the entry. */
function chargedByDay(records: readonly UsageRecord[], day: number, { settled }: LeaseEntry): CostByDay {
  const costs: [NanoUsd, NanoUsd] = [-settled[0], -settled[1]];
  for (const { created, cost } of records) costs[Math.floor(created / SECONDS_A_DAY) > day ? 1 : 0] += cost;
  return costs;
}
