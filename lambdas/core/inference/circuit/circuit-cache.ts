/**
 * What this process knows of all circuits: looked up in the background, changed here at once and in the store behind
 * the caller's back. A write that meets another is made again on what the other left (optimistic versions), so each
 * change of a circuit's state is made, and told of, by exactly one process.
 */

import { BoundedMap } from '../../bounded-map.ts';
import type { Clock, Log, UlidSource } from '../../ports.ts';
import { type Circuit, closedCircuit, isSpent, writtenBy } from './circuit.ts';

/** Where circuits are kept. Routes that nothing is known of have none. Every operation settles in the end. */
export interface CircuitStore {
  /** Every circuit; may lag behind the latest writes. */
  load(): Promise<readonly Circuit[]>;
  /**
   * Writes the circuit if the stored one has the version before it. Resolves with the circuit that is stored then: a
   * writer that finds itself among its `writers` has written, whoever came after it.
   */
  save(circuit: Circuit): Promise<Circuit>;
}

export interface KnownCircuitsDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** Told of every write of this process that the store has taken. */
  readonly written: (before: Circuit, after: Circuit) => void;
}

/** Gives the same circuit when there is nothing to change. */
export type Change = (circuit: Circuit) => Circuit;

interface Queued {
  readonly change: Change;
  readonly settle: (took: boolean) => void;
}

/** The changes of one route that are on their way. */
interface Queue {
  readonly changes: Queued[];
  readonly drained: Promise<void>;
  /** The write under way, and how many of the changes it carries. */
  sent: { readonly writer: string; readonly count: number } | undefined;
}

/** A write whose fate is not known: it is under way, or its answer was lost, or it is late or never arrived. */
interface Unclear {
  readonly writer: string;
  readonly before: Circuit;
  readonly after: Circuit;
}

/** How old what is known may be: another process's finding arrives within two seconds. */
const REFRESH_MS = 2_000;

/** The random part of a ULID: 80 bits. */
const WRITER_LENGTH = 16;

/** Writers that meet on one item take turns; a change that has not had its turn by then is left out. */
const MAX_TRIES = 8;

/** More circuits than any catalog has open at once; half a kilobyte each. */
const MAX_CIRCUITS = 10_000;

/** Writes of one route that are unclear at once; the store is gone by then, and an older one's fate hardly matters. */
const MAX_UNCLEAR = 8;

export class KnownCircuits {
  readonly #dependencies: KnownCircuitsDependencies;
  /** As last read or written. */
  #stored: Map<string, Circuit> = new BoundedMap(MAX_CIRCUITS);
  /** Changes that could not be written: until the next look, the process goes by what it has seen itself. */
  readonly #unsaved = new BoundedMap<string, Circuit>(MAX_CIRCUITS);
  /** Writes that are not known to have landed, nor that they cannot any more. */
  readonly #unclear = new BoundedMap<string, readonly Unclear[]>(MAX_CIRCUITS);
  /** Changes that are being written, and are true here already. */
  readonly #queues = new Map<string, Queue>();
  #lookedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(dependencies: KnownCircuitsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether there is anything to know of it. */
  has(id: string): boolean {
    return this.#stored.has(id) || this.#unsaved.has(id) || this.#queues.has(id);
  }

  of(id: string): Circuit {
    const base = this.#base(id);
    const queue = this.#queues.get(id);
    if (queue === undefined) return base;
    const { changes, sent } = queue;
    // A look may bring a write whose own answer is still on its way.
    const arrived = sent !== undefined && base.writers.includes(sent.writer) ? sent.count : 0;
    return changed(base, changes.slice(arrived)).circuit;
  }

