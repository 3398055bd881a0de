/** The writes of a lease: a tick of both sides at once, and the close of an opening that has no response. */

import {
  type CostByDay,
  type LeasedKey,
  type LeaseEntry,
  type LeaseResult,
  type LeaseWrite,
  NO_COST,
  totalOf,
} from '../../../access/core/key-leases.ts';
import type { Log } from '../../../platform/core/ports.ts';
import type { LeaseState } from './lease-state.ts';
import type { LeasedWallet, LeaseStores } from './ports.ts';
import type { LeaseSide, SideOutcome } from './side.ts';

/** The result that a tick requests of both sides. */
export interface TickTarget {
  /** Undefined to close. */
  readonly entry: LeaseEntry | undefined;
  /** The totals that are then taken from the minute. */
  readonly requests: number;
  readonly tokens: number;
  readonly asks: boolean;
  /** Credit of other shards may be moved to the shard of the lease. */
  readonly across: boolean;
  /** The minute of the lease is over: nothing is taken from it or returned to it. */
  readonly isOver: boolean;
}

/**
 * The result of one side. `unopened`: an opening without a response. `unknown`: neither the write nor a read had a response.
 * `skipped`: there was nothing to write.
 */
export interface SideResponse<T> {
  readonly outcome: SideOutcome | 'unopened' | 'unknown' | 'skipped';
  readonly item?: T | undefined;
  readonly failure?: unknown;
}

interface SideItem<T> {
  readonly send: (write: LeaseWrite) => Promise<LeaseResult<T>>;
  readonly read: () => Promise<T | undefined>;
}

export interface LeaseIdentity {
  readonly id: string;
  readonly keyId: string;
  readonly walletId: string;
}

export class LeaseWriter {
  readonly #stores: LeaseStores;
  readonly #lease: LeaseIdentity;
  readonly #state: LeaseState;
  readonly #log: Log;

  constructor(
    { stores, log }: { readonly stores: LeaseStores; readonly log: Log },
    lease: LeaseIdentity,
    state: LeaseState,
  ) {
    this.#stores = stores;
    this.#log = log;
    this.#lease = lease;
    this.#state = state;
  }

  /** Writes both sides at once. */
  write(target: TickTarget) {
    return Promise.all([this.#writeWallet(target), this.#writeKey(target)]);
  }

  #writeWallet(target: TickTarget): Promise<SideResponse<LeasedWallet>> {
    const { cost, wallet } = this.#state;
    const costs = [cost[0] - wallet.settled[0], cost[1] - wallet.settled[1]] as const;
    return this.#writeSide(wallet, target, this.#walletItem(costs, target.across && target.asks));
  }

  #writeKey(target: TickTarget): Promise<SideResponse<LeasedKey>> {
    const { key } = this.#state;
    const { requests, tokens } = key.confirmed;
    const taken = target.isOver
      ? { requests: 0, tokens: 0 }
      : { requests: target.requests - requests, tokens: target.tokens - tokens };
    return this.#writeSide(key, target, this.#keyItem(taken));
  }

  /** Closes the entries that openings have left. What cannot be closed expires, and is recovered. */
  async close(): Promise<void> {
    const { wallet, key } = this.#state;
    await Promise.allSettled([
      this.#close(wallet, this.#walletItem(NO_COST, false)),
      this.#close(key, this.#keyItem({ requests: 0, tokens: 0 })),
    ]);
  }

  #walletItem(costs: CostByDay, across: boolean): SideItem<LeasedWallet> {
    const { walletId } = this.#lease;
    const shard = { walletId, day: this.#state.windows.day, costs, across };
    return {
      send: (write) => this.#stores.wallets.write({ ...write, ...shard }),
      read: () => this.#stores.wallets.read(walletId),
    };
  }

  #keyItem(taken: { readonly requests: number; readonly tokens: number }): SideItem<LeasedKey> {
    const { keyId } = this.#lease;
    const { windows } = this.#state;
    return {
      send: (write) => this.#stores.keys.write({ ...write, ...taken, keyId, windows }),
      read: () => this.#stores.keys.read(keyId, windows),
    };
  }

  /** A request without a response is never taken as failed: the entry tells what became of it. */
  async #writeSide<T extends LeasedWallet | LeasedKey>(
    side: LeaseSide,
    { entry, asks, requests, tokens }: TickTarget,
    { send, read }: SideItem<T>,
  ): Promise<SideResponse<T>> {
    const from = side.confirmed.entry;
    if (from === undefined && entry === undefined) return { outcome: 'skipped' };
    const settled = this.#state.cost;
    const next = { entry, settled, requests, tokens };
    const charged = totalOf(settled) - totalOf(side.settled);
    const change = (entry?.amount ?? 0n) - (from?.amount ?? 0n) + charged;
    side.expect(next);
    let result: LeaseResult<T>;
    try {
      result = await send({ leaseId: this.#lease.id, from, to: entry, change, asks });
    } catch (failure) {
      this.#log.warn('lease not written', { lease: this.#lease.id, failure: String(failure) });
      if (from === undefined) return { outcome: 'unopened', failure };
      try {
        result = { applied: false, item: await read(), copies: Number.POSITIVE_INFINITY };
      } catch {
        return { outcome: 'unknown', failure };
      }
    }
    const found = result.item?.leases.get(this.#lease.id);
    return { outcome: side.resolve(next, found, result), item: result.item };
  }

  async #close<T extends LeasedWallet | LeasedKey>(
    side: LeaseSide,
    { send, read }: SideItem<T>,
  ): Promise<void> {
    const entry = side.lastEntry;
    if (entry === undefined) return;
    const leaseId = this.#lease.id;
    const found = (await read())?.leases.get(leaseId);
    if (found?.sequence !== entry.sequence) return;
    await send({ leaseId, from: entry, to: undefined, change: -entry.amount, asks: false });
  }
}
