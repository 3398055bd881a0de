/** One route's circuit as data, and what each event makes of it. Times are milliseconds since the Unix epoch. */

/** The calls of a short stretch of time, as far as they are told of. */
export interface Stretch {
  readonly startMs: number;
  readonly failures: number;
  readonly successes: number;
  /** Successes that are assumed beside the failures until they can have been told of. */
  readonly benefit: number;
}

export interface Circuit {
  readonly routeId: string;
  /** Counts the writes; 0 before the first. */
  readonly version: number;
  /** The latest writes, oldest first: a writer whose answer was lost finds its own here. */
  readonly writers: readonly string[];
  /** The calls of the window, oldest first. */
  readonly stretches: readonly Stretch[];
  /** 0 when closed; once past, a probe may go. */
  readonly openUntilMs: number;
  /** The probe under way; without a verdict by then, its claim has lapsed. */
  readonly probe: Claim | undefined;
  /** When the probe began that closed it: tries that began earlier say nothing of the route as it is now. */
  readonly sinceMs: number;
  /** The route asked to be left alone until then (429). */
  readonly coolUntilMs: number;
}

export interface Claim {
  readonly id: string;
  readonly untilMs: number;
}

/** Failures further back say nothing of now, and a busy route makes enough calls in it to tell. */
const WINDOW_MS = 10_000;

/** The window slides in steps of this length: five of them are a small item. */
const STRETCH_MS = 2_000;

/** Fewer may be chance, and each costs a caller the time of a failed try. */
const THRESHOLD = 5;

/** A route that serves more than every other call is better than none; one that does not is worth leaving. */
const FAILING_SHARE = 0.5;

/** Successes are asked for up to this many a failure: twice what keeps the circuit closed, as failures go on. */
const REASSURANCE = 2;

/**
 * The first failure that a process sees is counted as one call in three: most processes that see one fail would see
 * the next ones served, if the route is any good. Another failure on top of it is counted as it is.
 */
const BENEFIT = 2;

/** By then other processes have looked, and told of their own successes. */
const BENEFIT_MS = 2 * STRETCH_MS;

/** Long enough to spare a failing route and its callers, short enough that its recovery is soon found. */
export const COOLDOWN_MS = 15_000;

/** A probe is over in a second or a minute; a caller who is told to come back this soon finds out. */
const VERDICT_MS = 2_000;

/** When a 429 does not say how long; and the longest that one is believed, because limits are often of a minute. */
const COOLING_MS = { unsaid: 5_000, least: 1_000, most: 60_000 };

/** More writes than land while one writer waits for an answer; 27 bytes each keep the item under a kilobyte. */
const WRITERS_KEPT = 16;

export const closedCircuit = (routeId: string): Circuit => ({
  routeId,
  version: 0,
  writers: [],
  stretches: [],
  openUntilMs: 0,
  probe: undefined,
  sinceMs: 0,
  coolUntilMs: 0,
});

/** The circuit as `writer` writes it. */
export const writtenBy = (writer: string, circuit: Circuit): Circuit => ({
  ...circuit,
  version: circuit.version + 1,
  writers: [...circuit.writers, writer].slice(-WRITERS_KEPT),
});

export type CircuitState =
  | { readonly kind: 'closed' }
  /** One call may try the route, if it can claim to be the one. */
  | { readonly kind: 'half-open' }
  /** No call may use the route before then, as far as is known. */
  | { readonly kind: 'shut'; readonly untilMs: number };

export function stateOf({ openUntilMs, probe, coolUntilMs }: Circuit, nowMs: number): CircuitState {
  const isProbed = openUntilMs !== 0 && probe !== undefined && probe.untilMs > nowMs;
  const verdictMs = isProbed ? Math.min(probe.untilMs, nowMs + VERDICT_MS) : 0;
  const untilMs = Math.max(openUntilMs, verdictMs, coolUntilMs);
  if (untilMs > nowMs) return { kind: 'shut', untilMs };
  return { kind: openUntilMs === 0 ? 'closed' : 'half-open' };
}

/** Nothing of it matters any more. */
export const isSpent = (circuit: Circuit, nowMs: number): boolean =>
  stateOf(circuit, nowMs).kind === 'closed' && withinWindow(circuit.stretches, [], nowMs).length === 0;

/** Failures that the successes told of do not outweigh by far: a success is worth telling of. */
export function isInDoubt({ openUntilMs, stretches }: Circuit, nowMs: number): boolean {
  const current = withinWindow(stretches, [], nowMs);
  return openUntilMs === 0 && sum(current, 'successes') < sum(current, 'failures') * REASSURANCE;
}

type Count = 'failures' | 'successes' | 'benefit';

const sum = (stretches: readonly Stretch[], count: Count): number =>
  stretches.reduce((total, stretch) => total + stretch[count], 0);

