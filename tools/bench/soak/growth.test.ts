import { describe, expect, it } from '@jest/globals';
import { isBroken } from '../harness/report.ts';
import { growths, type HeldResources, SLOPE_SAMPLES, slopeOf } from './growth.ts';

const MINUTES = 2 * SLOPE_SAMPLES;
const minutes = Array.from({ length: MINUTES }, (_, at) => at);

/** Repeats every seven minutes, up to 1. */
const noise = (minute: number): number => ((minute * 3) % 7) / 6;

const STEADY: HeldResources = { heap: 40_000, resident: 100_000, handles: 10, timers: 30, files: 50 };

/** The measures of a process that are above their limit. */
const brokenOf = (holdings: (minute: number) => Partial<HeldResources>): readonly string[] =>
  growths({
    process: 'p',
    isAlive: true,
    samples: minutes.map((minute) => ({ ...STEADY, ...holdings(minute), round: minute + 1 })),
  })
    .filter(isBroken)
    .map(({ name }) => name);

describe('a slope', () => {
  it('equals that of a line', () => {
    expect(slopeOf(minutes.map((minute) => 3 + 2 * minute))).toBe(2);
  });

  it('ignores an outlier', () => {
    expect(slopeOf(minutes.map((minute) => (minute === MINUTES - 1 ? 1e6 : 5)))).toBe(0);
  });

  it('equals NaN for one value, which breaks every limit', () => {
    expect(slopeOf([1])).toBeNaN();
  });
});

describe('a process', () => {
  it.each<[string, (minute: number) => Partial<HeldResources>]>([
    ['holds the same', () => ({})],
    [
      'holds as much, with noise',
      (minute) => ({ heap: 40_000 + 400 * noise(minute), files: 50 + 4 * noise(minute) }),
    ],
    [
      'fills a cache before the last half hour',
      (minute) => ({
        heap: 40_000 + 500 * Math.min(minute, SLOPE_SAMPLES),
        timers: 30 + Math.min(minute, 30),
      }),
    ],
    ['opens many connections at once', (minute) => ({ files: minute < 45 ? 50 : 80 })],
    ['gains memory once', (minute) => ({ heap: minute < 40 ? 40_000 : 41_000 })],
    ['releases memory', (minute) => ({ heap: 40_000 - 100 * minute })],
  ])('stays within its limits if it %s', (_case, holdings) => {
    expect(brokenOf(holdings)).toEqual([]);
  });

  it.each<[string, (minute: number) => Partial<HeldResources>]>([
    ['heap', (minute) => ({ heap: 40_000 + 15 * minute + 400 * noise(minute) })],
    ['handles', (minute) => ({ handles: 10 + Math.floor(minute / 5) })],
    ['timers', (minute) => ({ timers: 30 + minute })],
    ['files', (minute) => ({ files: 50 + minute + Math.round(4 * noise(minute)) })],
  ])('exceeds its limit of %s if they grow throughout the hour', (measure, holdings) => {
    expect(brokenOf(holdings)).toEqual([`p: ${measure}`]);
  });
});
