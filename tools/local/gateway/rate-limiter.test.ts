import { describe, expect, it } from '@jest/globals';
import type { RateRule } from '../assembly/api/web-acls.ts';
import { createRateLimiter } from './rate-limiter.ts';

const rule: RateRule = { id: 'rule', limit: 2, windowSeconds: 60, status: 429, headers: {}, body: '' };
const request = (sourceIp: string, startedMs: number) => ({
  sourceIp,
  startedMs,
  requestId: '',
  method: 'GET',
  path: '/',
  query: new URLSearchParams(),
});

describe('the rate limiter', () => {
  it('lets an address make as many requests as the limit in a window, then names the rule', () => {
    const exceeds = createRateLimiter();
    const outcomes = [0, 1, 2, 59_999, 60_000].map((ms) => exceeds([rule], request('a', ms)));
    expect(outcomes).toEqual([undefined, undefined, rule, rule, undefined]);
    expect(exceeds([rule], request('b', 59_999))).toBeUndefined();
  });

  it('counts by another limit when one is given, and not at all when it is 0', () => {
    const strict = createRateLimiter(1);
    expect([strict([rule], request('a', 0)), strict([rule], request('a', 0))]).toEqual([undefined, rule]);
    const lifted = createRateLimiter(0);
    expect(Array.from({ length: 5 }, () => lifted([rule], request('a', 0)))).not.toContain(rule);
  });
});
