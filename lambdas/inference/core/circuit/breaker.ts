/**
 * The circuit breaker that all processes share. It diverts calls from failing routes, at no cost to calls over healthy
 * routes. The store decides. If the store is unavailable, a process uses the state that it read last. No call fails or
 * waits for more than a second.
 */
import { hash } from 'node:crypto';
import { NANO_PER_USD, type NanoUsd } from '../../../platform/core/money.ts';
import type { After, UlidSource } from '../../../platform/core/ports.ts';
import { within } from '../../../platform/core/within.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import type { UpstreamFailure } from '../upstream/provider.ts';
import { CachedCircuits, type CachedCircuitsDependencies } from './cached-circuits.ts';
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

export interface BreakerDependencies extends CachedCircuitsDependencies {
  readonly after: After;
  readonly ulid: UlidSource;
  /** A failure that counts, or a circuit that this process has opened, or kept open by a failed probe. */
  readonly count: (event: 'routeFailed' | 'circuitOpened' | 'circuitStayedOpen') => void;
}

export interface CircuitCaller {
  readonly accountId: string;
  /** A lower bound of what the account has spent on calls. */
  readonly spentAmount: NanoUsd;
}

/** A call may try a route; to be handed back with the outcome. */
export interface Permit {
  readonly allowed: true;
  readonly routeId: string;
  readonly account: string;
  readonly hasPaid: boolean;
  readonly startMs: number;
  /** The call probes the route, for these of its circuits. */
  readonly probe?: { readonly id: string; readonly scopes: readonly CircuitScope[] } | undefined;
}

/** An attempt whose response has started. The caller returns it to the breaker if the response is interrupted. */
export interface OpenPermit extends Permit {
  /** True for a circuit over which the previous call of this process failed. */
  readonly before: Readonly<Record<CircuitScope, boolean>>;
}

/** Failures of an account count for all only if it has spent as much: opening accounts with a few cents costs nothing. */
const MIN_SPENT: NanoUsd = NANO_PER_USD;
/** The maximum time that a call waits for the first read of its circuits. Its admission takes as long. */
const FIRST_REFRESH_MS = 250;
/** The maximum time that a call waits for the claim of a probe. Without a result, it probes. */
const CLAIM_MS = 1_000;
/**
 * Milliseconds for which the end of a call waits for pending writes. A concurrent settlement takes two rounds of
 * database calls.
 */
const FLUSH_MS = 1_000;
/** The maximum time that a crashed prober blocks the route for others. The margin covers responses in transit. */
const PROBE_MS = { max: 60_000, margin: 5_000 };
/** Random characters of a ULID: 30 bits. */
const ID_LENGTH = 6;

/** Distinguishes accounts in 36 bits, which do not reveal the account. */
export const accountHash = (accountId: string): string => hash('sha256', accountId, 'base64url').slice(0, 6);

export class Breaker {
  readonly #dependencies: BreakerDependencies;
  readonly #circuits: CachedCircuits;
  /** Pending reports of calls that have ended. */
  readonly #reports = new Set<Promise<void>>();

  constructor(dependencies: BreakerDependencies) {
    this.#dependencies = dependencies;
    this.#circuits = new CachedCircuits(dependencies);
  }

