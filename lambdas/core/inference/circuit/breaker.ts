/**
 * The circuit breaker that all processes share: it knows which routes are failing and keeps calls off them, at no cost
 * to calls over routes that work. A route's calls are written when one of them fails, and while it is in doubt.
 */
import { BoundedMap } from '../../bounded-map.ts';
import type { After } from '../../ports.ts';
import type { Route } from '../catalog/catalog-document.ts';
import type { UpstreamFailure } from '../upstream/provider.ts';
import {
  accountHash,
  afterClaim,
  afterTry,
  type Circuit,
  hasClaim,
  isInDoubt,
  isOpen,
  type RouteCircuits,
  type Scope,
  type Seen,
  stateOf,
  WINDOW_MS,
} from './circuit.ts';
import { CircuitCache, type CircuitCacheDependencies } from './circuit-cache.ts';
import { classifyFailure, type FailureClass, hasFailed } from './failure-class.ts';

export interface BreakerDependencies extends Omit<CircuitCacheDependencies, 'written'> {
  readonly after: After;
  /** A failure that counts, or a circuit that this process has opened. */
  readonly count: (event: 'routeFailed' | 'circuitOpened') => void;
}

/** A call may try a route; to be handed back with the outcome. */
export interface Permit {
  readonly allowed: true;
  readonly routeId: string;
  /** As `accountHash` gives it. */
  readonly account: string;
  readonly begunMs: number;
  /** The claim of the one call that tries a route whose circuit is half open. */
  readonly claimId?: string | undefined;
}

/** A try whose answer has begun; to be handed back when the answer breaks off. */
export interface Served extends Permit {
  readonly hadFailed: Readonly<Record<Scope, boolean>>;
}

export interface Refusal {
  readonly allowed: false;
  readonly retryAfterSeconds: number;
}

/** How long a process's first call waits for its first look; the call's admission takes as long. */
const FIRST_LOOK_MS = 250;
/** How long a call waits for the claim of a probe; without an answer it probes, as far as its own process knows. */
const CLAIM_MS = 1_000;
/** How long a call's end waits for what is being written; a settlement beside it takes two rounds of database calls. */
const FLUSH_MS = 1_000;
/** For how long a prober that died keeps others from the route; the margin is for answers that are on their way. */
const PROBE_MS = { most: 60_000, margin: 5_000 };
/** More than a process serves in a window, of routes and of accounts on them; 200 bytes each. */
const MAX_SEEN = 10_000;
const SCOPES: readonly Scope[] = ['shared', 'own'];

export class Breaker {
  readonly #dependencies: BreakerDependencies;
  readonly #cache: CircuitCache;
  /** By circuit, for ten seconds. */
  readonly #seen = new BoundedMap<string, Seen & { readonly startMs: number }>(MAX_SEEN);
  /** Reports that are being made of calls that have ended. */
  readonly #reports = new Set<Promise<void>>();
  #firstLook: Promise<void> | undefined;

  constructor(dependencies: BreakerDependencies) {
    this.#dependencies = dependencies;
    this.#cache = new CircuitCache({ ...dependencies, written: (...write) => this.#logChanges(...write) });
  }

  /**
   * To be called as a call begins: looks again in the background when the last look is old. Resolves at once, except
   * in a process that knows nothing yet. Never rejects.
   */
  refresh(): Promise<void> {
    const look = this.#cache.look();
    this.#firstLook ??= this.#withTimeout(FIRST_LOOK_MS, look);
    return this.#firstLook;
  }

