/**
 * One of the two entries of a lease, as its process knows it. A request without a response may have changed the entry or may
 * still change it, so each state that the entry may be in is kept until a response excludes it.
 */

import {
  type CostByDay,
  type LeaseEntry,
  type LeaseResult,
  NO_COST,
  totalOf,
} from '../../../access/core/key-leases.ts';
import { least, type NanoUsd } from '../../../platform/core/money.ts';

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

export type SideOutcome = 'applied' | 'refused' | 'gone';

export class LeaseSide {
  #confirmed: SideState = NOT_OPEN;
  /** The results of requests whose outcome is unknown. */
  #candidates: SideState[] = [];

  get confirmed(): SideState {
    return this.#confirmed;
  }

  get isOpen(): boolean {
    return this.#confirmed.entry !== undefined;
  }

  get settled(): CostByDay {
    return this.#confirmed.settled;
  }

  /** The last entry that was sent or confirmed. */
  get lastEntry(): LeaseEntry | undefined {
    return this.#confirmed.entry ?? this.#candidates.at(-1)?.entry;
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

  /** Notes that a request is about to be sent. */
  expect(next: SideState): void {
    this.#candidates.push(next);
  }

  /** Draws the conclusion of a response. `gone`: another process has recovered the lease. */
  resolve(
    next: SideState,
    found: LeaseEntry | undefined,
    { applied, copies }: Omit<LeaseResult<unknown>, 'item'>,
  ): SideOutcome {
    if (applied) return this.#adopt(next, next);
    if (isSame(found, this.#confirmed.entry)) {
      if (copies === 1) this.#candidates = this.#candidates.filter((candidate) => candidate !== next);
      return 'refused';
    }
    const match = this.#candidates.find(({ entry }) => isSame(found, entry));
    return match === undefined ? 'gone' : this.#adopt(match, next);
  }

  #adopt(state: SideState, next: SideState): SideOutcome {
    this.#confirmed = state;
    this.#candidates = [];
    return state === next ? 'applied' : 'refused';
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
