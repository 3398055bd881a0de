/**
 * The circuits of one route as data, and what each event makes of them: one that all accounts share, and one of its own
 * for each account that the route fails. Times are milliseconds since the Unix epoch.
 */
import {
  ASSUMED_SUCCESSES,
  type Bucket,
  isDoubtful,
  isFailing,
  THRESHOLD,
  withCalls,
  withinWindow,
} from './call-window.ts';
import { type FailureClass, hasFailed } from './failure-class.ts';

/** `shared`: what all accounts have met. `own`: what the call's account has met. */
export type Scope = 'shared' | 'own';

export interface Circuit {
  /** The calls that were reported in the last ten seconds. */
  readonly window?: readonly Bucket[] | undefined;
  /** Absent when closed; once past, one call may probe the route. */
  readonly openUntilMs?: number;
  /** When it opened, however often a probe has failed since; absent when closed. */
  readonly openedMs?: number;
  /** The probe in flight; its claim lapses when it has not ended by then. */
  readonly probe?: { readonly id: string; readonly untilMs: number } | undefined;
  /** Shared only: the accounts of the latest probes since it opened. */
  readonly probers?: readonly string[];
  /** When the probe began that closed it: calls that began earlier say nothing about the route as it is now. */
  readonly sinceMs?: number;
  /** Own only: the route asked the account to stay away until then (429). */
  readonly coolUntilMs?: number;
}

export interface RouteCircuits {
  readonly id: string;
  /** Counts the writes; 0 before the first. */
  readonly version: number;
  /** The latest writes, oldest first: a writer whose answer was lost finds its own here. */
  readonly writers: readonly string[];
  readonly shared: Circuit;
  /** By account, as `accountHash` gives it. */
  readonly own: Readonly<Record<string, Circuit>>;
}

/** A call may try a route; to be handed back with the outcome. */
export interface Permit {
  readonly allowed: true;
  readonly routeId: string;
  readonly account: string;
  readonly begunMs: number;
  /** The claim of the one call that tries a route whose circuit is half open. */
  readonly claimId?: string | undefined;
}

type Caller = Pick<EndedTry, 'account' | 'nowMs'>;

/** A try that has ended. */
export interface EndedTry extends Permit {
  readonly nowMs: number;
  readonly outcome: FailureClass;
  /** What the route asked for with a 429. */
  readonly retryAfterSeconds: number | undefined;
  readonly seen: Readonly<Record<Scope, Seen>>;
}

/** What the process has seen of a circuit's calls itself. */
export interface Seen {
  readonly startMs: number;
  /** For ten seconds, reported or not. */
  readonly served: number;
  /** Those that are not reported yet; negative when reported ones broke off. */
  readonly successes: number;
  readonly lastFailed: boolean;
}

/** In a shared circuit an account's failures count up to this many: only three accounts together reach the threshold. */
const MOST_OF_ONE = 2;
/** This many accounts speak for all: two that conspire do not. */
const ACCOUNTS = Math.ceil(THRESHOLD / MOST_OF_ONE);
/** Long enough to spare a failing route and its callers, short enough that its recovery is soon found. */
export const COOLDOWN_MS = 15_000;
/** When a caller that meets a probe in flight is to retry. */
const VERDICT_MS = 2_000;
/** When a route does not say how long to wait; and the longest that is believed: limits are often of a minute. */
const COOLING_SECONDS = { unsaid: 5, least: 1, most: 60 };
/** Where more accounts fail at once, the shared circuit opens. */
const MAX_OWN = 8;
/** More writes than land while one writer waits for an answer. */
const WRITERS_KEPT = 14;

const CLOSED = { version: 0, writers: [], shared: {}, own: {} };
export const closedCircuits = (id: string): RouteCircuits => ({ id, ...CLOSED });

export const writtenBy = (writer: string, route: RouteCircuits): RouteCircuits => ({
  ...route,
  version: route.version + 1,
  writers: [...route.writers, writer].slice(-WRITERS_KEPT),
});

