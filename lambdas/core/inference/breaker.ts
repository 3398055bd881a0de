/**
 * The circuit breaker that all processes share: it knows which routes to leave alone, at no cost to calls over routes
 * that work. A route's calls are written down when one of them fails, and for as long as it is in doubt.
 */
import type { After, Clock, Log, UlidSource } from '../ports.ts';
import { CallTally } from './call-tally.ts';
import type { Route } from './catalog-document.ts';
import {
  afterClaim,
  afterFailure,
  afterProbe,
  afterRateLimit,
  afterSuccesses,
  type Circuit,
  isInDoubt,
  type Stretch,
  stateOf,
  type Verdict,
} from './circuit.ts';
import { findingOf, VERDICTS } from './finding.ts';
import { type CircuitStore, KnownCircuits } from './known-circuits.ts';
import type { UpstreamFailure } from './provider.ts';

export interface BreakerDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly after: After;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** A failure that counts, or a circuit that this process has opened. */
  readonly count: (event: 'routeFailed' | 'circuitOpened') => void;
}

/** Leave to try a route, to be handed back with what came of it. */
export interface Leave {
  readonly allowed: true;
  readonly begunMs: number;
  /** The claim of the one call that tries a route on probation. */
  readonly claimId: string | undefined;
}

/** What became of a try whose answer has begun; to be handed back when the answer breaks off. */
export interface Served {
  readonly begunMs: number;
  readonly servedMs: number;
  /** A probe: it closed the circuit, and was not counted. */
  readonly probe: boolean;
  /** The call before it failed. */
  readonly failedBefore: boolean;
}

export interface Refusal {
  readonly allowed: false;
  readonly retryAfterSeconds: number;
}

/** A process that knows nothing yet waits this long at most, once: beside its first admission, which takes as long. */
const FIRST_LOOK_MS = 250;

/** A store that takes longer over a claim is as good as none, and the call goes by its own process's word. */
const CLAIM_MS = 1_000;

/** What a function waits for at a call's end; a settlement beside it takes two rounds of database calls. */
const FLUSH_MS = 1_000;

/** A dead prober keeps a route from being tried for this long at most, and the rest of it for answers on their way. */
const PROBE_MS = { most: 60_000, margin: 5_000 };

export class Breaker {
  readonly #dependencies: BreakerDependencies;
  readonly #circuits: KnownCircuits;
  readonly #tally: CallTally;
  /** Looks that began at a call's end. */
  readonly #lastLooks = new Set<Promise<void>>();
  #firstLook: Promise<void> | undefined;

  constructor(dependencies: BreakerDependencies) {
    this.#dependencies = dependencies;
    this.#tally = new CallTally(dependencies.clock);
    const written = (before: Circuit, after: Circuit) => this.#tell(before, after);
    this.#circuits = new KnownCircuits({ ...dependencies, written });
  }

  /**
   * To be called as a call begins: looks again in the background when the last look is old. Resolves at once, except
   * in a process that knows nothing yet. Never rejects.
   */
  refresh(): Promise<void> {
    const look = this.#circuits.look();
    this.#firstLook ??= this.#patiently(FIRST_LOOK_MS, look);
    return this.#firstLook;
  }

