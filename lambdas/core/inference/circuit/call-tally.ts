/** What one process has seen of calls over routes itself, and which successes it has not reported to a circuit yet. */

import { BoundedMap } from '../../bounded-map.ts';
import type { Clock } from '../../ports.ts';
import { type Bucket, callsAt, withinWindow } from './call-window.ts';

/** More than a process serves in a window, of routes or of accounts on them; 200 bytes each. */
const MAX_KEYS = 10_000;

/** Keys stand for the circuits that the calls count in. */
export class CallTally {
  readonly #clock: Clock;
  /** Successes of the window, reported or not. */
  readonly #seen = new BoundedMap<string, readonly Bucket[]>(MAX_KEYS);
  readonly #unreported = new BoundedMap<string, readonly Bucket[]>(MAX_KEYS);
  /** Where the last call failed. */
  readonly #failing = new BoundedMap<string, true>(MAX_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a success; gives whether the call before it failed. */
  succeeded(key: string): boolean {
    this.#add(key, callsAt(this.#clock(), { successes: 1 }));
    return this.#failing.delete(key);
  }

  /** A success of that time was none in the end. */
  broke(key: string, servedMs: number, failedBefore: boolean): void {
    this.#add(key, callsAt(servedMs, { successes: -1 }));
    if (failedBefore) this.#failing.set(key, true);
  }

  /** Notes a failure; gives whether the call before it failed too. */
  failed(key: string): boolean {
    const failedBefore = this.#failing.has(key);
    this.#failing.set(key, true);
    return failedBefore;
  }

  /** Own successes of the window. */
  seen(key: string): readonly Bucket[] {
    return this.#seen.get(key) ?? [];
  }

  hasUnreported(key: string): boolean {
    return this.#unreported.has(key);
  }

  /** Takes out the successes that are to be reported. */
  take(key: string): readonly Bucket[] {
    const unreported = this.#unreported.get(key) ?? [];
    this.#unreported.delete(key);
    return unreported;
  }

  /** Puts back what was not reported after all. */
  restore(key: string, successes: readonly Bucket[]): void {
    if (successes.length > 0) this.#keep(this.#unreported, key, successes);
  }

  #add(key: string, call: Bucket): void {
    this.#keep(this.#seen, key, [call]);
    this.#keep(this.#unreported, key, [call]);
  }

  #keep(map: Map<string, readonly Bucket[]>, key: string, calls: readonly Bucket[]): void {
    map.set(key, withinWindow(map.get(key) ?? [], calls, this.#clock()));
  }
}