/** Those that a call of that account goes by. */
export const circuitsOf = ({ shared, own }: RouteCircuits, account: string): readonly Circuit[] => [
  shared,
  own[account] ?? {},
];

/**
 * What the circuits say to a call of that account. `half-open`: it may try the route if it can claim to be the only one.
 * `shut`: it may not before `untilMs`.
 */
export function stateOf(route: RouteCircuits, account: string, nowMs: number) {
  const circuits = circuitsOf(route, account);
  const limits = Object.values(route.own).map(({ coolUntilMs = 0 }) => coolUntilMs);
  const limitedMs = limits.sort((a, b) => b - a)[ACCOUNTS - 1] ?? 0;
  const untilMs = Math.max(limitedMs, ...circuits.map((circuit) => shutUntilMs(circuit, account, nowMs)));
  const kind = untilMs > nowMs ? 'shut' : circuits.some(isOpen) ? 'half-open' : 'closed';
  return { kind, untilMs } as const;
}

function shutUntilMs(circuit: Circuit, account: string, nowMs: number): number {
  const { openUntilMs = 0, probe, probers = [], coolUntilMs = 0 } = circuit;
  const claimedMs = probe?.untilMs ?? 0;
  const verdictMs = claimedMs > nowMs ? Math.min(claimedMs, nowMs + VERDICT_MS) : 0;
  // Whoever has probed in vain lets others go first: its own requests may be at fault.
  const turnMs = probers.includes(account) ? Math.max(openUntilMs, claimedMs) + COOLDOWN_MS : 0;
  return Math.max(openUntilMs, verdictMs, turnMs, coolUntilMs);
}

export const isOpen = ({ openUntilMs }: Circuit): boolean => openUntilMs !== undefined;

/** When nothing that the circuits hold matters any more. */
export const spentMs = ({ shared, own }: Pick<RouteCircuits, 'shared' | 'own'>): number =>
  Math.max(...[shared, ...Object.values(own)].map(keptMs));

/** Until a cooldown after its last time an own circuit keeps its place from other accounts, for its own to call again. */
const keptMs = ({ window, openUntilMs = 0, probe, sinceMs = 0, coolUntilMs = 0 }: Circuit): number =>
  COOLDOWN_MS +
  Math.max(window?.at(-1)?.startMs ?? 0, openUntilMs, probe?.untilMs ?? 0, sinceMs, coolUntilMs);

/** A claim of that account to the probe, if there is one to be had. */
export function afterClaim(route: RouteCircuits, caller: Caller, probe: Circuit['probe']): RouteCircuits {
  const { account, nowMs } = caller;
  if (stateOf(route, account, nowMs).kind !== 'half-open') return route;
  return changed(route, caller, (circuit, scope) => {
    const { probers = [] } = circuit;
    const latest = [...probers.filter((prober) => prober !== account), account].slice(1 - ACCOUNTS);
    return isOpen(circuit) ? { ...circuit, probe, probers: scope === 'own' ? [] : latest } : circuit;
  });
}

/** Ends a try: the probe of the circuits that it has the claim of, and an ordinary call in the others. */
export const afterTry = (route: RouteCircuits, tried: EndedTry): RouteCircuits =>
  changed(route, tried, (before, scope) => {
    const { outcome, claimId } = tried;
    const circuit = outcome === 'limited' && scope === 'own' ? afterRateLimit(before, tried) : before;
    if (claimId !== undefined && circuit.probe?.id === claimId) return afterProbe(circuit, scope, tried);
    if (hasFailed(outcome)) return afterFailure(circuit, scope, tried);
    return outcome === 'serving' ? afterSuccesses(circuit, tried.seen[scope], tried.nowMs) : circuit;
  });

/**
 * A probe whose failure may be the request's leaves a shared circuit to the next account, but soon and not at once: a
 * route may be dead in ways that look like the fault of each request.
 */
