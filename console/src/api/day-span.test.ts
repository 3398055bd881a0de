import { describe, expect, it } from '@jest/globals';
import { isSpan } from './day-span.ts';

describe('a span of days', () => {
  it.each([
    [{ from: '2026-01-31', to: '2026-02-01' }, true],
    [{ from: '2026-02-01', to: '2026-02-01' }, true],
    [{ from: '2026-02-02', to: '2026-02-01' }, false],
    [{ from: '', to: '2026-02-01' }, false],
    [{ from: '2026-02-02' }, true],
    [{ to: '2026-02-02' }, true],
    [{}, true],
  ])('ends no earlier than it begins: %j is %s', (days, isOne) => {
    expect(isSpan(days)).toBe(isOne);
  });
});
