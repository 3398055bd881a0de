/**
 * The circuit breaker that all processes share: it knows which routes to leave alone, at no cost to calls over routes
 * that work. A route's calls are written down when one of them fails, and for as long as it is in doubt.
 */
import type { After, Clock, Log, UlidSource } from '../../ports.ts';
import type { Route } from '../catalog/catalog-document.ts';
import type { UpstreamFailure } from '../upstream/provider.ts';
import { CallCircuits, type Caller, callerOf, routeOf, SCOPES, type Scope } from './call-circuits.ts';
import { afterClaim, afterProbe, afterRateLimit, type Circuit, stateOf, type Verdict } from './circuit.ts';
import { type CircuitStore, KnownCircuits } from './circuit-cache.ts';
import { findingOf, hasFailed, VERDICTS } from './failure-class.ts';

export interface BreakerDependencies {
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly after: After;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** A failure that counts, or a circuit that this process has opened. */
  readonly count: (event: 'routeFailed' | 'circuitOpened') => void;
}

type InScopes<Value> = Readonly<Partial<Record<Scope, Value>>>;

/** A call may try a route; to be handed back with what came of it. */
export interface Permit {
  readonly allowed: true;
  readonly begunMs: number;
  readonly caller: Caller;
  /** The claim of the one call that tries a route whose circuit is half open. */
  readonly claims: InScopes<string>;
}

/** What became of a try whose answer has begun; to be handed back when the answer breaks off. */
export interface Served extends Permit {
  readonly servedMs: number;
  /** Whether the call before it failed; absent where it was a probe, which closed the circuit and was not counted. */
  readonly failedBefore: InScopes<boolean>;
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
  readonly #known: KnownCircuits;
  readonly #circuits: CallCircuits;
  /** Looks that began at a call's end. */
  readonly #lastLooks = new Set<Promise<void>>();
  #firstLook: Promise<void> | undefined;

  constructor(dependencies: BreakerDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    const written = (before: Circuit, after: Circuit) => this.#report(before, after);
    this.#known = new KnownCircuits({ ...dependencies, written });
    this.#circuits = new CallCircuits(this.#known, clock);
  }

  /**
   * To be called as a call begins: looks again in the background when the last look is old. Resolves at once, except
   * in a process that knows nothing yet. Never rejects.
   */
  refresh(): Promise<void> {
    const look = this.#known.look();
    this.#firstLook ??= this.#within(FIRST_LOOK_MS, look);
    return this.#firstLook;
  }

  /**
   * Whether that account's call may try the route. Waits for the database only where a circuit is half open, to claim
   * the probe, and then not for long. Never rejects.
   */
  async admit(route: Route, accountId: string): Promise<Permit | Refusal> {
    const { clock, ulid } = this.#dependencies;
    const caller = callerOf(route.id, accountId);
    const { account } = caller;
    const begunMs = clock();
    const state = (scope: Scope) => stateOf(this.#circuits.of(scope, caller), clock(), account);
    const states = SCOPES.map((scope) => ({ scope, ...state(scope) }));
    const shut = states.flatMap((found) => (found.kind === 'shut' ? found.untilMs : []));
    if (shut.length > 0) return refusal(Math.max(...shut), begunMs);
    const halfOpen = states.flatMap(({ kind, scope }) => (kind === 'half-open' ? scope : []));
    // The shared circuit's claim is good for both: no other call may try the route meanwhile.
    const [scope] = halfOpen;
    if (scope === undefined) return { allowed: true, begunMs, caller, claims: {} };
    const lapseMs = begunMs + Math.min(route.timeout_ms, PROBE_MS.most) + PROBE_MS.margin;
    const claim = { id: ulid(), untilMs: lapseMs };
    const written = this.#circuits.change(scope, caller, (circuit) =>
      afterClaim(circuit, begunMs, account, claim),
    );
    await this.#within(CLAIM_MS, written);
    if (this.#circuits.of(scope, caller).probe?.id === claim.id) {
      const claims = Object.fromEntries(halfOpen.map((half) => [half, claim.id]));
      return { allowed: true, begunMs, caller, claims };
    }
    // Another process was first: its claim, or what its probe found, is known now.
    const found = state(scope);
    if (found.kind === 'closed') return this.admit(route, accountId);
    return refusal(found.kind === 'shut' ? found.untilMs : clock(), clock());
  }

