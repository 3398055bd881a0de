/**
 * The circuit breaker that all processes share: it knows which routes are failing and keeps calls off them, at no cost
 * to calls over routes that work. A route's calls are written when one of them fails, and while it is in doubt.
 */
import { hash } from 'node:crypto';
import { BoundedMap } from '../../bounded-map.ts';
import type { After } from '../../ports.ts';
import type { Route } from '../catalog/catalog-document.ts';
import type { UpstreamFailure } from '../upstream/provider.ts';
import { WINDOW_MS } from './call-window.ts';
import {
  afterClaim,
  afterTry,
  type Circuit,
  circuitsOf,
  isInDoubt,
  isOpen,
  type Permit,
  type RouteCircuits,
  type Scope,
  type Seen,
  stateOf,
} from './circuit.ts';
import { CircuitCache, type CircuitCacheDependencies } from './circuit-cache.ts';
import { classifyFailure, type FailureClass, hasFailed } from './failure-class.ts';

export interface BreakerDependencies extends Omit<CircuitCacheDependencies, 'written'> {
  readonly after: After;
  /** A failure that counts, or a circuit that this process has opened. */
  readonly count: (event: 'routeFailed' | 'circuitOpened') => void;
}

export type { Permit };

/** A try whose answer has begun; to be handed back when the answer breaks off. */
export interface Served extends Permit {
  readonly before: Readonly<Record<Scope, Seen>>;
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
const NOTHING_SEEN: Seen = { startMs: 0, served: 0, successes: 0, lastFailed: false };

/** Distinguishes accounts in 36 bits, which do not reveal the account. */
export const accountHash = (accountId: string): string => hash('sha256', accountId, 'base64url').slice(0, 6);

export class Breaker {
  readonly #dependencies: BreakerDependencies;
  readonly #cache: CircuitCache;
  /** By route, and by account on it. */
  readonly #seen = new BoundedMap<string, Seen>(MAX_SEEN);
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
  async admit(
    route: Route,
    accountId: string,
  ): Promise<Permit | { readonly allowed: false; readonly retryAfterSeconds: number }> {
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
    const found = circuitsOf(this.#cache.of(route.id), account);
    if (found.some(({ probe }) => probe?.id === claim.id)) return { ...permit, claimId: claim.id };
    // Another process was first: its claim, or what its probe found, is known now.
    return this.admit(route, accountId);
  }

  /** The route gave a whole answer, or the first content of a stream. */
  succeeded(permit: Permit): Served {
    const before = this.#see(permit, ({ served, successes }) => ({
      served: served + 1,
      successes: successes + 1,
      lastFailed: false,
    }));
    const nowMs = this.#dependencies.clock();
    const circuits = circuitsOf(this.#cache.of(permit.routeId), permit.account);
    const isDoubtful = circuits.some((circuit) => isInDoubt(circuit, nowMs));
    const look = permit.claimId === undefined ? this.#cache.look(isDoubtful ? 0 : undefined) : undefined;
    if (look === undefined) this.#report(permit, 'serving');
    else this.#track(look.then(() => this.#report(permit, 'serving')));
    return { ...permit, before };
  }

  /** The route failed before its answer began. */
  failed(failure: UpstreamFailure, permit: Permit): void {
    const failureClass = classifyFailure(failure);
    if (hasFailed(failureClass)) this.#dependencies.count('routeFailed');
    this.#report(permit, failureClass, failure.retryAfterSeconds);
  }

  /** The route failed within its answer: the call counts as a failed one after all. */
  broke(failure: UpstreamFailure, { before, ...permit }: Served): void {
    if (hasFailed(classifyFailure(failure)))
      this.#see(permit, ({ served, successes }, scope) => ({
        served: served - 1,
        successes: successes - 1,
        lastFailed: before[scope].lastFailed,
      }));
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

  /** Changes what the process has seen of the call's circuits; gives what it was. */
  #see({ routeId, account }: Permit, change: (seen: Seen, scope: Scope) => Partial<Seen>): Served['before'] {
    const nowMs = this.#dependencies.clock();
    const see = (scope: Scope, key: string) => {
      const known = this.#seen.get(key) ?? NOTHING_SEEN;
      const isCurrent = nowMs - known.startMs < WINDOW_MS;
      const before = isCurrent ? known : { ...NOTHING_SEEN, startMs: nowMs, lastFailed: known.lastFailed };
      this.#seen.set(key, { ...before, ...change(before, scope) });
      return before;
    };
    return { shared: see('shared', routeId), own: see('own', `${routeId} ${account}`) };
  }

  #report(permit: Permit, outcome: FailureClass, retryAfterSeconds?: number): Promise<void> | undefined {
    const isFailed = hasFailed(outcome);
    const seen = this.#see(permit, ({ lastFailed }) => ({ lastFailed: lastFailed || isFailed }));
    const tried = { ...permit, nowMs: this.#dependencies.clock(), outcome, retryAfterSeconds, seen };
    const reported = this.#cache.change(permit.routeId, (circuits) => afterTry(circuits, tried));
    if (reported !== undefined && (isFailed || outcome === 'serving'))
      this.#see(permit, () => ({ successes: 0 }));
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
