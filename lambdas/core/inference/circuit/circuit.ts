/**
 * One circuit as data, and what each event makes of it. A route has a circuit that all accounts share, and one of its
 * own for each account that it fails. Times are milliseconds since the Unix epoch.
 */
import {
  assumedBeside,
  type Bucket,
  callsAt,
  isCurrent,
  isDoubtful,
  isFailing,
  THRESHOLD,
  withinWindow,
  withReported,
} from './call-window.ts';

/** An account, known by a hash, and a time. */
export interface Mark {
  readonly account: string;
  readonly atMs: number;
}

export interface Circuit {
  readonly id: string;
  /** The account whose own circuit it is; absent in the one that all accounts share. */
  readonly account: string | undefined;
  /** Counts the writes; 0 before the first. */
  readonly version: number;
  /** The latest writes, oldest first: a writer whose answer was lost finds its own here. */
  readonly writers: readonly string[];
  /** The calls of the window, oldest first. */
  readonly buckets: readonly Bucket[];
  /** Shared only: whose the latest failures of the window are, oldest first. */
  readonly failed: readonly Mark[];
  /** Shared only: the accounts that the route has asked (429) to stay away for longest, and until when. */
  readonly limited: readonly Mark[];
  /** 0 when closed; once past, a probe may go. */
  readonly openUntilMs: number;
  /** The probe under way; without a verdict by then, its claim has lapsed. */
  readonly probe: Claim | undefined;
  /** Shared only: the accounts of the latest probes since it opened. */
  readonly probers: readonly string[];
  /** When the probe began that closed it: tries that began earlier say nothing of the route as it is now. */
  readonly sinceMs: number;
  /** The route asked to be left alone until then (429). */
  readonly coolUntilMs: number;
}

export interface Claim {
  readonly id: string;
  readonly untilMs: number;
}

/** In a shared circuit an account's failures count up to this many: only three accounts together reach the threshold. */
const MOST_OF_ONE = 2;

/** So many accounts speak for all: two that conspire do not. */
const ACCOUNTS = Math.ceil(THRESHOLD / MOST_OF_ONE);

/** Failures whose accounts are remembered: two accounts have four of them at most. */
const FAILED_KEPT = 6;

/** Long enough to spare a failing route and its callers, short enough that its recovery is soon found. */
export const COOLDOWN_MS = 15_000;

/** A probe is over in a second or a minute; a caller who is told to come back this soon finds out. */
const VERDICT_MS = 2_000;

/** When a route does not say how long to wait; and the longest that is believed: limits are often of a minute. */
const COOLING_SECONDS = { unsaid: 5, least: 1, most: 60 };

/** An account that has not come back for so long after its own circuit could be probed loses its place to others. */
const ABANDONED_MS = 60_000;

/** More writes than land while one writer waits for an answer; 17 bytes each keep the item under a kilobyte. */
const WRITERS_KEPT = 14;

export const closedCircuit = (id: string, account?: string): Circuit => ({
  id,
  account,
  version: 0,
  writers: [],
  buckets: [],
  failed: [],
  limited: [],
  openUntilMs: 0,
  probe: undefined,
  probers: [],
  sinceMs: 0,
  coolUntilMs: 0,
});

/** The account's own circuit in a place for one: what is there, or a new one if that is nothing of consequence. */
export function ownCircuit(circuit: Circuit, account: string, nowMs: number): Circuit | undefined {
  if (circuit.account === account) return circuit;
  const { id, version, writers } = circuit;
  return isSpent(circuit, nowMs) ? { ...closedCircuit(id, account), version, writers } : undefined;
}

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

/** The state of a circuit for calls of that account. */
export function stateOf(circuit: Circuit, nowMs: number, account: string | undefined): CircuitState {
  const { openUntilMs, probe, probers, coolUntilMs } = circuit;
  const isProbed = openUntilMs !== 0 && probe !== undefined && probe.untilMs > nowMs;
  const verdictMs = isProbed ? Math.min(probe.untilMs, nowMs + VERDICT_MS) : 0;
  // Whoever has probed in vain lets others go first: its own requests may be at fault.
  const hasProbed = account !== undefined && probers.includes(account);
  const turnMs = hasProbed ? probedMs(circuit) + COOLDOWN_MS : 0;
  const untilMs = Math.max(openUntilMs, verdictMs, turnMs, coolUntilMs);
  if (untilMs > nowMs) return { kind: 'shut', untilMs };
  return { kind: openUntilMs === 0 ? 'closed' : 'half-open' };
}

/** When an open circuit may be probed, as far as is known. */
const probedMs = ({ openUntilMs, probe }: Circuit): number => Math.max(openUntilMs, probe?.untilMs ?? 0);

/** Nothing of it matters any more. */
export function isSpent(circuit: Circuit, nowMs: number): boolean {
  const isAbandoned = circuit.account !== undefined && probedMs(circuit) + ABANDONED_MS <= nowMs;
  const isClosed = circuit.openUntilMs === 0 || isAbandoned;
  const untilMs = Math.max(circuit.coolUntilMs, ...circuit.limited.map(({ atMs }) => atMs));
  return isClosed && untilMs <= nowMs && withinWindow(circuit.buckets, [], nowMs).length === 0;
}

