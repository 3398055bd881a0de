/** One route's circuit as data, and what each event makes of it. Times are milliseconds since the Unix epoch. */

/** Calls of a short stretch of time. */
interface Stretch {
  readonly startMs: number;
  readonly failures: number;
  readonly successes: number;
}

export interface Circuit {
  readonly routeId: string;
  /** Counts the writes; 0 before the first. */
  readonly version: number;
  /** The calls of the window, oldest first. */
  readonly stretches: readonly Stretch[];
  /** 0 when closed; once past, a probe may go. */
  readonly openUntilMs: number;
  /** A probe is under way until then at the latest; 0 when none is. */
  readonly probeUntilMs: number;
  /** The route asked to be left alone until then (429). */
  readonly coolUntilMs: number;
}

/** Failures further back say nothing of now, and a busy route makes enough calls in it to tell. */
const WINDOW_MS = 10_000;

/** The window slides in steps of this length: five of them are a small item. */
const STRETCH_MS = 2_000;

/** Fewer may be chance, and each costs a caller the time of a failed try. */
const THRESHOLD = 5;

/** A route that serves more than every other call is better than none; one that does not is worth leaving. */
const FAILING_SHARE = 0.5;

/** Long enough to spare a failing route and its callers, short enough that its recovery is soon found. */
export const COOLDOWN_MS = 15_000;

/** When a 429 does not say how long; and the longest that one is believed, because limits are often of a minute. */
const COOLING_MS = { unsaid: 5_000, least: 1_000, most: 60_000 };

export const closedCircuit = (routeId: string): Circuit => ({
  routeId,
  version: 0,
  stretches: [],
  openUntilMs: 0,
  probeUntilMs: 0,
  coolUntilMs: 0,
});

export type CircuitState =
  | { readonly kind: 'closed' }
  /** One call may try the route, if it can claim to be the one. */
  | { readonly kind: 'half-open' }
  /** No call may use the route before then. */
  | { readonly kind: 'shut'; readonly untilMs: number };

export function stateOf({ openUntilMs, probeUntilMs, coolUntilMs }: Circuit, nowMs: number): CircuitState {
  const untilMs = Math.max(openUntilMs, probeUntilMs, coolUntilMs);
  if (untilMs > nowMs) return { kind: 'shut', untilMs };
  return { kind: openUntilMs === 0 ? 'closed' : 'half-open' };
}

/** Nothing of it matters any more. */
export const isSpent = (circuit: Circuit, nowMs: number): boolean =>
  stateOf(circuit, nowMs).kind === 'closed' && currentStretches(circuit, nowMs).length === 0;

const currentStretches = ({ stretches }: Circuit, nowMs: number): readonly Stretch[] =>
  stretches.filter(({ startMs }) => startMs > nowMs - WINDOW_MS);

/** A failed call, and how many calls succeeded since the last that was told of; opens the circuit when it is time. */
export function afterFailure(circuit: Circuit, nowMs: number, successes: number): Circuit {
  // A call that began before the circuit opened tells nothing new.
  if (circuit.openUntilMs !== 0) return circuit;
  const stretches = counted(currentStretches(circuit, nowMs), nowMs, successes);
  const failures = stretches.reduce((sum, stretch) => sum + stretch.failures, 0);
  const calls = stretches.reduce((sum, stretch) => sum + stretch.successes, failures);
  if (failures < THRESHOLD || failures < calls * FAILING_SHARE) return { ...circuit, stretches };
  return { ...circuit, stretches: [], openUntilMs: nowMs + COOLDOWN_MS };
}

function counted(stretches: readonly Stretch[], nowMs: number, successes: number): readonly Stretch[] {
  const startMs = nowMs - (nowMs % STRETCH_MS);
  // Another process's clock may be ahead: then its stretch is the current one.
  const last = stretches.at(-1);
  if (last === undefined || last.startMs < startMs)
    return [...stretches, { startMs, failures: 1, successes }];
  const current = { ...last, failures: last.failures + 1, successes: last.successes + successes };
  return [...stretches.slice(0, -1), current];
}

/** A claim to the probe; it lapses by itself when the prober dies. */
export const afterClaim = (circuit: Circuit, nowMs: number, probeMs: number): Circuit => ({
  ...circuit,
  probeUntilMs: nowMs + probeMs,
});

/** What a probe found: the route serves, it fails, or the call told nothing of it. */
export type ProbeResult = 'served' | 'failed' | 'unclear';

export function afterProbe(circuit: Circuit, nowMs: number, result: ProbeResult): Circuit {
  if (result === 'served') return { ...closedCircuit(circuit.routeId), version: circuit.version };
  return {
    ...circuit,
    probeUntilMs: 0,
    openUntilMs: result === 'failed' ? nowMs + COOLDOWN_MS : circuit.openUntilMs,
  };
}

/** The route has had enough for now: it is left alone for so long, and is no worse for it. */
export function afterRateLimit(
  circuit: Circuit,
  nowMs: number,
  retryAfterSeconds: number | undefined,
): Circuit {
  const asked = retryAfterSeconds === undefined ? COOLING_MS.unsaid : retryAfterSeconds * 1000;
  const coolUntilMs = nowMs + Math.min(COOLING_MS.most, Math.max(COOLING_MS.least, asked));
  // Of many refusals at once, one write is enough.
  return coolUntilMs < circuit.coolUntilMs + COOLING_MS.least ? circuit : { ...circuit, coolUntilMs };
}
