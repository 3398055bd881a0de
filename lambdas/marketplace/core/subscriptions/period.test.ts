import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import type { Interval } from '../listings/fields.ts';
import { calendarEnd, fixedEnd, periodAt } from './period.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const textOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);

const ends = (anchor: string, interval: Interval, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    textOf(calendarEnd({ anchor: at(anchor), interval, elapsed: index + 1 })).slice(0, 10),
  );

describe('a period', () => {
  it('ends on the day of its anchor, or on the last day of a shorter month', () => {
    expect(ends('2027-01-31T10:00:00Z', 'month', 5)).toEqual([
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
      '2027-06-30',
    ]);
    expect(ends('2027-12-30T10:00:00Z', 'month', 3)).toEqual(['2028-01-30', '2028-02-29', '2028-03-30']);
    expect(ends('2027-12-29T10:00:00Z', 'month', 3)).toEqual(['2028-01-29', '2028-02-29', '2028-03-29']);
  });

  it('ends in February of a leap year on its 29th, in years as in months', () => {
    expect(ends('2028-02-29T00:00:00Z', 'year', 4)).toEqual([
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ]);
    expect(ends('2028-02-29T00:00:00Z', 'month', 2)).toEqual(['2028-03-29', '2028-04-29']);
  });

  it('starts and ends at the same time of the day, for three years from any anchor', () => {
    fc.assert(
      fc.property(fc.integer({ min: at('2024-01-01Z'), max: at('2099-12-31Z') }), (anchor) => {
        let before = anchor;
        for (let elapsed = 1; elapsed <= 36; elapsed += 1) {
          const end = calendarEnd({ anchor, interval: 'month', elapsed });
          const days = (Math.floor(end / 86_400) - Math.floor(before / 86_400)) as number;
          expect(days).toBeGreaterThanOrEqual(28);
          expect(days).toBeLessThanOrEqual(31);
          expect(textOf(end).slice(11)).toBe(textOf(anchor).slice(11));
          before = end;
        }
        const years = calendarEnd({ anchor, interval: 'year', elapsed: 3 });
        expect(years).toBe(calendarEnd({ anchor, interval: 'month', elapsed: 36 }));
      }),
    );
  });

  it('contains the time of a late renewal', () => {
    const count = { anchor: at('2027-01-31Z'), interval: 'month', elapsed: 1 } as const;
    const period = periodAt(count, at('2027-04-09Z'), calendarEnd);
    expect([textOf(period.start), textOf(period.end), period.elapsed]).toEqual([
      '2027-03-31T00:00:00',
      '2027-04-30T00:00:00',
      3,
    ]);
    // The end of a period is the start of the next one.
    expect(periodAt(count, at('2027-02-28Z'), calendarEnd)).toMatchObject({ elapsed: 2 });
  });

  it('lasts a fixed time if one is set', () => {
    expect(periodAt({ anchor: 10, interval: 'year', elapsed: 0 }, 10, fixedEnd(5))).toMatchObject({
      start: 10,
      end: 70,
    });
  });
});
