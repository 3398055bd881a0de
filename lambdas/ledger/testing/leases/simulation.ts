/** Virtual time, and chance from a seed: a history of minutes takes milliseconds, and repeats. */
import { setImmediate } from 'node:timers/promises';

export class Simulation {
  nowMs: number;
  /** The first failure of any part of a history. */
  failure: unknown;
  #state: number;
  /** The next event is the last one. */
  readonly #events: { readonly atMs: number; readonly run: () => void }[] = [];

  constructor(seed: number, startMs: number) {
    this.#state = seed;
    this.nowMs = startMs;
  }

  /** A number in [0, 1). */
  random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000;
  };

  int(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[Math.floor(this.random() * list.length)];
    if (item === undefined) throw new Error('there is nothing to pick');
    return item;
  }

  at(atMs: number, run: () => void): void {
    const event = { atMs: Math.max(atMs, this.nowMs), run };
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.atMs ?? 0) > event.atMs) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(this.nowMs + ms, resolve);
    });
  }

  /** Runs all events until then, each to its end. Throws the first failure. */
  async run(untilMs: number): Promise<void> {
    // What was started before plans its first event now.
    await setImmediate();
    for (
      let next = this.#events.at(-1);
      next !== undefined && next.atMs <= untilMs;
      next = this.#events.at(-1)
    ) {
      this.#events.pop();
      this.nowMs = next.atMs;
      next.run();
      await setImmediate();
      if (this.failure !== undefined) throw this.failure;
    }
    this.nowMs = untilMs;
  }
}
