/** The windows that limits count in: fixed UTC minutes, UTC days and calendar months. */

/** Each window by its number since the epoch; a later window has a greater number. */
export interface Windows {
  readonly minute: number;
  readonly day: number;
  /** Year x 12 + month. */
  readonly month: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function windowsAt(nowMs: number): Windows {
  const date = new Date(nowMs);
  return {
    minute: Math.floor(nowMs / MINUTE_MS),
    day: Math.floor(nowMs / DAY_MS),
    month: date.getUTCFullYear() * 12 + date.getUTCMonth(),
  };
}

/** Returns when the windows of caps began, ms. */
export function capStartsMs(nowMs: number): Readonly<Record<'day' | 'month', number>> {
  const date = new Date(nowMs);
  return { day: nowMs - (nowMs % DAY_MS), month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) };
}

/** Milliseconds until the minute ends; at least 1. */
export function minuteEndsInMs(nowMs: number): number {
  return MINUTE_MS - (nowMs % MINUTE_MS);
}