  /** The route gave a whole answer, or the first content of a stream. */
  succeeded(permit: Permit): Served {
    const { caller } = permit;
    this.#endProbe(permit, () => 'served');
    const counted = SCOPES.filter((scope) => permit.claims[scope] === undefined);
    const failedBefore = Object.fromEntries(
      counted.map((scope) => [scope, this.#circuits.countSuccess(scope, caller)]),
    );
    const report = () => {
      for (const scope of counted) this.#circuits.reportSuccesses(scope, caller);
    };
    const isInDoubt = counted.some((scope) => this.#circuits.isInDoubt(scope, caller));
    const look = counted.length > 0 ? this.#known.look(isInDoubt ? 0 : undefined)?.then(report) : undefined;
    if (look === undefined) report();
    else {
      this.#lastLooks.add(look);
      void look.then(() => this.#lastLooks.delete(look));
    }
    return { ...permit, servedMs: this.#dependencies.clock(), failedBefore };
  }

  /** The route failed before its answer began. */
  failed(failure: UpstreamFailure, permit: Permit): void {
    const { caller, begunMs, claims } = permit;
    const finding = findingOf(failure);
    const nowMs = this.#dependencies.clock();
    if (hasFailed(finding)) this.#dependencies.count('routeFailed');
    this.#endProbe(permit, (scope) => VERDICTS[finding][scope]);
    for (const scope of SCOPES) {
      if (hasFailed(finding) && claims[scope] === undefined)
        this.#circuits.countFailure(scope, caller, begunMs);
      if (finding !== 'limited') continue;
      const { retryAfterSeconds } = failure;
      void this.#circuits.change(scope, caller, (circuit) =>
        afterRateLimit(circuit, nowMs, caller.account, retryAfterSeconds),
      );
    }
  }

  /** The route failed within its answer: the call counts as a failed one after all. */
  broke(failure: UpstreamFailure, { servedMs, failedBefore, ...permit }: Served): void {
    const isFailed = hasFailed(findingOf(failure));
    for (const scope of SCOPES) {
      const before = failedBefore[scope];
      if (!isFailed || before === undefined) continue;
      this.#circuits.takeBack(scope, permit.caller, servedMs, before);
    }
    this.failed(failure, { ...permit, claims: {} });
  }

  /** The try ended without saying anything of the route. */
  abandoned(permit: Permit): void {
    this.#endProbe(permit, () => 'unclear');
  }

  /**
   * Waits, not for long, for what is being written behind calls' backs: a function that has answered may be frozen.
   * Never rejects.
   */
  flush(): Promise<void> {
    const looks = this.#lastLooks.size > 0 ? Promise.all(this.#lastLooks) : undefined;
    return this.#within(FLUSH_MS, looks?.then(() => this.#known.settled()) ?? this.#known.settled());
  }

  #endProbe({ caller, claims, begunMs }: Permit, resultIn: (scope: Scope) => Verdict['result']): void {
    const nowMs = this.#dependencies.clock();
    for (const scope of SCOPES) {
      const claimId = claims[scope];
      if (claimId === undefined) continue;
      const verdict = { claimId, begunMs, result: resultIn(scope) };
      void this.#circuits.change(scope, caller, (circuit) => afterProbe(circuit, nowMs, verdict));
    }
  }

  /** Only the process whose write made the transition gets here with it. */
  #report(before: Circuit, after: Circuit): void {
    const { log, count } = this.#dependencies;
    const details = { route: routeOf(after), scope: after.account === undefined ? 'shared' : 'own' };
    const wasOpen = before.account === after.account && before.openUntilMs !== 0;
    const isOpen = after.openUntilMs !== 0;
    if (!wasOpen && isOpen) {
      log.warn('circuit opened', details);
      count('circuitOpened');
    }
    if (wasOpen && !isOpen) log.info('circuit closed', details);
  }

  async #within(patienceMs: number, work: Promise<unknown> | undefined): Promise<void> {
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
