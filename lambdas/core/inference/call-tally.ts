/** What one process has seen of each route itself, and which of its successes no circuit tells of yet. */

import { BoundedMap } from '../bounded-map.ts';
import type { Clock } from '../ports.ts';
import { callsAt, type Stretch, withinWindow } from './circuit.ts';

/** More routes than a process calls in a window; 200 bytes each. */
const MAX_ROUTES = 10_000;

export class CallTally {
  readonly #clock: Clock;
  /** Successes of the window, told of or not. */
  readonly #seen = new BoundedMap<string, readonly Stretch[]>(MAX_ROUTES);
  readonly #untold = new BoundedMap<string, readonly Stretch[]>(MAX_ROUTES);
  /** Routes that failed the last call over them. */
  readonly #failing = new BoundedMap<string, true>(MAX_ROUTES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a success; gives whether the call before it failed. */
  succeeded(routeId: string): boolean {
    this.#add(routeId, callsAt(this.#clock(), { successes: 1 }));
    return this.#failing.delete(routeId);
  }

  /** A success of that time was none in the end. */
  broke(routeId: string, servedMs: number, failedBefore: boolean): void {
    this.#add(routeId, callsAt(servedMs, { successes: -1 }));
    if (failedBefore) this.#failing.set(routeId, true);
  }

  /** Notes a failure; gives whether the call before it failed too. */
  failed(routeId: string): boolean {
    const failedBefore = this.#failing.has(routeId);
    this.#failing.set(routeId, true);
    return failedBefore;
  }

  /** Own successes of the window. */
  seen(routeId: string): readonly Stretch[] {
    return this.#seen.get(routeId) ?? [];
  }

  hasUntold(routeId: string): boolean {
    return this.#untold.has(routeId);
  }

  /** Takes out the successes that are to be told of. */
  take(routeId: string): readonly Stretch[] {
    const untold = this.#untold.get(routeId) ?? [];
    this.#untold.delete(routeId);
    return untold;
  }

  /** Puts back what was not told after all. */
  restore(routeId: string, successes: readonly Stretch[]): void {
    if (successes.length > 0) this.#keep(this.#untold, routeId, successes);
  }

  #add(routeId: string, call: Stretch): void {
    this.#keep(this.#seen, routeId, [call]);
    this.#keep(this.#untold, routeId, [call]);
  }

  #keep(map: Map<string, readonly Stretch[]>, routeId: string, calls: readonly Stretch[]): void {
    map.set(routeId, withinWindow(map.get(routeId) ?? [], calls, this.#clock()));
  }
}
