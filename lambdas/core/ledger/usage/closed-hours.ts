/** When hours and days of usage are closed: no record is added to them any more, so that their sums can be stored. */
import { dayOfHour, HOUR_SECONDS } from './sums.ts';

/**
 * By then a call is settled or recovered, whatever became of it: 15 minutes for its upload, 15 for its answer, 20 until
 * its hold expires and the sweeper's next runs, and as much again. So a record's request id is at most that much older
 * than the record.
 */
export const SETTLED_SECONDS = 7200;

/** By how much the clocks of two processes may differ. */
export const SKEW_SECONDS = 60;

/** Hours before this one (UTC, since the epoch) are closed. */
export const closedHour = (nowMs: number): number =>
  Math.floor((nowMs / 1000 - SETTLED_SECONDS - SKEW_SECONDS) / HOUR_SECONDS);

/** The last closed UTC day, since the epoch. */
export const closedDay = (nowMs: number): number => dayOfHour(closedHour(nowMs)) - 1;

/** The hour after the last one that records may have by now. */
export const endHour = (nowMs: number): number =>
  Math.floor((nowMs / 1000 + SKEW_SECONDS) / HOUR_SECONDS) + 1;
