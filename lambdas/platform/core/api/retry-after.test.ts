import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './retry-after.ts';

const NOON_MS = Date.UTC(2026, 6, 15, 12);

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Wed, 15 Jul 2026 12:01:00 GMT', 60_000],
    ['Wed, 15 Jul 2026 11:00:00 GMT', 0],
    ['Wednesday, 15-Jul-26 12:01:00 GMT', 60_000],
    ['Wed Jul 15 12:01:00 2026', 60_000],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['', undefined],
    ['soon', undefined],
    ['Wed, soon', undefined],
    ['2026-07-15T12:01:00Z', undefined],
    ['99999999999999', undefined],
    [undefined, undefined],
  ])('accepts only a number of seconds or a date: %s', (header, expected) => {
    expect(parseRetryAfter(header, NOON_MS)).toBe(expected);
  });
});