  /**
   * Refreshes the circuits of a call in the background if the last read is too old. Called at the start of a call.
   * Resolves at once, unless a circuit is new to the process. Never rejects.
   */
  async refresh(routes: readonly Pick<CatalogRoute, 'id'>[], accountId: string): Promise<void> {
    const account = accountHash(accountId);
    const keys = routes.flatMap(({ id }) => Object.values(keysOf(id, account)));
    const isNew = keys.some((key) => !this.#circuits.has(key));
    const refresh = this.#circuits.refresh(keys);
    if (isNew) await within(this.#dependencies.after, FIRST_REFRESH_MS, refresh);
  }

  /**
   * Decides if that account's call may try the route. Waits for the store only where a circuit is half open, to take its
   * probe, and a second at most. Never rejects.
   */
  async admit(
    route: Pick<CatalogRoute, 'id' | 'timeout_ms'>,
    caller: CircuitCaller,
  ): Promise<Permit | { readonly allowed: false; readonly retryAfterSeconds: number }> {
    const { clock, ulid, after } = this.#dependencies;
    const startMs = clock();
    const account = accountHash(caller.accountId);
    const hasPaid = caller.spentAmount >= MIN_SPENT;
    const permit = { allowed: true, routeId: route.id, account, hasPaid, startMs } as const;
    const keys = keysOf(route.id, account);
    const stateIn = (scope: CircuitScope) =>
      stateOf(this.#circuits.of(keys[scope]).circuit, account, startMs);
    const untilMs = Math.max(stateIn('shared').untilMs, stateIn('own').untilMs);
    if (untilMs > startMs)
      return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((untilMs - startMs) / 1000)) };
    const scopes = SCOPES.filter((scope) => stateIn(scope).kind === 'half-open');
    if (scopes.length === 0) return permit;
    const id = ulid().slice(-ID_LENGTH);
    const claimMs = Math.min(route.timeout_ms, PROBE_MS.max) + PROBE_MS.margin;
    for (const [at, scope] of scopes.entries()) {
      const { circuit: cachedCircuit } = this.#circuits.of(keys[scope]);
      const claim = claimOf(cachedCircuit, { id, account, scope }, startMs + claimMs);
      const circuit = await within(after, CLAIM_MS, this.#circuits.write(keys[scope], claim));
      if (circuit === undefined || circuit.probe === id) continue;
      // Another call was first. What this one has claimed it leaves to the next.
      this.abandoned({ ...permit, probe: { id, scopes: scopes.slice(0, at) } });
      return this.admit(route, caller);
    }
    return { ...permit, probe: { id, scopes } };
  }

  /** Reports that the route sent a complete response, or the first content of a stream. */
  succeeded(permit: Permit): OpenPermit {
    const keys = keysOf(permit.routeId, permit.account);
    const [shared, own] = [this.#circuits.of(keys.shared), this.#circuits.of(keys.own)];
    const before = { shared: shared.lastFailed, own: own.lastFailed };
    this.#count(permit, 1, { shared: false, own: false });
    // Others may have met failures during a long call; and what they have reported already need not be reported again.
    const nowMs = this.#dependencies.clock();
    const maxAgeMs = [shared, own].some(({ circuit }) => isInDoubt(circuit, nowMs)) ? 0 : undefined;
    const refresh =
      permit.probe === undefined ? this.#circuits.refresh(Object.values(keys), maxAgeMs) : undefined;
    const report = () => this.#report(permit, 'serving');
    this.#track(refresh === undefined ? report() : refresh.then(report));
    return { ...permit, before };
  }

  /** Reports that the route failed before its response started. */
  failed(failure: UpstreamFailure, permit: Permit): void {
    this.#fail(classifyFailure(failure), permit, failure.retryAfterSeconds);
  }

  /** Reports that the route failed within its response. The successful attempt now counts as a failed one. */
  broke(failure: UpstreamFailure, { before, ...permit }: OpenPermit): void {
    const outcome = classifyFailure(failure);
    if (hasFailed(outcome)) this.#count(permit, -1, before);
    // The duration of a response depends on the request.
    this.#fail(outcome === 'slow' ? 'doubtful' : outcome, { ...permit, probe: undefined });
  }

  /** The attempt ended without showing anything about the route. */
  abandoned(permit: Permit): void {
    this.#track(this.#report(permit, 'neutral'));
  }

  /**
   * Waits up to a second for the reports of calls that have ended, because a function may be frozen after its response.
   * Never rejects.
   */
  async flush(): Promise<void> {
    const { after } = this.#dependencies;
    if (this.#reports.size > 0) await within(after, FLUSH_MS, Promise.all(this.#reports));
  }

  #count({ routeId, account }: Permit, successes: 1 | -1, lastFailed: OpenPermit['before']): void {
    const keys = keysOf(routeId, account);
    for (const scope of SCOPES) {
      const cachedCircuit = this.#circuits.of(keys[scope]);
      cachedCircuit.servedCount += successes;
      cachedCircuit.successes += successes;
      cachedCircuit.lastFailed = lastFailed[scope];
    }
  }

  #fail(outcome: FailureClass, permit: Permit, retryAfterSeconds?: number): void {
    if (hasFailed(outcome)) this.#dependencies.count('routeFailed');
    this.#track(this.#report(permit, outcome, retryAfterSeconds));
  }

  async #report(permit: Permit, outcome: FailureClass, retryAfterSeconds?: number): Promise<void> {
    const { own } = keysOf(permit.routeId, permit.account);
    const ownReport = this.#end(permit, 'own', outcome);
    const isCounted = isOfRoute(outcome) && permit.hasPaid;
    // The account's circuit counts the route's failures for this account.
    if (isCounted) await ownReport;
    const shared = this.#end(permit, 'shared', isCounted || !hasFailed(outcome) ? outcome : 'neutral');
    const { circuit } = this.#circuits.of(own);
    const cooling = coolingOf(circuit, retryAfterSeconds, this.#dependencies.clock());
    await Promise.all([
      ownReport,
      shared,
      outcome === 'limited' ? this.#circuits.write(own, cooling) : undefined,
    ]);
  }

  /** Ends an attempt in one of its circuits: as its probe, or as an ordinary call. */
  async #end(
    { routeId, account, startMs, probe }: Permit,
    scope: CircuitScope,
    outcome: FailureClass,
  ): Promise<void> {
    const { clock, ulid, log, count } = this.#dependencies;
    const { [scope]: key, own } = keysOf(routeId, account);
    const cachedCircuit = this.#circuits.of(key);
    const { circuit, successes } = cachedCircuit;
    const isProbe = probe?.scopes.includes(scope) === true;
    const id = isProbe ? probe.id : ulid().slice(-ID_LENGTH);
    const result = { id, scope, account, outcome, startMs, nowMs: clock() };
    if (isProbe) {
      const after = await this.#circuits.write(key, verdictOf(circuit, result));
      if (outcome === 'serving' && after?.since === startMs)
        log.info('circuit closed', { route: routeId, scope });
      if (hasFailed(outcome)) count('circuitStayedOpen');
    } else if (outcome === 'serving') {
      const success = successOf(circuit, successes, result.nowMs);
      if (success !== undefined) cachedCircuit.successes = 0;
      await this.#circuits.write(key, success);
    } else if (hasFailed(outcome)) {
      const failure = failureOf(circuit, result, cachedCircuit, this.#circuits.of(own).circuit);
      Object.assign(cachedCircuit, { lastFailed: true, successes: failure === undefined ? successes : 0 });
      const after = failure === undefined ? circuit : await this.#circuits.write(key, failure);
      if (after === undefined || !isFailing(after, result.nowMs)) return;
      const opened = await this.#circuits.write(key, openingOf(result));
      if (opened?.opened_by !== id) return;
      log.warn('circuit opened', { route: routeId, scope });
      count('circuitOpened');
    }
  }

  #track(report: Promise<void>): void {
    this.#reports.add(report);
    void report.then(() => this.#reports.delete(report));
  }
}