export interface FailedTry {
  readonly nowMs: number;
  readonly begunMs: number;
  /** Whose call it was. */
  readonly account: string;
  /** The last call of the same process over the route failed too. */
  readonly failedBefore: boolean;
  /** Successes that the process has seen itself. */
  readonly seen: readonly Bucket[];
  /** Those of them that it has not reported yet. */
  readonly unreported: readonly Bucket[];
}

/** Counts a failed try, in a shared circuit only the first two of an account; opens the circuit when it is time. */
export function afterFailure(circuit: Circuit, tried: FailedTry): Circuit {
  const { nowMs, begunMs, account, failedBefore, seen, unreported } = tried;
  if (circuit.openUntilMs !== 0 || begunMs < circuit.sinceMs) return circuit;
  const isShared = circuit.account === undefined;
  const failed = circuit.failed.filter(({ atMs }) => isCurrent(atMs, nowMs));
  const counts = !isShared || failed.filter((mark) => mark.account === account).length < MOST_OF_ONE;
  const call = callsAt(nowMs, { failures: 1, assumed: failedBefore ? 0 : assumedBeside(seen, nowMs) });
  const buckets = withReported(circuit.buckets, counts ? [...unreported, call] : unreported, nowMs);
  if (isFailing(buckets, nowMs)) {
    return { ...circuit, buckets: [], failed: [], openUntilMs: nowMs + COOLDOWN_MS };
  }
  if (!counts) return circuit;
  // The mark is of the same age as the bucket, so that both leave the window together.
  const marks = isShared ? [...failed, { account, atMs: call.startMs }].slice(-FAILED_KEPT) : [];
  return { ...circuit, buckets, failed: marks };
}

/** A success is worth reporting: failures are not outweighed by far. */
export const isInDoubt = ({ openUntilMs, buckets }: Circuit, nowMs: number): boolean =>
  openUntilMs === 0 && isDoubtful(withinWindow(buckets, [], nowMs));

/** Counts successes where that can keep the circuit closed. */
export const afterSuccesses = (circuit: Circuit, nowMs: number, successes: readonly Bucket[]): Circuit =>
  isInDoubt(circuit, nowMs)
    ? { ...circuit, buckets: withReported(circuit.buckets, successes, nowMs) }
    : circuit;

/** A claim of that account to the probe, if there is one to be had. */
export function afterClaim(circuit: Circuit, nowMs: number, account: string, claim: Claim): Circuit {
  if (stateOf(circuit, nowMs, account).kind !== 'half-open') return circuit;
  if (circuit.account !== undefined) return { ...circuit, probe: claim };
  const others = circuit.probers.filter((prober) => prober !== account);
  return { ...circuit, probe: claim, probers: [...others, account].slice(1 - ACCOUNTS) };
}

/** What a probe found: the route serves, it fails, or the call says nothing of it. */
export interface Verdict {
  readonly claimId: string;
  readonly begunMs: number;
  readonly result: 'served' | 'failed' | 'unclear';
}

/**
 * Ends a probe. Of one whose claim has lapsed only the good news is taken. One that is unclear leaves a shared circuit to
 * the next account, but soon and not at once: a route may be dead in ways that look like the fault of each request.
 */
export function afterProbe(circuit: Circuit, nowMs: number, { claimId, begunMs, result }: Verdict): Circuit {
  if (circuit.openUntilMs === 0 || begunMs < circuit.sinceMs) return circuit;
  if (result === 'served') {
    const closed = { buckets: [], failed: [], openUntilMs: 0, probe: undefined, probers: [] };
    return { ...circuit, ...closed, sinceMs: begunMs };
  }
  if (circuit.probe?.id !== claimId) return circuit;
  const unclearMs = circuit.account === undefined ? VERDICT_MS : 0;
  const openUntilMs = nowMs + (result === 'failed' ? COOLDOWN_MS : unclearMs);
  return { ...circuit, openUntilMs, probe: undefined };
}

/** For how many seconds a route is left alone that asked for so many, or did not say. */
export const coolingSeconds = (asked: number | undefined): number =>
  Math.min(COOLING_SECONDS.most, Math.max(COOLING_SECONDS.least, asked ?? COOLING_SECONDS.unsaid));

/**
 * The route refused an account's call for now (429): it is left alone by that account, and by all for as long as it
 * has asked three accounts to stay away. It is no worse for it.
 */
export function afterRateLimit(
  circuit: Circuit,
  nowMs: number,
  account: string,
  retryAfterSeconds: number | undefined,
): Circuit {
  const untilMs = nowMs + Math.ceil(coolingSeconds(retryAfterSeconds) * 1000);
  const known = circuit.limited.find((mark) => mark.account === account);
  // Of many refusals at once, one write is enough.
  const knownMs = Math.max(circuit.coolUntilMs, known?.atMs ?? 0);
  if (untilMs < knownMs + COOLING_SECONDS.least * 1000) return circuit;
  if (circuit.account !== undefined) return { ...circuit, coolUntilMs: untilMs };
  const limited = [...circuit.limited.filter((mark) => mark !== known), { account, atMs: untilMs }]
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, ACCOUNTS);
  const allUntilMs = limited[ACCOUNTS - 1]?.atMs ?? 0;
  return { ...circuit, limited, coolUntilMs: Math.max(circuit.coolUntilMs, allUntilMs) };
}
