import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { formatDuration, type KeyState, rateLimitHeaders, UNLIMITED } from './key-state.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12, 0, 47, 500);
const STATE: KeyState = {
  keyId: 'key_1',
  accountId: 'acc_1',
  secretHash: 'hash',
  name: 'test',
  status: 'active',
  policy: { rpm: 5, tpm: 1000 },
  version: 1,
  created: 0,
  requestsLeft: 3,
  tokensLeft: 400n,
  dayLeft: UNLIMITED,
  monthLeft: UNLIMITED,
};

const parseMs = (duration: string): number => {
  const match = /^(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(duration) ?? /^()()(\d+)ms$/.exec(duration);
  if (match === null) throw new Error(`not a duration: ${duration}`);
  return Number(match[1] ?? 0) * 60_000 + Math.round(Number(match[2] || 0) * 1000) + Number(match[3] ?? 0);
};

describe('formatDuration', () => {
  it('writes every time to the end of a minute in a form that reads back to the same', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 60_000 }), (ms) => parseMs(formatDuration(ms)) === ms));
  });

  it.each([
    [1, '1ms'],
    [850, '850ms'],
    [1000, '1s'],
    [12_500, '12.5s'],
    [60_000, '1m0s'],
  ])('writes %p ms as %p', (ms, written) => {
    expect(formatDuration(ms)).toBe(written);
  });
});

describe('rateLimitHeaders', () => {
  it('state limit, rest and reset of requests and tokens', () => {
    expect(rateLimitHeaders(STATE, NOW_MS)).toEqual({
      'x-ratelimit-limit-requests': '5',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-reset-requests': '12.5s',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '400',
      'x-ratelimit-reset-tokens': '12.5s',
    });
  });

  it('omits tokens for a key without a token limit, and reports 100 requests if no request limit is set', () => {
    const headers = rateLimitHeaders({ ...STATE, policy: {} }, NOW_MS);
    expect(headers['x-ratelimit-limit-requests']).toBe('100');
    expect(Object.keys(headers).filter((name) => name.includes('tokens'))).toEqual([]);
  });

  it('never state a negative rest', () => {
    const headers = rateLimitHeaders({ ...STATE, requestsLeft: -1, tokensLeft: -50n }, NOW_MS);
    expect(headers['x-ratelimit-remaining-requests']).toBe('0');
    expect(headers['x-ratelimit-remaining-tokens']).toBe('0');
  });
});
