/** The circuits that a process has cached: as it read them last, or as its own changes returned them, with its own calls. */
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { BUCKET_MS, type Circuit, type CircuitChange, type LocalCalls } from './circuit.ts';

/** The store of circuits, by key. Every operation settles in the end. */
export interface CircuitStore {
  /** Those that there are; may lag a second behind the latest changes. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Circuit>>;
  /** Makes the change if its conditions hold. Resolves with the circuit as it is then, either way. */
  write(key: string, change: CircuitChange): Promise<Circuit>;
}

/** Every stored circuit, by key: those of routes that have failed of late. */
export interface CircuitList {
  list(): Promise<ReadonlyMap<string, Circuit>>;
}

export interface KnownCircuitsDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KnownCircuit extends LocalCalls {
  circuit: Circuit;
  lookedMs: number;
  /** Since when its calls are counted. */
  countedMs: number;
  served: number;
  successes: number;
  lastFailed: boolean;
}

const REFRESH_MS = 2_000;
/** More circuits than a process meets in two buckets; 200 bytes each while they are closed. */
const MAX_KNOWN = 10_000;

export class KnownCircuits {
  readonly #dependencies: KnownCircuitsDependencies;
  readonly #known = new BoundedMap<string, KnownCircuit>(MAX_KNOWN);
  /** Messages of operations that have failed since they last succeeded. */
  readonly #warned = new Set<string>();

  constructor(dependencies: KnownCircuitsDependencies) {
    this.#dependencies = dependencies;
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** A circuit that is new to the process is closed. */
  of(key: string): KnownCircuit {
    const nowMs = this.#dependencies.clock();
    const nothing = { served: 0, successes: 0, countedMs: nowMs };
    const unknown = { ...nothing, circuit: {}, lookedMs: -Infinity, lastFailed: false };
    const known = this.#known.get(key) ?? unknown;
    if (nowMs - known.countedMs >= 2 * BUCKET_MS) Object.assign(known, nothing);
    this.#known.set(key, known);
    return known;
  }

  /** Reads those of the circuits again whose last look is older. Undefined if there are none. Never rejects. */
  look(keys: readonly string[], maxAgeMs = REFRESH_MS): Promise<void> | undefined {
    const nowMs = this.#dependencies.clock();
    const old = keys.filter((key) => Math.abs(nowMs - this.of(key).lookedMs) >= maxAgeMs);
    for (const key of old) this.of(key).lookedMs = nowMs;
    if (old.length === 0) return undefined;
    return this.#tried('circuits not read', async () => {
      const found = await this.#dependencies.store.read(old);
      for (const key of old) this.of(key).circuit = found.get(key) ?? {};
    });
  }

  /** Resolves with the circuit as the change has left it; undefined without a change or an answer. Never rejects. */
  async write(key: string, change: CircuitChange | undefined): Promise<Circuit | undefined> {
    if (change === undefined) return undefined;
    return this.#tried('circuit not written', async () => {
      const circuit = await this.#dependencies.store.write(key, change);
      this.of(key).circuit = circuit;
      return circuit;
    });
  }

  /** Logs the first failure until the work succeeds again, by its name: a message may hold names of the deployment. */
  async #tried<T>(message: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#warned.delete(message);
      return result;
    } catch (failure) {
      const name = failure instanceof Error ? failure.name : typeof failure;
      if (!this.#warned.has(message)) this.#dependencies.log.warn(message, { failure: name });
      this.#warned.add(message);
      return undefined;
    }
  }
}