  /**
   * Whether that account's call may try the route. Waits for the database only where a circuit is half open, to claim
   * the probe, and a second at most. Never rejects.
   */
  async admit(route: Route, accountId: string): Promise<Permit | Refusal> {
    const { clock, ulid } = this.#dependencies;
    const account = accountHash(accountId);
    const begunMs = clock();
    const permit = { allowed: true, routeId: route.id, account, begunMs } as const;
    const { kind, untilMs } = stateOf(this.#cache.of(route.id), account, begunMs);
    if (kind === 'shut')
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((untilMs - begunMs) / 1000)) };
    if (kind === 'closed') return permit;
    const lapseMs = begunMs + Math.min(route.timeout_ms, PROBE_MS.most) + PROBE_MS.margin;
    const claim = { id: ulid(), untilMs: lapseMs };
    const change = (circuits: RouteCircuits) => afterClaim(circuits, { account, nowMs: begunMs }, claim);
    await this.#withTimeout(CLAIM_MS, this.#track(this.#cache.change(route.id, change)));
    if (hasClaim(this.#cache.of(route.id), account, claim.id)) return { ...permit, claimId: claim.id };
    // Another process was first: its claim, or what its probe found, is known now.
    return this.admit(route, accountId);
  }

  /** The route gave a whole answer, or the first content of a stream. */
  succeeded(permit: Permit): Served {
    const hadFailed = {
      shared: this.#see(permit, 'shared').lastFailed,
      own: this.#see(permit, 'own').lastFailed,
    };
    for (const scope of SCOPES) this.#addSuccesses(permit, scope, 1, false);
    const { shared, own } = this.#cache.of(permit.routeId);
    const isDoubtful = [shared, own[permit.account] ?? {}].some((circuit) =>
      isInDoubt(circuit, this.#dependencies.clock()),
    );
    const look = permit.claimId === undefined ? this.#cache.look(isDoubtful ? 0 : undefined) : undefined;
    if (look === undefined) this.#report(permit, 'serving');
    else this.#track(look.then(() => this.#report(permit, 'serving')));
    return { ...permit, hadFailed };
  }

  /** The route failed before its answer began. */
  failed(failure: UpstreamFailure, permit: Permit): void {
    const failureClass = classifyFailure(failure);
    if (hasFailed(failureClass)) this.#dependencies.count('routeFailed');
    this.#report(permit, failureClass, failure.retryAfterSeconds);
  }

  /** The route failed within its answer: the call counts as a failed one after all. */
  broke(failure: UpstreamFailure, { hadFailed, ...permit }: Served): void {
    if (hasFailed(classifyFailure(failure)))
      for (const scope of SCOPES) this.#addSuccesses(permit, scope, -1, hadFailed[scope]);
    this.failed(failure, { ...permit, claimId: undefined });
  }

  /** The try ended without showing anything about the route. */
  abandoned(permit: Permit): void {
    this.#report(permit, 'neutral');
  }

  /**
   * Waits, a second at most, for the reports of calls that have ended: a function that has answered may be frozen.
   * Never rejects.
   */
  flush(): Promise<void> {
    return this.#withTimeout(FLUSH_MS, this.#reports.size === 0 ? undefined : Promise.all(this.#reports));
  }

  #see({ routeId, account }: Permit, scope: Scope) {
    const key = scope === 'shared' ? routeId : `${routeId} ${account}`;
    const nowMs = this.#dependencies.clock();
    const { startMs = nowMs, successes = 0, lastFailed = false } = this.#seen.get(key) ?? {};
    const isCurrent = nowMs - startMs < WINDOW_MS;
    return { key, startMs: isCurrent ? startMs : nowMs, successes: isCurrent ? successes : 0, lastFailed };
  }

  #addSuccesses(permit: Permit, scope: Scope, count: number, lastFailed: boolean): void {
    const { key, startMs, successes } = this.#see(permit, scope);
    this.#seen.set(key, { startMs, successes: successes + count, lastFailed });
  }

  #report(permit: Permit, outcome: FailureClass, retryAfterSeconds?: number): Promise<void> | undefined {
    const seen = { shared: this.#see(permit, 'shared'), own: this.#see(permit, 'own') };
    const nowMs = this.#dependencies.clock();
    const tried = { ...permit, claimId: permit.claimId, nowMs, outcome, retryAfterSeconds, seen };
    const reported = this.#cache.change(permit.routeId, (circuits) => afterTry(circuits, tried));
    // What is written is not reported again.
    if (reported !== undefined && (outcome === 'serving' || hasFailed(outcome)))
      for (const { key, startMs, lastFailed } of Object.values(seen))
        this.#seen.set(key, { startMs, successes: 0, lastFailed: lastFailed || outcome !== 'serving' });
    return this.#track(reported);
  }

  #track(work: Promise<void> | undefined): Promise<void> | undefined {
    if (work === undefined) return undefined;
    this.#reports.add(work);
    void work.then(() => this.#reports.delete(work));
    return work;
  }

  /** Called with each write, by the only process that made it. */
  #logChanges(before: RouteCircuits, after: RouteCircuits): void {
    const { log, count } = this.#dependencies;
    const note = (scope: Scope, was: Circuit, is: Circuit) => {
      if (isOpen(was) && !isOpen(is)) log.info('circuit closed', { route: after.id, scope });
      if (isOpen(was) || !isOpen(is)) return;
      log.warn('circuit opened', { route: after.id, scope });
      count('circuitOpened');
    };
    note('shared', before.shared, after.shared);
    for (const [account, circuit] of Object.entries(after.own))
      note('own', before.own[account] ?? {}, circuit);
  }

  async #withTimeout(timeoutMs: number, work: Promise<unknown> | undefined): Promise<void> {
    if (work === undefined) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const stop = this.#dependencies.after(timeoutMs, resolve);
    await Promise.race([work, timeout]);
    stop();
  }
}
