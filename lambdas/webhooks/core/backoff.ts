/** The schedule of retries of a failed delivery: growing waits with jitter, for 24 hours. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The time for which a delivery is attempted (interface, Webhooks, reliability rules). */
export const RETRY_SPAN_MS = 24 * HOUR_MS;

/** The wait after each failed attempt; the last one repeats for as long as the span lasts. */
export const WAITS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** A wait is this much shorter or longer at most, so that deliveries that failed together are not retried together. */
export const JITTER = 0.1;

/** Less time than this is not worth another attempt: a receiver that was down for most of a day does not recover in minutes. */
const LAST_WAIT_MS = HOUR_MS;

/** The last attempts of many deliveries are spread over this time before the span's end. */
const LAST_SPREAD_MS = 10 * MINUTE_MS;

export interface Failure {
  readonly nowMs: number;
  /** Attempts in this span, including the failed one. */
  readonly attempts: number;
  /** The end of the span. */
  readonly deadlineMs: number;
  /** The receiver's `Retry-After`, if it sent one. */
  readonly retryAfterMs: number | undefined;
  /** In [0, 1). */
  readonly chance: number;
}

/** Returns the time of the next attempt, milliseconds since the epoch. Undefined if the delivery is to be given up. */
export function nextAttempt({
  nowMs,
  attempts,
  deadlineMs,
  retryAfterMs,
  chance,
}: Failure): number | undefined {
  const remainingMs = deadlineMs - nowMs;
  const wait = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] ?? 0;
  const jittered = wait * (1 - JITTER + 2 * JITTER * chance);
  const requested = Math.max(jittered, retryAfterMs ?? 0);
  if (requested <= remainingMs) return Math.round(nowMs + requested);
  return remainingMs < LAST_WAIT_MS ? undefined : Math.round(deadlineMs - chance * LAST_SPREAD_MS);
}
