/**
 * Time that passes only where nothing else can happen: the earliest event runs, then everything that follows from it
 * without waiting, then the next event. While it is installed, the clock, the timers and chance of this process are its
 * own, so that code that waits and draws needs no change.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { seeded } from '../../seeded.ts';

interface Event {
  readonly atMs: number;
  /** Events of one time run in the order in which they were made. */
  readonly order: number;
  run: () => void;
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** A binary heap, the earliest event first. */
class Events {
  readonly #heap: Event[] = [];

  get first(): Event | undefined {
    return this.#heap[0];
  }

  add(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left !== undefined && right !== undefined && isBefore(right, left)) child += 1;
      const below = heap[child];
      if (below === undefined || isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  }
}

const { setImmediate } = globalThis;

/** Everything that follows from what has run, as far as it waits for nothing. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class VirtualTime {
  readonly #events = new Events();
  readonly #random: () => number;
  #nowMs: number;
  #created = 0;

  /** Begins at `startMs`; chance is drawn from the seed. */
  constructor(startMs: number, seed: number) {
    this.#nowMs = startMs;
    this.#random = seeded(seed);
  }

  readonly now = (): number => this.#nowMs;

  readonly random = (): number => this.#random();

  /** Runs `run` after that time; the result cancels it. */
  after(ms: number, run: () => void): () => void {
    const event: Event = { atMs: this.#nowMs + Math.max(0, ms), order: this.#created, run };
    this.#created += 1;
    this.#events.add(event);
    return () => {
      event.run = () => {};
    };
  }

  readonly sleep = (ms: number): Promise<void> => new Promise((resolve) => this.after(ms, () => resolve()));

  /** Runs the events up to that time, or until the work has settled; returns or throws what the work does. */
  async run<T>(work: Promise<T>): Promise<T> {
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    work.then(end, end);
    await settled();
    while (!hasEnded) {
      const { first } = this.#events;
      if (first === undefined) throw new Error('the work waits for nothing that can happen');
      this.#events.removeFirst();
      this.#nowMs = first.atMs;
      first.run();
      await settled();
    }
    return work;
  }

  /** Replaces the clock, the timers and chance of the process until the result is called. */
  install(): () => void {
    const timers = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: unknown };
    const before = {
      now: Date.now,
      random: Math.random,
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      sleep: timers.setTimeout,
    };
    Date.now = () => Math.floor(this.#nowMs);
    Math.random = this.random;
    const set = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const cancel = this.after(ms, () => run(...args));
      return { cancel, unref: () => {}, ref: () => {} };
    };
    const clear = (timer: { cancel?: () => void } | undefined) => timer?.cancel?.();
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    timers.setTimeout = this.sleep;
    syncBuiltinESMExports();
    return () => {
      Date.now = before.now;
      Math.random = before.random;
      Object.assign(globalThis, { setTimeout: before.setTimeout, clearTimeout: before.clearTimeout });
      timers.setTimeout = before.sleep;
      syncBuiltinESMExports();
    };
  }
}
