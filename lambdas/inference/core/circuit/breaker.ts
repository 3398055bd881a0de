/**
 * The circuit breaker that all processes share: it keeps calls off routes that fail, at no cost to calls over routes that
 * work. The store decides. Without it a process goes by what it read last, and no call fails or waits for more than a second.
 */
import { hash } from 'node:crypto';
import { NANO_PER_USD, type NanoUsd } from '../../../platform/core/money.ts';
import type { After, UlidSource } from '../../../platform/core/ports.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import type { UpstreamFailure } from '../upstream/provider.ts';
import {
  type CircuitScope,
  claimOf,
  coolingOf,
  failureOf,
  isFailing,
  isInDoubt,
  keysOf,
  openingOf,
  SCOPES,
  stateOf,
  successOf,
  verdictOf,
} from './circuit.ts';
import { classifyFailure, type FailureClass, hasFailed, isOfRoute } from './failure-class.ts';
import { KnownCircuits, type KnownCircuitsDependencies } from './known-circuits.ts';

export interface BreakerDependencies extends KnownCircuitsDependencies {
  readonly after: After;
  readonly ulid: UlidSource;
  /** A failure that counts, or a circuit that this process has opened. */
  readonly count: (event: 'routeFailed' | 'circuitOpened') => void;
}

export interface CircuitCaller {
  readonly accountId: string;
  /** A lower bound of what the account has spent on calls. */
  readonly spent: NanoUsd;
}

/** A call may try a route; to be handed back with the outcome. */
export interface Permit {
  readonly allowed: true;
  readonly routeId: string;
  readonly account: string;
  readonly hasPaid: boolean;
  readonly begunMs: number;
  /** The call probes the route, for these of its circuits. */
  readonly probe?: { readonly id: string; readonly scopes: readonly CircuitScope[] } | undefined;
}

/** An attempt whose answer has begun; to be handed back when the answer breaks off. */
export interface OpenPermit extends Permit {
  /** True for a circuit over which the previous call of this process failed. */
  readonly before: Readonly<Record<CircuitScope, boolean>>;
}

/** Failures of an account count for all only if it has spent as much: opening accounts with a few cents costs nothing. */
const MIN_SPENT: NanoUsd = NANO_PER_USD;
/** The time that a call waits for the first look at its circuits; its admission takes as long. */
const FIRST_LOOK_MS = 250;
/** The time that a call waits for the claim of a probe; without an answer it probes. */
const CLAIM_MS = 1_000;
/**
 * Milliseconds for which the end of a call waits for pending writes. A concurrent settlement takes two rounds of
 * database calls.
 */
const FLUSH_MS = 1_000;
/** For how long a prober that died keeps others from the route; the margin is for answers that are on their way. */
const PROBE_MS = { most: 60_000, margin: 5_000 };
/** Random characters of a ULID: 30 bits. */
const ID_LENGTH = 6;

/** Distinguishes accounts in 36 bits, which do not reveal the account. */
export const accountHash = (accountId: string): string => hash('sha256', accountId, 'base64url').slice(0, 6);

export class Breaker {
  readonly #dependencies: BreakerDependencies;
  readonly #circuits: KnownCircuits;
  /** Reports that are being made of calls that have ended. */
  readonly #reports = new Set<Promise<void>>();

  constructor(dependencies: BreakerDependencies) {
    this.#dependencies = dependencies;
    this.#circuits = new KnownCircuits(dependencies);
  }

  /**
   * To be called as a call begins: looks again at its circuits in the background when the last look is old. Resolves at
   * once, except where a circuit is new to the process. Never rejects.
   */
  async refresh(routes: readonly Pick<CatalogRoute, 'id'>[], accountId: string): Promise<void> {
    const account = accountHash(accountId);
    const keys = routes.flatMap(({ id }) => Object.values(keysOf(id, account)));
    const isNew = keys.some((key) => !this.#circuits.has(key));
    const look = this.#circuits.look(keys);
    if (isNew) await this.#within(FIRST_LOOK_MS, look);
  }

  /**
   * Decides if that account's call may try the route. Waits for the store only where a circuit is half open, to take its
   * probe, and a second at most. Never rejects.
   */
  async admit(
    route: Pick<CatalogRoute, 'id' | 'timeout_ms'>,
    caller: CircuitCaller,
  ): Promise<Permit | { readonly allowed: false; readonly retryAfterSeconds: number }> {
    const { clock, ulid } = this.#dependencies;
    const begunMs = clock();
    const account = accountHash(caller.accountId);
    const hasPaid = caller.spent >= MIN_SPENT;
    const permit = { allowed: true, routeId: route.id, account, hasPaid, begunMs } as const;
    const keys = keysOf(route.id, account);
    const stateIn = (scope: CircuitScope) =>
      stateOf(this.#circuits.of(keys[scope]).circuit, account, begunMs);
    const untilMs = Math.max(stateIn('shared').untilMs, stateIn('own').untilMs);
    if (untilMs > begunMs)
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((untilMs - begunMs) / 1000)) };
    const scopes = SCOPES.filter((scope) => stateIn(scope).kind === 'half-open');
    if (scopes.length === 0) return permit;
    const id = ulid().slice(-ID_LENGTH);
    const leaseMs = Math.min(route.timeout_ms, PROBE_MS.most) + PROBE_MS.margin;
    for (const [at, scope] of scopes.entries()) {
      const { circuit: known } = this.#circuits.of(keys[scope]);
      const claim = claimOf(known, { id, account, scope }, begunMs + leaseMs);
      const circuit = await this.#within(CLAIM_MS, this.#circuits.write(keys[scope], claim));
      if (circuit === undefined || circuit.probe === id) continue;
      // Another call was first. What this one has claimed it leaves to the next.
      this.abandoned({ ...permit, probe: { id, scopes: scopes.slice(0, at) } });
      return this.admit(route, caller);
    }
    return { ...permit, probe: { id, scopes } };
  }

