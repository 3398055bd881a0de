import { describe, expect, it } from '@jest/globals';
import { laterUsage, type TokenUsage } from './token-usage.ts';

const usage = (
  promptTokens: number,
  cachedTokens: number,
  completionTokens: number,
  rest: object = {},
): TokenUsage => ({
  promptTokens,
  cachedTokens,
  completionTokens,
  ...rest,
});

describe('the usage after two reports of one response', () => {
  it.each<[string, TokenUsage, TokenUsage, TokenUsage]>([
    ['the later counts if all have grown', usage(20, 5, 0), usage(20, 5, 7), usage(20, 5, 7)],
    [
      'the earlier count where the later is zero',
      usage(20_003, 20_000, 0),
      usage(0, 0, 7),
      usage(20_003, 20_000, 7),
    ],
    ['the earlier output where the later is less', usage(20, 0, 50), usage(20, 0, 7), usage(20, 0, 50)],
    [
      'the later split of one prompt by its cache',
      usage(8_834, 0, 0),
      usage(8_849, 8_831, 426),
      usage(8_849, 8_831, 426),
    ],
    [
      'the later split of one write by its lifetime',
      usage(1_000, 0, 0, { cacheWrites: { auto: 1_000 } }),
      usage(1_000, 0, 1, { cacheWrites: { '1h': 1_000 } }),
      usage(1_000, 0, 1, { cacheWrites: { '1h': 1_000 } }),
    ],
    [
      'the writes, uses and names that only the earlier has',
      usage(9, 0, 0, {
        cacheWrites: { '5m': 4 },
        uses: { web_search: 2 },
        serviceTier: 'priority',
        reported: { a: 2 },
      }),
      usage(9, 0, 3, { uses: { web_search: 1, mcp: 1 }, reported: { a: 1, b: { c: 1 } } }),
      usage(9, 0, 3, {
        cacheWrites: { '5m': 4 },
        uses: { web_search: 2, mcp: 1 },
        serviceTier: 'priority',
        reported: { a: 2, b: { c: 1 } },
      }),
    ],
  ])('keeps %s', (_what, earlier, later, expected) => {
    expect(laterUsage(earlier, later)).toEqual(expected);
  });
});
