/**
 * What this process knows of all circuits: read in the background, changed here at once and in the store soon after.
 * A write that meets another is made again on what the other left (optimistic versions), so each change of a circuit's
 * state is made, and reported, by exactly one process.
 */
import { BoundedMap } from '../../bounded-map.ts';
import type { Clock, Log, UlidSource } from '../../ports.ts';
import { closedCircuits, type RouteCircuits, spentMs, writtenBy } from './circuit.ts';

/** Where circuits are kept. Routes that have not failed have none. Every operation settles in the end. */
export interface CircuitStore {
  /** The circuits of every route; may lag behind the latest writes. */
  load(): Promise<readonly RouteCircuits[]>;
  /**
   * Writes the circuits if the stored ones have the version before. Resolves with what is stored then: a writer that
   * finds itself among its `writers` has written, whoever came after it.
   */
  save(route: RouteCircuits): Promise<RouteCircuits>;
}

export interface CircuitCacheDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** Called once for every write of this process that the store has taken. */
  readonly written: (before: RouteCircuits, after: RouteCircuits) => void;
}

/** Gives the same circuits when there is nothing to change. */
export type Change = (route: RouteCircuits) => RouteCircuits;

/** How old what is known may be; with the second that a snapshot lives, another process's findings arrive within three. */
const REFRESH_MS = 2_000;
/** Random characters of a ULID: 60 bits. */
const WRITER_LENGTH = 12;
/** Writers that meet on one item take turns; a change that has not had its turn by then is dropped. */
const MAX_TRIES = 8;
/** More routes than any catalog has failing at once; half a kilobyte each. */
const MAX_ROUTES = 10_000;

export class CircuitCache {
  readonly #dependencies: CircuitCacheDependencies;
  /** As last read or written. */
  readonly #stored = new BoundedMap<string, RouteCircuits>(MAX_ROUTES);
  /** The same with changes that are being written, or could not be: those stay until the next look. */
  readonly #changed = new BoundedMap<string, RouteCircuits>(MAX_ROUTES);
  /** The last write of each route that is in flight; they follow one another. */
  readonly #writes = new Map<string, Promise<void>>();
  /** By writer, what may have been written: in flight, late, or without an answer. */
  readonly #unanswered = new BoundedMap<string, readonly [before: RouteCircuits, after: RouteCircuits]>(
    MAX_ROUTES,
  );
  #lookedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** What fails now: logged once until it works again. */
  readonly #failing = new Set<'circuits not read' | 'circuit not written'>();

  constructor(dependencies: CircuitCacheDependencies) {
    this.#dependencies = dependencies;
  }

  of(id: string): RouteCircuits {
    return this.#changed.get(id) ?? this.#stored.get(id) ?? closedCircuits(id);
  }

  /** Looks again when the last look is older. Gives the look that it began, which never rejects. */
  look(maxAgeMs = REFRESH_MS): Promise<void> | undefined {
    const ageMs = this.#dependencies.clock() - this.#lookedMs;
    if (this.#looking !== undefined || (ageMs >= 0 && ageMs < maxAgeMs)) return undefined;
    this.#looking = this.#load();
    return this.#looking;
  }

  async #load(): Promise<void> {
    const { store, clock } = this.#dependencies;
    this.#lookedMs = clock();
    try {
      const found = new Map((await store.load()).map((route) => [route.id, route]));
      for (const [id, known] of this.#stored) {
        // A look may lag behind what this process has written.
        const isAhead = known.version > (found.get(id)?.version ?? 0) && spentMs(known) > clock();
        if (isAhead) found.delete(id);
        else this.#stored.delete(id);
      }
      for (const id of this.#changed.keys()) if (!this.#writes.has(id)) this.#changed.delete(id);
      for (const route of found.values()) this.#learn(route);
      this.#failing.delete('circuits not read');
    } catch (failure) {
      this.#warn('circuits not read', { failure: nameOf(failure) });
    } finally {
      this.#looking = undefined;
    }
  }

  /**
   * Makes a change here at once and then in the store. Resolves when that is done or given up; undefined when there is
   * nothing to change. Never rejects.
   */
  change(id: string, change: Change): Promise<void> | undefined {
    const before = this.of(id);
    const after = change(before);
    if (after === before) return undefined;
    this.#changed.set(id, after);
    const write = Promise.resolve(this.#writes.get(id)).then(() => this.#write(id, change));
    this.#writes.set(id, write);
    return write.then(() => {
      if (this.#writes.get(id) === write) this.#writes.delete(id);
    });
  }

  async #write(id: string, change: Change): Promise<void> {
    const { store, ulid } = this.#dependencies;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = this.#stored.get(id) ?? closedCircuits(id);
      const after = change(before);
      if (after === before) break;
      const writer = ulid().slice(-WRITER_LENGTH);
      this.#unanswered.set(writer, [before, after]);
      try {
        const found = await store.save(writtenBy(writer, after));
        this.#failing.delete('circuit not written');
        this.#changed.delete(id);
        this.#learn(found);
        if (found.writers.includes(writer)) break;
      } catch (failure) {
        this.#warn('circuit not written', { route: id, failure: nameOf(failure) });
        break;
      }
    }
  }

  #warn(
    message: 'circuits not read' | 'circuit not written',
    fields: Readonly<Record<string, string>>,
  ): void {
    if (!this.#failing.has(message)) this.#dependencies.log.warn(message, fields);
    this.#failing.add(message);
  }

  /** Takes a route's circuits as the stored ones, and reports the writes that they prove to have landed. */
  #learn(route: RouteCircuits): void {
    this.#stored.set(route.id, route);
    for (const writer of route.writers) {
      const write = this.#unanswered.get(writer);
      this.#unanswered.delete(writer);
      if (write !== undefined) this.#dependencies.written(...write);
    }
  }
}

/** What may be said of a failure: its message may hold names of the deployment. */
const nameOf = (failure: unknown): string => (failure instanceof Error ? failure.name : typeof failure);
