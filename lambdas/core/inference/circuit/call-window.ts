/** The calls over a route in the last ten seconds, as data. Times are milliseconds since the Unix epoch. */

/** The calls of a short time, as far as they are reported. */
export interface Bucket {
  readonly startMs: number;
  readonly failures: number;
  readonly successes: number;
  /** Successes that are assumed beside the failures until they can have been reported. */
  readonly assumed: number;
}

/** Failures further back say nothing of now, and a busy route makes enough calls in it to tell. */
const WINDOW_MS = 10_000;

/** The window slides in steps of this length: five of them are a small item. */
const BUCKET_MS = 2_000;

/** Fewer may be chance, and each costs a caller the time of a failed try. */
export const THRESHOLD = 5;

/** A route that serves more than every other call is better than none; one that does not is worth leaving. */
const FAILING_SHARE = 0.5;

/** Successes are reported up to this many a failure: twice what keeps the circuit closed, as failures go on. */
const REPORTED_SUCCESSES = 2;

/**
 * The first failure that a process sees is counted as one call in three: most processes that see one fail would see
 * the next ones served, if the route is any good. Another failure on top of it is counted as it is.
 */
const ASSUMED = 2;

/** By then other processes have looked, and reported their own successes. */
const ASSUMED_MS = 2 * BUCKET_MS;

type Count = 'failures' | 'successes' | 'assumed';

const sum = (buckets: readonly Bucket[], count: Count): number =>
  buckets.reduce((total, bucket) => total + bucket[count], 0);

/** Whether it is time to leave the route: the buckets are those of the window. */
export function isFailing(buckets: readonly Bucket[], nowMs: number): boolean {
  const failures = sum(buckets, 'failures');
  const recent = buckets.filter(({ startMs }) => startMs > nowMs - ASSUMED_MS);
  const others = sum(buckets, 'successes') + sum(recent, 'assumed');
  return failures >= THRESHOLD && failures >= (failures + others) * FAILING_SHARE;
}

/** Failures that the reported successes do not outweigh by far: a success is worth reporting. */
export const isDoubtful = (buckets: readonly Bucket[]): boolean =>
  sum(buckets, 'successes') < sum(buckets, 'failures') * REPORTED_SUCCESSES;

/** So many calls at one time; fewer than none take back what was reported before. */
export const callsAt = (atMs: number, counts: Partial<Omit<Bucket, 'startMs'>>): Bucket => ({
  startMs: atMs - (atMs % BUCKET_MS),
  failures: 0,
  successes: 0,
  assumed: 0,
  ...counts,
});

/** Another process's clock may be ahead. */
export const isCurrent = (atMs: number, nowMs: number): boolean => Math.abs(nowMs - atMs) < WINDOW_MS;

/** The calls of both that lie in the window, oldest first. */
export function withinWindow(
  buckets: readonly Bucket[],
  more: readonly Bucket[],
  nowMs: number,
): readonly Bucket[] {
  const sums = new Map<number, Bucket>();
  for (const { startMs, failures, successes, assumed } of [...buckets, ...more]) {
    if (!isCurrent(startMs, nowMs)) continue;
    const before = sums.get(startMs) ?? callsAt(startMs, {});
    sums.set(startMs, {
      startMs,
      failures: before.failures + failures,
      successes: before.successes + successes,
      assumed: before.assumed + assumed,
    });
  }
  return [...sums.values()].sort((a, b) => a.startMs - b.startMs);
}

/** The same with what is newly reported; what is taken back may have been reported in a write that never arrived. */
export const withReported = (
  buckets: readonly Bucket[],
  more: readonly Bucket[],
  nowMs: number,
): readonly Bucket[] =>
  withinWindow(buckets, more, nowMs).map((bucket) => ({
    ...bucket,
    successes: Math.max(0, bucket.successes),
  }));

/** Successes to assume beside a process's first failure, when it has seen those itself. */
export const assumedBeside = (seen: readonly Bucket[], nowMs: number): number =>
  Math.max(0, ASSUMED - sum(withinWindow(seen, [], nowMs), 'successes'));
