/** The circuits that a process has cached: as it read them last, or as its own changes returned them, with its own calls. */
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { BUCKET_MS, type Circuit, type CircuitChange, type LocalCounts } from './circuit.ts';

/** The store of circuits, by key. Every operation settles in the end. */
export interface CircuitStore {
  /** Those that there are; may lag a second behind the latest changes. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Circuit>>;
  /** Makes the change if its conditions hold. Resolves with the current circuit in either case. */
  write(key: string, change: CircuitChange): Promise<Circuit>;
}

/** Every stored circuit, by key: those of routes that have failed of late. */
export interface CircuitList {
  list(): Promise<ReadonlyMap<string, Circuit>>;
}

export interface CachedCircuitsDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CachedCircuit extends LocalCounts {
  circuit: Circuit;
  refreshedMs: number;
  /** Since when its calls are counted. */
  countedMs: number;
}

const REFRESH_MS = 2_000;
/** More circuits than a process meets in two buckets; 200 bytes each while they are closed. */
const MAX_CACHED = 10_000;

export class CachedCircuits {
  readonly #dependencies: CachedCircuitsDependencies;
  readonly #circuits = new BoundedMap<string, CachedCircuit>(MAX_CACHED);
  /** Messages of operations that have failed since they last succeeded. */
  readonly #warned = new Set<string>();

  constructor(dependencies: CachedCircuitsDependencies) {
    this.#dependencies = dependencies;
  }

  has(key: string): boolean {
    return this.#circuits.has(key);
  }

  /** A circuit that is new to the process is closed. */
  of(key: string): CachedCircuit {
    const nowMs = this.#dependencies.clock();
    const nothing = { servedCount: 0, successes: 0, countedMs: nowMs };
    const unknown = { ...nothing, circuit: {}, refreshedMs: -Infinity, lastFailed: false };
    const cachedCircuit = this.#circuits.get(key) ?? unknown;
    if (nowMs - cachedCircuit.countedMs >= 2 * BUCKET_MS) Object.assign(cachedCircuit, nothing);
    this.#circuits.set(key, cachedCircuit);
    return cachedCircuit;
  }

  /**
   * Refreshes the given circuits whose last read is older than `maxAgeMs`. Returns undefined if there are none. Never
   * rejects.
   */
  refresh(keys: readonly string[], maxAgeMs = REFRESH_MS): Promise<void> | undefined {
    const nowMs = this.#dependencies.clock();
    const old = keys.filter((key) => Math.abs(nowMs - this.of(key).refreshedMs) >= maxAgeMs);
    for (const key of old) this.of(key).refreshedMs = nowMs;
    if (old.length === 0) return undefined;
    return this.#attempt('circuits not read', async () => {
      const circuits = await this.#dependencies.store.read(old);
      for (const key of old) this.of(key).circuit = circuits.get(key) ?? {};
    });
  }

  /**
   * Writes the change and resolves with the resulting circuit. Undefined if there is no change or the write fails.
   * Never rejects.
   */
  async write(key: string, change: CircuitChange | undefined): Promise<Circuit | undefined> {
    if (change === undefined) return undefined;
    return this.#attempt('circuit not written', async () => {
      const circuit = await this.#dependencies.store.write(key, change);
      this.of(key).circuit = circuit;
      return circuit;
    });
  }

  /** Logs the first failure until the work succeeds again, by its name: a message may hold names of the deployment. */
  async #attempt<T>(message: string, work: () => Promise<T>): Promise<T | undefined> {
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
