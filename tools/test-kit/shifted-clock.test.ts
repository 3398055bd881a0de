import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { shiftedClock } from './clock-shift.ts';

const YEAR_MS = 365 * 86_400_000;
const SECOND_MS = 1000;

/** A parent whose child has an environment without the preload. */
const PROGRAM = `
  const { execFile } = require('node:child_process');
  const env = { CLOCK_SHIFT_MS: process.env.CLOCK_SHIFT_MS };
  execFile(process.execPath, ['-p', 'Date.now()'], { env }, (_, child) => {
    const server = require('node:http').createServer((_, response) => response.end()).listen(0, async () => {
      const { headers } = await fetch('http://127.0.0.1:' + server.address().port);
      const times = [Date.now(), new Date().getTime(), Number(child), Date.parse(headers.get('date'))];
      console.log(JSON.stringify([...times, new Date(5).getTime(), Date.UTC(2026)]));
      process.exit();
    });
  });
`;

const environment = (shift: string) => ({ ...process.env, ...shiftedClock(0), CLOCK_SHIFT_MS: shift });

describe('the shifted clock', () => {
  it.each([YEAR_MS, -YEAR_MS])('moves the present of a process and its children by %i ms', (shiftMs) => {
    const beforeMs = Date.now();
    const output = execFileSync(process.execPath, ['-e', PROGRAM], { env: environment(String(shiftMs)) });
    const [now, constructed, child, header, given, utc] = JSON.parse(String(output)) as number[];
    for (const time of [now, constructed, child, header]) {
      // The header has whole seconds.
      expect(time).toBeGreaterThanOrEqual(beforeMs + shiftMs - SECOND_MS);
      expect(time).toBeLessThanOrEqual(Date.now() + shiftMs + SECOND_MS);
    }
    expect([given, utc]).toEqual([5, Date.UTC(2026)]);
  });

  it.each(['', 'soon', '1.5'])('rejects %j as a shift', (shift) => {
    const { status, stderr } = spawnSync(process.execPath, ['-e', ''], { env: environment(shift) });
    expect(status).not.toBe(0);
    expect(String(stderr)).toContain('CLOCK_SHIFT_MS must be a whole number of milliseconds');
  });
});
