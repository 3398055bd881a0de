/** The periods of a subscription, each computed from the anchor and never from the period before. */
import type { Interval } from '../listings/fields.ts';

const MONTHS: Readonly<Record<Interval, number>> = { month: 1, year: 12 };

/** The start of the first period, and the number of periods until the end of the current one. */
export interface PeriodCount {
  /** Seconds since the epoch. */
  readonly anchor: number;
  readonly interval: Interval;
  /** 0 while the first period has not started. */
  readonly elapsed: number;
}

/** Returns the time at which so many periods have passed since the anchor. */
export type PeriodEnd = (count: PeriodCount) => number;

/**
 * Counts months of the calendar, in UTC. A day that a month does not have is its last one: a period that starts on
 * January 31 ends on February 28 or 29, and the next one on March 31 (Stripe: billing cycles).
 */
export const calendarEnd: PeriodEnd = ({ anchor, interval, elapsed }) => {
  const start = new Date(anchor * 1000);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + elapsed * MONTHS[interval]];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(start.getUTCDate(), lastDay);
  const secondOfDay = Math.floor(anchor % 86_400);
  return Date.UTC(year, month, day) / 1000 + secondOfDay;
};

/** Counts months of a fixed length in seconds. */
export const fixedEnd =
  (monthSeconds: number): PeriodEnd =>
  ({ anchor, interval, elapsed }) =>
    anchor + elapsed * MONTHS[interval] * monthSeconds;

export interface Period extends PeriodCount {
  /** Seconds since the epoch, as `end`. */
  readonly start: number;
  readonly end: number;
}

/** Returns the period after `count` that contains a time: periods that are over are skipped. */
export function periodAt(count: PeriodCount, nowSeconds: number, periodEnd: PeriodEnd): Period {
  for (let elapsed = count.elapsed + 1; ; elapsed += 1) {
    const end = periodEnd({ ...count, elapsed });
    if (end > nowSeconds)
      return { ...count, elapsed, start: periodEnd({ ...count, elapsed: elapsed - 1 }), end };
  }
}