  /**
   * Whether the route may be tried. Waits for the database only where a circuit is half open, to claim the probe, and
   * then not for long. Never rejects.
   */
  async admit(route: Route): Promise<Leave | Refusal> {
    const { clock, ulid } = this.#dependencies;
    const begunMs = clock();
    const state = stateOf(this.#circuits.of(route.id), begunMs);
    if (state.kind === 'closed') return { allowed: true, begunMs, claimId: undefined };
    if (state.kind === 'shut') return refusal(state.untilMs, begunMs);
    const lapseMs = begunMs + Math.min(route.timeout_ms, PROBE_MS.most) + PROBE_MS.margin;
    const claim = { id: ulid(), untilMs: lapseMs };
    const written = this.#circuits.change(route.id, (circuit) => afterClaim(circuit, begunMs, claim));
    await this.#patiently(CLAIM_MS, written);
    const circuit = this.#circuits.of(route.id);
    if (circuit.probe?.id === claim.id) return { allowed: true, begunMs, claimId: claim.id };
    // Another process was first: its claim, or what its probe found, is known now.
    const nowMs = clock();
    const found = stateOf(circuit, nowMs);
    if (found.kind === 'closed') return { allowed: true, begunMs: nowMs, claimId: undefined };
    return refusal(found.kind === 'shut' ? found.untilMs : nowMs, nowMs);
  }

  /** The route gave a whole answer, or the first content of a stream. */
  succeeded({ id }: Route, leave: Leave): Served {
    const servedMs = this.#dependencies.clock();
    const { begunMs, claimId } = leave;
    if (claimId !== undefined) {
      this.#endProbe(id, leave, 'served');
      return { begunMs, servedMs, probe: true, failedBefore: false };
    }
    const served = { begunMs, servedMs, probe: false, failedBefore: this.#tally.succeeded(id) };
    const look = this.#circuits.look(this.#isInDoubt(id) ? 0 : undefined)?.then(() => this.#reassure(id));
    if (look === undefined) {
      this.#reassure(id);
      return served;
    }
    this.#lastLooks.add(look);
    void look.then(() => this.#lastLooks.delete(look));
    return served;
  }

  /** The route failed before its answer began. */
  failed({ id }: Route, failure: UpstreamFailure, leave: Leave): void {
    const finding = findingOf(failure);
    if (finding === 'limited') {
      const { retryAfterSeconds } = failure;
      const nowMs = this.#dependencies.clock();
      void this.#circuits.change(id, (circuit) => afterRateLimit(circuit, nowMs, retryAfterSeconds));
    }
    if (finding === 'failing') this.#dependencies.count('routeFailed');
    if (leave.claimId !== undefined) this.#endProbe(id, leave, VERDICTS[finding]);
    else if (finding === 'failing') this.#countFailure(id, leave.begunMs);
  }

  /** The route failed within its answer: the call counts as a failed one after all. */
  broke(route: Route, failure: UpstreamFailure, { begunMs, servedMs, probe, failedBefore }: Served): void {
    const counts = findingOf(failure) === 'failing' && !probe;
    if (counts) this.#tally.broke(route.id, servedMs, failedBefore);
    this.failed(route, failure, { allowed: true, begunMs, claimId: undefined });
  }

  /** The try ended without a word of the route. */
  abandoned({ id }: Route, leave: Leave): void {
    if (leave.claimId !== undefined) this.#endProbe(id, leave, 'unclear');
  }

  /**
   * Waits, not for long, for what is being written behind calls' backs: a function that has answered may be frozen.
   * Never rejects.
   */
  flush(): Promise<void> {
    const looks = this.#lastLooks.size > 0 ? Promise.all(this.#lastLooks) : undefined;
    return this.#patiently(FLUSH_MS, looks?.then(() => this.#circuits.settled()) ?? this.#circuits.settled());
  }

  #endProbe(id: string, { claimId, begunMs }: Leave, result: Verdict['result']): void {
    if (claimId === undefined) return;
    const nowMs = this.#dependencies.clock();
    void this.#circuits.change(id, (circuit) => afterProbe(circuit, nowMs, { claimId, begunMs, result }));
  }

  #countFailure(id: string, begunMs: number): void {
    const nowMs = this.#dependencies.clock();
    const failedBefore = this.#tally.failed(id);
    const seen = this.#tally.seen(id);
    this.#write(id, (circuit, untold) =>
      afterFailure(circuit, { nowMs, begunMs, failedBefore, seen, untold }),
    );
  }

  /** Tells of the successes over a route that others have seen fail. */
  #reassure(id: string): void {
    if (!this.#tally.hasUntold(id) || !this.#isInDoubt(id)) return;
    const nowMs = this.#dependencies.clock();
    this.#write(id, (circuit, untold) => afterSuccesses(circuit, nowMs, untold));
  }

  #isInDoubt(id: string): boolean {
    return isInDoubt(this.#circuits.of(id), this.#dependencies.clock());
  }

  /** Makes a change that tells of the successes so far; they are kept if it comes to nothing. */
  #write(id: string, change: (circuit: Circuit, untold: readonly Stretch[]) => Circuit): void {
    const untold = this.#tally.take(id);
    void this.#circuits
      .change(id, (circuit) => change(circuit, untold))
      .then((took) => {
        if (!took) this.#tally.restore(id, untold);
      });
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

  async #patiently(patienceMs: number, work: Promise<unknown> | undefined): Promise<void> {
    if (work === undefined) return;
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const stop = this.#dependencies.after(patienceMs, resolve);
    await Promise.race([work, enough]);
    stop();
  }
}

function refusal(untilMs: number, nowMs: number): Refusal {
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)) };
}
