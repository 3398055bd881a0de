/**
 * The circuit breaker that all processes share: it knows which routes to leave alone, at no cost to calls over routes
 * that work. Circuits are read in the background and written only when a route fails, by optimistic versions: a write
 * that meets another is made again on what the other left, so a transition is made by exactly one process.
 */
import type { After, Clock, Log, UlidSource } from '../ports.ts';
import type { Route } from './catalog-document.ts';
import {
  afterClaim,
  afterFailure,
  afterProbe,
  afterRateLimit,
  type Circuit,
  closedCircuit,
  isSpent,
  type ProbeResult,
  stateOf,
} from './circuit.ts';
import type { UpstreamFailure } from './provider.ts';

/** Where circuits are kept. Routes that nothing is known of have none. */
export interface CircuitStore {
  /** Every circuit; may lag behind the latest writes. */
  load(): Promise<readonly Circuit[]>;
  /**
   * Writes the circuit if the stored one has the version before it. Resolves with `saved`, or with the circuit that is
   * there instead; a repeated write of one `writer` counts as saved.
   */
  save(circuit: Circuit, writer: string): Promise<'saved' | Circuit>;
}

export interface BreakerDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly after: After;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** A failure that counts, or a circuit that this process has opened. */
  readonly count: (event: 'routeFailed' | 'circuitOpened') => void;
}

type Change = (circuit: Circuit, nowMs: number) => Circuit;

/** A call's leave to try a route. */
export type Pass =
  | { readonly allowed: true; readonly probe: boolean }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** How old what is known may be: another process's finding arrives within two seconds. */
const REFRESH_MS = 2_000;

/** A process that knows nothing yet waits this long at most: beside the first admission, that is next to nothing. */
const FIRST_LOAD_MS = 250;

/** A probe is over when its route's own clock has run out, and a little later at the latest. */
const PROBE_MARGIN_MS = 5_000;

/** Writers that meet on one item take turns; more meetings than this and the failure is left uncounted. */
const MAX_TRIES = 8;

/** More routes than any catalog's traffic has in trouble at once; the rest of memory is not worth keeping. */
const MAX_TALLIES = 10_000;

export class Breaker {
  readonly #dependencies: BreakerDependencies;
  /** As last read or written. */
  #stored: ReadonlyMap<string, Circuit> = new Map();
  /** What is still being written, and is true here already. */
  readonly #ahead = new Map<string, Circuit>();
  /** The last write of each route: one follows the other, so that none is made on what another has not left yet. */
  readonly #writes = new Map<string, Promise<void>>();
  /** Calls that succeeded since a failure was last written, by route. */
  readonly #successes = new Map<string, number>();
  #loadedMs: number | undefined;
  #loading: Promise<void> | undefined;

