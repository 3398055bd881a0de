import { describe, expect, it } from '@jest/globals';
import { nextTime } from './schedule-expression.ts';

const at = (text: string) => Date.parse(text);
const next = (expression: string, after: string) => {
  const time = nextTime(expression, at(after));
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('a schedule expression', () => {
  it.each([
    ['rate(1 minute)', '2026-11-21T10:00:00.000Z', '2026-11-21T10:01:00.000Z'],
    ['rate(5 minutes)', '2026-11-21T10:00:00.000Z', '2026-11-21T10:05:00.000Z'],
    ['rate(2 days)', '2026-11-21T10:00:00.000Z', '2026-11-23T10:00:00.000Z'],
    ['cron(0 3 * * ? *)', '2026-11-21T10:00:00.000Z', '2026-11-22T03:00:00.000Z'],
    ['cron(0 3 * * ? *)', '2026-11-21T02:59:59.000Z', '2026-11-21T03:00:00.000Z'],
    ['cron(15 10 ? * 2 *)', '2026-11-21T10:00:00.000Z', '2026-11-23T10:15:00.000Z'],
    ['cron(15 10 ? * MON-FRI *)', '2026-11-21T10:00:00.000Z', '2026-11-23T10:15:00.000Z'],
    ['cron(0 8 1 * ? *)', '2026-11-21T10:00:00.000Z', '2026-12-01T08:00:00.000Z'],
  ])('yields the next time of %s after %s: %s', (expression, after, due) => {
    expect(next(expression, after)).toBe(due);
  });

  it('appears in the error if it cannot be parsed', () => {
    expect(() => nextTime('every day', 0)).toThrow('every day');
  });
});