function afterProbe(circuit: Circuit, scope: Scope, { nowMs, begunMs, outcome }: EndedTry): Circuit {
  if (outcome === 'serving') return { sinceMs: begunMs, coolUntilMs: circuit.coolUntilMs ?? 0 };
  const isFailed = scope === 'own' ? hasFailed(outcome) : outcome === 'failing';
  const unclearMs = scope === 'own' ? 0 : VERDICT_MS;
  return { ...circuit, probe: undefined, openUntilMs: nowMs + (isFailed ? COOLDOWN_MS : unclearMs) };
}

/** Counts a failure, in a shared circuit only the first two of an account; opens the circuit when it is time. */
function afterFailure(circuit: Circuit, scope: Scope, { nowMs, begunMs, account, seen }: EndedTry): Circuit {
  if (isOpen(circuit) || begunMs < (circuit.sinceMs ?? 0)) return circuit;
  const { served, successes, lastFailed } = seen[scope];
  const before = windowOf(circuit, nowMs);
  const ofOne = before.flatMap(({ failedBy }) => failedBy).filter((other) => other === account).length;
  const counts = scope === 'own' || ofOne < MOST_OF_ONE;
  const window = withCalls(before, nowMs, {
    failures: counts ? 1 : 0,
    successes,
    assumed: counts && !lastFailed ? Math.max(0, ASSUMED_SUCCESSES - served) : 0,
    failedBy: counts && scope === 'shared' ? [account] : [],
  });
  if (isFailing(window, nowMs))
    return { ...circuit, window: undefined, openUntilMs: nowMs + COOLDOWN_MS, openedMs: nowMs };
  return counts || successes !== 0 ? { ...circuit, window } : circuit;
}

/** Counts successes where that can keep the circuit closed. */
function afterSuccesses(circuit: Circuit, { successes }: Seen, nowMs: number): Circuit {
  if (successes === 0 || !isInDoubt(circuit, nowMs)) return circuit;
  const calls = { failures: 0, successes, assumed: 0, failedBy: [] };
  return { ...circuit, window: withCalls(windowOf(circuit, nowMs), nowMs, calls) };
}

/** A success of it is worth reporting. */
export const isInDoubt = (circuit: Circuit, nowMs: number): boolean => isDoubtful(windowOf(circuit, nowMs));

const windowOf = ({ window = [] }: Circuit, nowMs: number) => withinWindow(window, nowMs);

/** For how many seconds a route is left alone that asked for this many, or did not say. */
export const coolingSeconds = (asked: number | undefined): number =>
  Math.min(COOLING_SECONDS.most, Math.max(COOLING_SECONDS.least, asked ?? COOLING_SECONDS.unsaid));

/** Of many refusals at once, one write is enough. */
function afterRateLimit(circuit: Circuit, { nowMs, retryAfterSeconds }: EndedTry): Circuit {
  const coolUntilMs = nowMs + Math.ceil(coolingSeconds(retryAfterSeconds) * 1000);
  const isNews = coolUntilMs >= (circuit.coolUntilMs ?? 0) + COOLING_SECONDS.least * 1000;
  return isNews ? { ...circuit, coolUntilMs } : circuit;
}

/** Changes the shared circuit and the account's own; an account that finds all places taken has none of its own. */
function changed(
  route: RouteCircuits,
  { account, nowMs }: Caller,
  change: (circuit: Circuit, scope: Scope) => Circuit,
): RouteCircuits {
  const before = route.own[account] ?? {};
  const shared = change(route.shared, 'shared');
  const circuit = change(before, 'own');
  const others = Object.entries(route.own).filter(([other]) => other !== account);
  const kept = others.length < MAX_OWN ? others : others.filter(([, other]) => keptMs(other) > nowMs);
  const isKept = circuit !== before && kept.length < MAX_OWN;
  const own = isKept ? Object.fromEntries([...kept, [account, circuit]]) : route.own;
  return shared === route.shared && !isKept ? route : { ...route, shared, own };
}