  constructor(dependencies: BreakerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * To be called as a call begins: looks again in the background when the last look is old. Resolves at once, except
   * in a process that knows nothing yet. Never rejects.
   */
  async refresh(): Promise<void> {
    const { clock, after } = this.#dependencies;
    if (this.#loadedMs !== undefined && clock() - this.#loadedMs < REFRESH_MS) return;
    this.#loading ??= this.#load();
    if (this.#loadedMs !== undefined) return;
    let stop = () => {};
    const patience = new Promise<void>((resolve) => {
      stop = after(FIRST_LOAD_MS, resolve);
    });
    await Promise.race([this.#loading, patience]);
    stop();
  }

  async #load(): Promise<void> {
    const { store, clock, log } = this.#dependencies;
    try {
      const found = new Map((await store.load()).map((circuit) => [circuit.routeId, circuit]));
      // A look may lag behind what this process has written.
      for (const known of this.#stored.values()) {
        const newer = known.version > (found.get(known.routeId)?.version ?? 0);
        if (newer && !isSpent(known, clock())) found.set(known.routeId, known);
      }
      this.#stored = found;
    } catch (failure) {
      log.warn('circuits not read', { failure: nameOf(failure) });
    } finally {
      this.#loadedMs = clock();
      this.#loading = undefined;
    }
  }

  /** Whether the route may be tried. Waits for the database only where a circuit is half open, to claim the probe. */
  async admit(route: Route): Promise<Pass> {
    const { clock } = this.#dependencies;
    const circuit = this.#circuitOf(route.id);
    const state = stateOf(circuit, clock());
    if (state.kind === 'closed') return { allowed: true, probe: false };
    if (state.kind === 'shut') return this.#refusal(state.untilMs);
    const claimed = afterClaim(circuit, clock(), route.timeout_ms + PROBE_MARGIN_MS);
    try {
      if (await this.#save(claimed)) return { allowed: true, probe: true };
    } catch (failure) {
      this.#dependencies.log.warn('probe not claimed', { route: route.id, failure: nameOf(failure) });
      return this.#refusal(clock());
    }
    // Another process was first: its claim, or what its probe found, is known now.
    const found = stateOf(this.#circuitOf(route.id), clock());
    if (found.kind === 'closed') return { allowed: true, probe: false };
    return this.#refusal(found.kind === 'shut' ? found.untilMs : clock());
  }

  #refusal(untilMs: number): Pass {
    const seconds = Math.ceil((untilMs - this.#dependencies.clock()) / 1000);
    return { allowed: false, retryAfterSeconds: Math.max(1, seconds) };
  }

  /** The route gave a whole answer, or the first content of a stream. */
  succeeded({ id }: Route, probe: boolean): void {
    if (probe) {
      this.#endProbe(id, 'served');
      return;
    }
    if (this.#successes.size >= MAX_TALLIES) this.#successes.clear();
    this.#successes.set(id, (this.#successes.get(id) ?? 0) + 1);
  }

  /** The route failed, before its answer or within it. */
  failed({ id }: Route, failure: UpstreamFailure, probe: boolean): void {
    const isRateLimit = failure.status === 429;
    const counts = failure.retryable && failure.kind !== 'deadline' && failure.status !== 409 && !isRateLimit;
    if (counts) this.#dependencies.count('routeFailed');
    if (isRateLimit) {
      this.#change(id, (circuit, nowMs) => afterRateLimit(circuit, nowMs, failure.retryAfterSeconds));
    }
    if (probe) {
      this.#endProbe(id, counts ? 'failed' : 'unclear');
    } else if (counts) {
      const successes = this.#successes.get(id) ?? 0;
      this.#successes.delete(id);
      this.#change(id, (circuit, nowMs) => afterFailure(circuit, nowMs, successes));
    }
  }

  #endProbe(id: string, result: ProbeResult): void {
    this.#change(id, (circuit, nowMs) => afterProbe(circuit, nowMs, result));
  }

  /** Waits for what is being written behind calls' backs: a function that has answered may be frozen. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all(this.#writes.values());
  }

  /** Makes a change here at once, and in the store behind the caller's back. */
  #change(id: string, change: Change): void {
    const { clock, log } = this.#dependencies;
    const base = this.#circuitOf(id);
    const changed = change(base, clock());
    if (changed === base) return;
    this.#ahead.set(id, changed);
    const before = this.#writes.get(id) ?? Promise.resolve();
    const work = before
      .then(() => this.#write(id, change))
      .catch((failure: unknown) => log.warn('circuit not written', { route: id, failure: nameOf(failure) }))
      .then(() => {
        if (this.#writes.get(id) !== work) return;
        this.#writes.delete(id);
        this.#ahead.delete(id);
      });
    this.#writes.set(id, work);
  }

  /** Writes the change of what is stored, whoever left it, until it takes or there is nothing left to change. */
  async #write(id: string, change: Change): Promise<void> {
    const { clock } = this.#dependencies;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const base = this.#stored.get(id) ?? closedCircuit(id);
      const changed = change(base, clock());
      if (changed === base) return;
      if (await this.#save(changed)) return this.#tell(base, changed);
    }
    throw new Error('too many writers');
  }

  /** Whether the circuit took; when another was there, that one is known from now on. */
  async #save(circuit: Circuit): Promise<boolean> {
    const { store, ulid } = this.#dependencies;
    const written = { ...circuit, version: circuit.version + 1 };
    const found = await store.save(written, ulid());
    const known = found === 'saved' ? written : found;
    this.#stored = new Map(this.#stored).set(known.routeId, known);
    return found === 'saved';
  }

  /** Only the process whose write made the transition gets here with it. */
  #tell(before: Circuit, { routeId, openUntilMs }: Circuit): void {
    const { log, count } = this.#dependencies;
    if (before.openUntilMs === 0 && openUntilMs !== 0) {
      log.warn('circuit opened', { route: routeId });
      count('circuitOpened');
    }
    if (before.openUntilMs !== 0 && openUntilMs === 0) log.info('circuit closed', { route: routeId });
  }

  #circuitOf(id: string): Circuit {
    return this.#ahead.get(id) ?? this.#stored.get(id) ?? closedCircuit(id);
  }
}

/** What may be said of a failure: its message may hold names of the deployment. */
const nameOf = (failure: unknown): string => (failure instanceof Error ? failure.name : typeof failure);
