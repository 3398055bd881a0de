/** The calls over a route in the last ten seconds, as data. Times are milliseconds since the Unix epoch. */

/** The reported calls of two seconds. */
export interface Bucket {
  readonly startMs: number;
  readonly failures: number;
  readonly successes: number;
  /** Successes that are assumed beside the failures until they can have been reported. */
  readonly assumed: number;
  /** Shared only: the accounts of the latest failures. */
  readonly failedBy: readonly string[];
}

/** Older failures are no evidence of the current state. */
export const WINDOW_MS = 10_000;
const BUCKET_MS = 2_000;
/** Fewer failures may be chance, and each costs a caller the time of a failed try. */
export const THRESHOLD = 5;
/** Successes are reported up to this many a failure: twice what keeps the circuit closed. */
const REPORTED_SUCCESSES = 2;
/** Most processes that see one call fail would see the next two served, if the route works; not if they saw two fail. */
export const ASSUMED_SUCCESSES = 2;
/** By then other processes have looked, and reported their own successes. */
const ASSUMED_MS = 4_000;
/** Failures whose accounts are remembered: two accounts have four of them at most. */
const FAILED_KEPT = 6;

/** A route that serves more than every other call is better than none. */
export function isFailing(window: readonly Bucket[], nowMs: number): boolean {
  const failures = sum(window, 'failures');
  const recent = window.filter(({ startMs }) => startMs > nowMs - ASSUMED_MS);
  return failures >= THRESHOLD && failures >= sum(window, 'successes') + sum(recent, 'assumed');
}

/** The reported successes do not outweigh the failures by far. */
export const isDoubtful = (window: readonly Bucket[]): boolean =>
  sum(window, 'successes') < sum(window, 'failures') * REPORTED_SUCCESSES;

/** Another process's clock may be ahead. */
export const withinWindow = (window: readonly Bucket[], nowMs: number): readonly Bucket[] =>
  window.filter(({ startMs }) => Math.abs(nowMs - startMs) < WINDOW_MS);

const sum = (window: readonly Bucket[], count: 'failures' | 'successes' | 'assumed'): number =>
  window.reduce((total, bucket) => total + bucket[count], 0);

/** The same with these calls of now; oldest first. */
export function withCalls(
  window: readonly Bucket[],
  nowMs: number,
  calls: Omit<Bucket, 'startMs'>,
): readonly Bucket[] {
  const startMs = nowMs - (nowMs % BUCKET_MS);
  const known = window.find((bucket) => bucket.startMs === startMs);
  const bucket = {
    startMs,
    failures: calls.failures + (known?.failures ?? 0),
    successes: Math.max(0, calls.successes + (known?.successes ?? 0)),
    assumed: calls.assumed + (known?.assumed ?? 0),
    failedBy: [...(known?.failedBy ?? []), ...calls.failedBy].slice(-FAILED_KEPT),
  };
  return [...window.filter((other) => other !== known), bucket].sort((a, b) => a.startMs - b.startMs);
}
