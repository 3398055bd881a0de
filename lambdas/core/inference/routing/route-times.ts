/** How soon routes begin to answer, as this process has seen it; nothing of it is stored. */
import { BoundedMap } from '../../bounded-map.ts';

/** Enough for a median that one slow answer does not move, few enough to follow a route that changes. */
const KEPT = 15;

/** More routes than a process calls. */
const MAX_ROUTES = 1_000;

export class RouteTimes {
  readonly #times = new BoundedMap<string, readonly number[]>(MAX_ROUTES);

  /** A streamed answer's first content came after this many milliseconds. */
  note(routeId: string, ms: number): void {
    this.#times.set(routeId, [...(this.#times.get(routeId) ?? []), ms].slice(-KEPT));
  }

  /** The median of the latest, milliseconds; undefined before the first. */
  median(routeId: string): number | undefined {
    const times = [...(this.#times.get(routeId) ?? [])].sort((a, b) => a - b);
    return times[Math.floor(times.length / 2)];
  }
}
