/**
 * One of the two entries of a lease, in the wallet or in the key, as its process knows it. A request without a response may
 * have changed the entry or may still change it, so each state that the entry may be in is kept until a response excludes it.
 */
import {
  type CostByDay,
  type LeaseEntry,
  type LeaseResult,
  type LeaseWrite,
  NO_COST,
  totalOf,
} from '../../../access/core/keys/key-leases.ts';
import { least, type NanoUsd } from '../../../platform/core/money.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';

/** A state of an entry. */
export interface SideState {
  /** Undefined if the item has no such entry. */
  readonly entry: LeaseEntry | undefined;
  /** The total of what was charged by then. It outlasts the entry: a side that has closed may open again. */
  readonly settled: CostByDay;
  /** The totals that the lease has taken from the minute of its key. */
  readonly requests: number;
  readonly tokens: number;
}

const NOT_OPEN: SideState = { entry: undefined, settled: NO_COST, requests: 0, tokens: 0 };

/** A limit of the minute. */
export type MinuteLimit = 'requests' | 'tokens';

/**
 * The result of a write. `gone`: another process has recovered the lease. `unopened`: an opening without a response.
 * `unknown`: neither the write nor a read had a response. `skipped`: there was nothing to write.
 */
export type SideOutcome = 'applied' | 'refused' | 'gone' | 'unopened' | 'unknown' | 'skipped';

/** The item of a side in the database. */
export interface SideItem<T> {
  send(
    write: LeaseWrite,
    change: { readonly from: SideState; readonly to: SideState },
  ): Promise<LeaseResult<T>>;
  read(): Promise<T | undefined>;
  entryOf(item: T): LeaseEntry | undefined;
}

export interface SideOptions {
  readonly leaseId: string;
  readonly uptime: Clock;
  readonly log: Log;
}

export class LeaseSide<T> {
  /** The item as the last response showed it. */
  item: T | undefined;
  /** The time of the request that returned it, uptime. */
  readMs = Number.NEGATIVE_INFINITY;
  readonly #stored: SideItem<T>;
  readonly #options: SideOptions;
  #confirmed: SideState = NOT_OPEN;
  /** The results of requests whose outcome is unknown. */
  #candidates: SideState[] = [];

  constructor(stored: SideItem<T>, options: SideOptions) {
    this.#stored = stored;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#confirmed.entry !== undefined;
  }

  get settled(): CostByDay {
    return this.#confirmed.settled;
  }

  /** Returns the credit that the entry holds for certain, less the bounds of open calls and the cost of recorded ones. */
  free(drawn: NanoUsd, cost: NanoUsd): NanoUsd {
    return this.#states()
      .map(({ entry, settled }) => (entry?.amount ?? 0n) - drawn - (cost - totalOf(settled)))
      .reduce(least);
  }

  /** The total that the lease has taken for certain. */
  taken(what: MinuteLimit): number {
    return Math.min(...this.#states().map((state) => state[what]));
  }

  /** Writes the next state. A request without a response is never taken as failed: the entry tells what became of it. */
  async write(to: SideState, asks: boolean): Promise<SideOutcome> {
    const { leaseId, uptime, log } = this.#options;
    const from = this.#confirmed;
    if (from.entry === undefined && to.entry === undefined) return 'skipped';
    const charged = totalOf(to.settled) - totalOf(from.settled);
    const change = (to.entry?.amount ?? 0n) - (from.entry?.amount ?? 0n) + charged;
    this.#candidates.push(to);
    const sentMs = uptime();
    let result: LeaseResult<T>;
    try {
      const write = { leaseId, from: from.entry, to: to.entry, change, asks };
      result = await this.#stored.send(write, { from, to });
    } catch (failure) {
      log.warn('lease not written', { lease: leaseId, failure: String(failure) });
      if (from.entry === undefined) return 'unopened';
      try {
        result = { applied: false, item: await this.#stored.read(), copies: Number.POSITIVE_INFINITY };
      } catch {
        return 'unknown';
      }
    }
    if (result.item !== undefined) [this.item, this.readMs] = [result.item, sentMs];
    return this.#resolve(to, result);
  }

  /**
   * Closes the side of a lease without open calls: an open entry like any other write, and the entry that an opening without
   * a response may have left. Throws if there was no response: then it expires, and is recovered.
   */
  async close(to: SideState): Promise<void> {
    const opening = this.#candidates.at(-1)?.entry;
    if (this.isOpen || opening === undefined) {
      await this.write(to, false);
      return;
    }
    const item = await this.#stored.read();
    const found = item && this.#stored.entryOf(item);
    if (found?.sequence !== opening.sequence) return;
    // A side that was closed had charged all, so the opening charged nothing.
    const write = { leaseId: this.#options.leaseId, from: opening, to: undefined, change: -opening.amount };
    await this.#stored.send({ ...write, asks: false }, { from: to, to });
  }

  /** Draws the conclusion of a response. */
  #resolve(to: SideState, { applied, item, copies }: LeaseResult<T>): SideOutcome {
    if (applied) return this.#adopt(to, to);
    const found = item && this.#stored.entryOf(item);
    if (isSame(found, this.#confirmed.entry)) {
      if (copies === 1) this.#candidates = this.#candidates.filter((candidate) => candidate !== to);
      return 'refused';
    }
    const match = this.#candidates.find(({ entry }) => isSame(found, entry));
    return match === undefined ? 'gone' : this.#adopt(match, to);
  }

  #adopt(state: SideState, requested: SideState): SideOutcome {
    this.#confirmed = state;
    this.#candidates = [];
    return state === requested ? 'applied' : 'refused';
  }

  #states(): readonly SideState[] {
    return [this.#confirmed, ...this.#candidates];
  }
}

/** Both entries are undefined, or the same in all that a lease changes. */
const isSame = (a: LeaseEntry | undefined, b: LeaseEntry | undefined): boolean =>
  a?.sequence === b?.sequence &&
  a?.amount === b?.amount &&
  a?.settled[0] === b?.settled[0] &&
  a?.settled[1] === b?.settled[1];