  /** The route gave a whole answer, or the first content of a stream. */
  succeeded(permit: Permit): OpenPermit {
    const keys = keysOf(permit.routeId, permit.account);
    const [shared, own] = [this.#circuits.of(keys.shared), this.#circuits.of(keys.own)];
    const before = { shared: shared.lastFailed, own: own.lastFailed };
    this.#count(permit, 1, { shared: false, own: false });
    // Others may have met failures during a long call; and what they have reported already need not be reported again.
    const nowMs = this.#dependencies.clock();
    const maxAgeMs = [shared, own].some(({ circuit }) => isInDoubt(circuit, nowMs)) ? 0 : undefined;
    const look = permit.probe === undefined ? this.#circuits.look(Object.values(keys), maxAgeMs) : undefined;
    const report = () => this.#report(permit, 'serving');
    this.#track(look === undefined ? report() : look.then(report));
    return { ...permit, before };
  }

  /** The route failed before its answer began. */
  failed(failure: UpstreamFailure, permit: Permit): void {
    this.#fail(classifyFailure(failure), permit, failure.retryAfterSeconds);
  }

  /** The route failed within its answer: the call that had succeeded counts as a failed one after all. */
  broke(failure: UpstreamFailure, { before, ...permit }: OpenPermit): void {
    const outcome = classifyFailure(failure);
    if (hasFailed(outcome)) this.#count(permit, -1, before);
    // How long an answer takes is the request's choice.
    this.#fail(outcome === 'slow' ? 'doubtful' : outcome, { ...permit, probe: undefined });
  }

  /** The attempt ended without showing anything about the route. */
  abandoned(permit: Permit): void {
    this.#track(this.#report(permit, 'neutral'));
  }

  /**
   * Waits, a second at most, for the reports of calls that have ended: a function that has answered may be frozen.
   * Never rejects.
   */
  async flush(): Promise<void> {
    if (this.#reports.size > 0) await this.#within(FLUSH_MS, Promise.all(this.#reports));
  }

  #count({ routeId, account }: Permit, successes: 1 | -1, lastFailed: OpenPermit['before']): void {
    const keys = keysOf(routeId, account);
    for (const scope of SCOPES) {
      const known = this.#circuits.of(keys[scope]);
      known.served += successes;
      known.successes += successes;
      known.lastFailed = lastFailed[scope];
    }
  }

  #fail(outcome: FailureClass, permit: Permit, retryAfterSeconds?: number): void {
    if (hasFailed(outcome)) this.#dependencies.count('routeFailed');
    this.#track(this.#report(permit, outcome, retryAfterSeconds));
  }

  async #report(permit: Permit, outcome: FailureClass, retryAfterSeconds?: number): Promise<void> {
    const { own } = keysOf(permit.routeId, permit.account);
    const ended = this.#end(permit, 'own', outcome);
    const isCounted = isOfRoute(outcome) && permit.hasPaid;
    // The account's own circuit says how often the route has failed it.
    if (isCounted) await ended;
    const shared = this.#end(permit, 'shared', isCounted || !hasFailed(outcome) ? outcome : 'neutral');
    const { circuit } = this.#circuits.of(own);
    const cooling = coolingOf(circuit, retryAfterSeconds, this.#dependencies.clock());
    await Promise.all([
      ended,
      shared,
      outcome === 'limited' ? this.#circuits.write(own, cooling) : undefined,
    ]);
  }

  /** Ends an attempt in one of its circuits: as its probe, or as an ordinary call. */
  async #end(
    { routeId, account, begunMs, probe }: Permit,
    scope: CircuitScope,
    outcome: FailureClass,
  ): Promise<void> {
    const { clock, ulid, log, count } = this.#dependencies;
    const { [scope]: key, own } = keysOf(routeId, account);
    const known = this.#circuits.of(key);
    const { circuit, successes } = known;
    const isProbe = probe?.scopes.includes(scope) === true;
    const id = isProbe ? probe.id : ulid().slice(-ID_LENGTH);
    const ended = { id, scope, account, outcome, begunMs, nowMs: clock() };
    if (isProbe) {
      const after = await this.#circuits.write(key, verdictOf(circuit, ended));
      if (outcome === 'serving' && after?.since === begunMs)
        log.info('circuit closed', { route: routeId, scope });
    } else if (outcome === 'serving') {
      const success = successOf(circuit, successes, ended.nowMs);
      if (success !== undefined) known.successes = 0;
      await this.#circuits.write(key, success);
    } else if (hasFailed(outcome)) {
      const failure = failureOf(circuit, ended, known, this.#circuits.of(own).circuit);
      Object.assign(known, { lastFailed: true, successes: failure === undefined ? successes : 0 });
      const after = failure === undefined ? circuit : await this.#circuits.write(key, failure);
      if (after === undefined || !isFailing(after, ended.nowMs)) return;
      const opened = await this.#circuits.write(key, openingOf(ended));
      if (opened?.opened_by !== id) return;
      log.warn('circuit opened', { route: routeId, scope });
      count('circuitOpened');
    }
  }

  #track(report: Promise<void>): void {
    this.#reports.add(report);
    void report.then(() => this.#reports.delete(report));
  }

  /** Resolves with nothing when the time is up. */
  async #within<T>(timeoutMs: number, work: Promise<T> | undefined): Promise<T | undefined> {
    const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
    const stop = this.#dependencies.after(timeoutMs, () => resolve(undefined));
    return Promise.race([work, timeout]).finally(stop);
  }
}
