import { execFileSync } from 'node:child_process';
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { minuteEndsInMs, windowsAt } from './windows.ts';

const HORIZON_MS = Date.UTC(2200, 0, 1);
const instant = fc.integer({ min: 0, max: HORIZON_MS });

describe('the windows of a time', () => {
  it('equal those of another time exactly if the UTC minute, day or month is the same', () => {
    const pair = instant.chain((ms) =>
      fc.tuple(
        fc.constant(ms),
        fc.oneof(instant, fc.integer({ min: ms - 90_000_000, max: ms + 90_000_000 })),
      ),
    );
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const [first, second] = [windowsAt(a), windowsAt(b)];
        const [isoA, isoB] = [new Date(a).toISOString(), new Date(b).toISOString()];
        expect(first.minute === second.minute).toBe(isoA.slice(0, 16) === isoB.slice(0, 16));
        expect(first.day === second.day).toBe(isoA.slice(0, 10) === isoB.slice(0, 10));
        expect(first.month === second.month).toBe(isoA.slice(0, 7) === isoB.slice(0, 7));
      }),
      { numRuns: rounds(500) },
    );
  });

  it('start with the first millisecond of every minute, day and month, directly after the previous ones', () => {
    for (let month = 0; month < 12 * 130; month += 1) {
      const startMs = Date.UTC(1970, month, 1);
      const [last, first] = [windowsAt(startMs - 1), windowsAt(startMs)];
      if (month > 0) expect(first.month - last.month).toBe(1);
      expect(first.day - last.day).toBe(1);
      expect(first.minute - last.minute).toBe(1);
      expect(windowsAt(startMs + 59_999)).toEqual(first);
      expect(windowsAt(startMs + 60_000)).toEqual({ ...first, minute: first.minute + 1 });
    }
  });

  it.each(['Pacific/Kiritimati', 'America/St_Johns'])('do not depend on the time zone %s', (zone) => {
    const module = new URL('./windows.ts', import.meta.url).href;
    const ms = Date.parse('2026-10-31T23:30:00Z');
    const script = `const { windowsAt } = await import('${module}'); console.log(JSON.stringify(windowsAt(${ms})))`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, TZ: zone },
    });
    expect(JSON.parse(String(output))).toEqual({ minute: ms / 60_000, day: 20_757, month: 2026 * 12 + 9 });
  });
});

describe('the rest of a minute', () => {
  it('equals the time to the next minute, from 1 to 60,000 ms', () => {
    fc.assert(
      fc.property(instant, (ms) => {
        const restMs = minuteEndsInMs(ms);
        expect(restMs).toBeGreaterThanOrEqual(1);
        expect(restMs).toBeLessThanOrEqual(60_000);
        expect(windowsAt(ms + restMs).minute).toBe(windowsAt(ms).minute + 1);
        expect(windowsAt(ms + restMs - 1).minute).toBe(windowsAt(ms).minute);
      }),
    );
  });
});