/** Whether it is time to leave the route: the stretches are those of the window. */
function isFailing(stretches: readonly Stretch[], nowMs: number): boolean {
  const failures = sum(stretches, 'failures');
  const recent = stretches.filter(({ startMs }) => startMs > nowMs - BENEFIT_MS);
  const others = sum(stretches, 'successes') + sum(recent, 'benefit');
  return failures >= THRESHOLD && failures >= (failures + others) * FAILING_SHARE;
}

/** So many calls at one time; fewer than none take back what was told of before. */
export const callsAt = (atMs: number, counts: Partial<Omit<Stretch, 'startMs'>>): Stretch => ({
  startMs: atMs - (atMs % STRETCH_MS),
  failures: 0,
  successes: 0,
  benefit: 0,
  ...counts,
});

/** The calls of both that lie in the window, oldest first; another process's clock may be ahead. */
export function withinWindow(
  stretches: readonly Stretch[],
  more: readonly Stretch[],
  nowMs: number,
): readonly Stretch[] {
  const sums = new Map<number, Stretch>();
  for (const { startMs, failures, successes, benefit } of [...stretches, ...more]) {
    if (Math.abs(nowMs - startMs) >= WINDOW_MS) continue;
    const before = sums.get(startMs) ?? callsAt(startMs, {});
    sums.set(startMs, {
      startMs,
      failures: before.failures + failures,
      successes: before.successes + successes,
      benefit: before.benefit + benefit,
    });
  }
  return [...sums.values()].sort((a, b) => a.startMs - b.startMs);
}

export interface FailedTry {
  readonly nowMs: number;
  readonly begunMs: number;
  /** The last call of the same process over the route failed too. */
  readonly failedBefore: boolean;
  /** Successes that the process has seen itself. */
  readonly seen: readonly Stretch[];
  /** Those of them that were not told of yet. */
  readonly untold: readonly Stretch[];
}

/** Counts a failed try; opens the circuit when it is time. */
export function afterFailure(circuit: Circuit, failed: FailedTry): Circuit {
  const { nowMs, begunMs, failedBefore, seen, untold } = failed;
  if (circuit.openUntilMs !== 0 || begunMs < circuit.sinceMs) return circuit;
  const assumed = Math.max(0, BENEFIT - sum(withinWindow(seen, [], nowMs), 'successes'));
  const benefit = failedBefore ? 0 : assumed;
  const stretches = told(circuit, [...untold, callsAt(nowMs, { failures: 1, benefit })], nowMs);
  if (!isFailing(stretches, nowMs)) return { ...circuit, stretches };
  return { ...circuit, stretches: [], openUntilMs: nowMs + COOLDOWN_MS };
}

/** Counts successes where that can keep the circuit closed. */
export const afterSuccesses = (circuit: Circuit, nowMs: number, successes: readonly Stretch[]): Circuit =>
  isInDoubt(circuit, nowMs) ? { ...circuit, stretches: told(circuit, successes, nowMs) } : circuit;

/** What was taken back may have been told in a write that never arrived. */
const told = ({ stretches }: Circuit, more: readonly Stretch[], nowMs: number): readonly Stretch[] =>
  withinWindow(stretches, more, nowMs).map((stretch) => ({
    ...stretch,
    successes: Math.max(0, stretch.successes),
  }));

/** A claim to the probe, if there is one to be had. */
export const afterClaim = (circuit: Circuit, nowMs: number, claim: Claim): Circuit =>
  stateOf(circuit, nowMs).kind === 'half-open' ? { ...circuit, probe: claim } : circuit;

/** What a probe found: the route serves, it fails, or the call told nothing of it. */
export interface Verdict {
  readonly claimId: string;
  readonly begunMs: number;
  readonly result: 'served' | 'failed' | 'unclear';
}

/** Ends a probe. Of one whose claim has lapsed only the good news is taken. */
export function afterProbe(circuit: Circuit, nowMs: number, { claimId, begunMs, result }: Verdict): Circuit {
  if (circuit.openUntilMs === 0 || begunMs < circuit.sinceMs) return circuit;
  if (result === 'served')
    return { ...circuit, stretches: [], openUntilMs: 0, probe: undefined, sinceMs: begunMs };
  if (circuit.probe?.id !== claimId) return circuit;
  const openUntilMs = result === 'failed' ? nowMs + COOLDOWN_MS : circuit.openUntilMs;
  return { ...circuit, openUntilMs, probe: undefined };
}

/** The route has had enough for now: it is left alone for so long, and is no worse for it. */
export function afterRateLimit(
  circuit: Circuit,
  nowMs: number,
  retryAfterSeconds: number | undefined,
): Circuit {
  const askedMs = retryAfterSeconds === undefined ? COOLING_MS.unsaid : Math.ceil(retryAfterSeconds * 1000);
  const coolUntilMs = nowMs + Math.min(COOLING_MS.most, Math.max(COOLING_MS.least, askedMs));
  // Of many refusals at once, one write is enough.
  return coolUntilMs < circuit.coolUntilMs + COOLING_MS.least ? circuit : { ...circuit, coolUntilMs };
}
