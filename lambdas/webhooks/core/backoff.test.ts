import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { JITTER, nextAttempt, RETRY_SPAN_MS, WAITS_MS } from './backoff.ts';

const NOON_MS = Date.UTC(2026, 6, 15, 12);
const HOUR_MS = 3_600_000;
const failure = {
  nowMs: NOON_MS,
  attempts: 1,
  deadlineMs: NOON_MS + RETRY_SPAN_MS,
  retryAfterMs: undefined,
  chance: 0.5,
};

/** The times of a delivery's attempts, from its first, if all fail at once. */
function attempts(chance: () => number): number[] {
  const times = [NOON_MS];
  for (;;) {
    const nowMs = times.at(-1) ?? 0;
    const next = nextAttempt({ ...failure, nowMs, attempts: times.length, chance: chance() });
    if (next === undefined) return times.map((time) => time - NOON_MS);
    times.push(next);
  }
}

describe('the next attempt', () => {
  it('comes after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h and 10 h, and last of all at the end of the 24 hours', () => {
    const waits = [5, 60, 300, 1800, 7200, 18_000, 36_000].map((seconds) => seconds * 1000);
    expect(WAITS_MS).toEqual(waits);
    const times = attempts(() => 0.5);
    expect(times.slice(1, 8).map((time, index) => time - (times[index] ?? 0))).toEqual(waits);
    expect(times).toHaveLength(9);
    expect(times.at(-1)).toBe(24 * HOUR_MS - 5 * 60_000);
  });

  it('varies by up to a tenth, stays within the 24 hours, and leads to nine attempts in total', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true })), (chances) => {
        const times = attempts(() => chances.next().value ?? 0);
        for (const [index, wait] of WAITS_MS.entries()) {
          const waited = (times[index + 1] ?? 0) - (times[index] ?? 0);
          expect(Math.abs(waited - wait)).toBeLessThanOrEqual(wait * JITTER + 1);
        }
        expect(times.length).toBe(9);
        const last = times.at(-1) ?? 0;
        expect(last).toBeLessThanOrEqual(RETRY_SPAN_MS);
        expect(last).toBeGreaterThan(RETRY_SPAN_MS - 11 * 60_000);
      }),
    );
  });

  it('waits for the period that the receiver requests, if that is longer', () => {
    expect(nextAttempt({ ...failure, retryAfterMs: 120_000 })).toBe(NOON_MS + 120_000);
    expect(nextAttempt({ ...failure, retryAfterMs: 1000 })).toBe(NOON_MS + 5000);
  });

  it('falls near the end of the 24 hours if the receiver requests a longer wait', () => {
    expect(nextAttempt({ ...failure, retryAfterMs: 48 * HOUR_MS })).toBe(NOON_MS + 24 * HOUR_MS - 5 * 60_000);
  });
});