  #base(id: string): Circuit {
    return this.#unsaved.get(id) ?? this.#stored.get(id) ?? closedCircuit(id);
  }

  /** Looks again when the last look is older. Gives the look that it began, which never rejects. */
  look(maxAgeMs = REFRESH_MS): Promise<void> | undefined {
    const ageMs = this.#dependencies.clock() - this.#lookedMs;
    if (this.#looking !== undefined || (ageMs >= 0 && ageMs < maxAgeMs)) return undefined;
    this.#looking = this.#load();
    return this.#looking;
  }

  async #load(): Promise<void> {
    const { store, clock, log } = this.#dependencies;
    const beganMs = clock();
    try {
      const found = await store.load();
      const former = this.#stored;
      this.#stored = new BoundedMap(MAX_CIRCUITS);
      this.#unsaved.clear();
      for (const circuit of found) this.#learn(circuit);
      // A look may lag behind what this process has written.
      for (const known of former.values()) {
        const isNewer = known.version > (this.#stored.get(known.id)?.version ?? 0);
        if (isNewer && !isSpent(known, clock())) this.#stored.set(known.id, known);
      }
      this.#lookedMs = beganMs;
    } catch (failure) {
      log.warn('circuits not read', { failure: nameOf(failure) });
      this.#lookedMs = clock();
    } finally {
      this.#looking = undefined;
    }
  }

  /**
   * Makes a change here at once and then in the store; changes made together are one write. Resolves, when that is
   * done or given up, with whether it was made on what is stored by then. Never rejects.
   */
  change(id: string, change: Change): Promise<boolean> {
    const known = this.of(id);
    if (change(known) === known) return Promise.resolve(false);
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    const queue = this.#queues.get(id);
    if (queue !== undefined) queue.changes.push({ change, settle });
    else this.#begin(id, { change, settle });
    return promise;
  }

  #begin(id: string, first: Queued): void {
    const { promise: drained, resolve } = Promise.withResolvers<void>();
    const queue: Queue = { changes: [first], drained, sent: undefined };
    this.#queues.set(id, queue);
    void this.#drain(id, queue).then(resolve);
  }

  /** Resolves when everything that is being written now is written or given up; undefined when nothing is. */
  settled(): Promise<unknown> | undefined {
    if (this.#queues.size === 0) return undefined;
    return Promise.all([...this.#queues.values()].map(({ drained }) => drained));
  }

  async #drain(id: string, queue: Queue): Promise<void> {
    const { changes } = queue;
    // A turn later, so that the changes of one event are one write.
    await Promise.resolve();
    while (changes.length > 0) {
      const batch = [...changes];
      const took = await this.#write(id, queue, batch);
      queue.sent = undefined;
      changes.splice(0, batch.length);
      batch.forEach(({ settle }, index) => {
        settle(took[index] === true);
      });
    }
    this.#queues.delete(id);
  }

  /** Writes the changes of what is stored, whoever left it; gives, for each, whether it took. */
  async #write(id: string, queue: Queue, batch: readonly Queued[]): Promise<readonly boolean[]> {
    const { store, ulid, log } = this.#dependencies;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = this.#stored.get(id) ?? closedCircuit(id);
      const { circuit: after, took } = changed(this.#base(id), batch);
      if (!took.includes(true)) return took;
      const writer = ulid().slice(-WRITER_LENGTH);
      queue.sent = { writer, count: batch.length };
      const note = { writer, before, after };
      this.#unclear.set(id, [...(this.#unclear.get(id) ?? []), note].slice(-MAX_UNCLEAR));
      try {
        const found = await store.save(writtenBy(writer, after));
        this.#learn(found);
        if (found.writers.includes(writer)) return took;
      } catch (failure) {
        log.warn('circuit not written', { circuit: id, failure: nameOf(failure) });
        if (!this.#base(id).writers.includes(writer)) this.#unsaved.set(id, after);
        return took;
      }
    }
    log.warn('circuit not written', { circuit: id, failure: 'too many writers' });
    return [];
  }

  /** Takes a circuit as the stored one, and tells of the writes that it proves to have landed. */
  #learn(circuit: Circuit): void {
    const { id, version, writers } = circuit;
    this.#stored.set(id, circuit);
    this.#unsaved.delete(id);
    const unclear = this.#unclear.get(id) ?? [];
    const landed = unclear.filter(({ writer }) => writers.includes(writer));
    for (const { before, after } of landed) this.#dependencies.written(before, after);
    // One that would have been the next version may still land; one of an earlier version never will.
    const open = unclear.filter((note) => note.before.version >= version && !landed.includes(note));
    if (open.length > 0) this.#unclear.set(id, open);
    else this.#unclear.delete(id);
  }
}

function changed(base: Circuit, batch: readonly Queued[]) {
  let circuit = base;
  const took = batch.map(({ change }) => {
    const before = circuit;
    circuit = change(circuit);
    return circuit !== before;
  });
  return { circuit, took };
}

/** What may be said of a failure: its message may hold names of the deployment. */
const nameOf = (failure: unknown): string => (failure instanceof Error ? failure.name : typeof failure);
