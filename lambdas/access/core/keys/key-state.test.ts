import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import {
  type CallScope,
  formatDuration,
  type KeyCharge,
  type KeyState,
  rateLimitHeaders,
  rejectionOf,
  UNLIMITED,
} from './key-state.ts';
import { windowsAt } from './windows.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12, 0, 30);
const NOW = windowsAt(NOW_MS);
const KEY = { accountId: 'acc_1', keyId: 'key_1', secretHash: 'hash' };
const SCOPE: CallScope = { kind: 'chat', models: [['sim/chat', 'alias']] };

function state(changes: Partial<KeyState> = {}): KeyState {
  return {
    ...KEY,
    name: 'test',
    status: 'active',
    policy: {},
    version: 1,
    created: 0,
    requestsLeft: 100,
    tokensLeft: UNLIMITED,
    dayLeft: UNLIMITED,
    monthLeft: UNLIMITED,
    ...changes,
  };
}

const charge = (changes: Partial<KeyCharge> = {}): KeyCharge => ({
  key: KEY,
  windows: NOW,
  tokens: 10,
  amount: 10n,
  scope: SCOPE,
  ...changes,
});

const codeOf = (changes: Partial<KeyState>, keyCharge: Partial<KeyCharge> = {}) => {
  const reason = rejectionOf(state(changes), charge(keyCharge), NOW_MS);
  return reason === undefined ? undefined : `${reason.status} ${reason.code}`;
};

/** Each reason to refuse, the one that is reported first comes first. */
const REASONS: readonly (readonly [string, Partial<KeyState>, Partial<KeyCharge>])[] = [
  ['401 invalid_api_key', { status: 'revoked' }, {}],
  ['403 kind_not_allowed', { policy: { allowed_kinds: ['image'] } }, {}],
  ['403 kind_not_allowed', { policy: { allowed_kinds: [] } }, {}],
  ['403 model_not_allowed', { policy: { allowed_models: ['sim/other'] } }, {}],
  ['429 requests_per_minute', { requestsLeft: 0 }, {}],
  ['429 tokens_per_minute', { tokensLeft: 9n }, {}],
  ['402 daily_usd_exceeded', { dayLeft: 9n }, {}],
  ['402 monthly_usd_exceeded', { monthLeft: 9n }, {}],
];

describe('the check of a key’s state', () => {
  it('returns undefined if the remaining requests, tokens and caps exactly cover the charge', () => {
    expect(codeOf({ requestsLeft: 1, tokensLeft: 10n, dayLeft: 10n, monthLeft: 10n })).toBeUndefined();
  });

  it('reports, of any reasons that hold at once, the first in the order 401, 403, 429, 402', () => {
    fc.assert(
      fc.property(fc.subarray([...REASONS], { minLength: 1 }), (reasons) => {
        const policies = reasons.map(([, changes]) => changes.policy ?? {});
        const changes = Object.assign({}, ...reasons.map(([, reason]) => reason)) as Partial<KeyState>;
        expect(codeOf({ ...changes, policy: Object.assign({}, ...policies) })).toBe(reasons[0]?.[0]);
      }),
    );
  });

  it('makes unknown, disabled, revoked and re-keyed keys indistinguishable', () => {
    const reasons = [
      rejectionOf(undefined, charge(), NOW_MS),
      rejectionOf(state({ status: 'disabled' }), charge(), NOW_MS),
      rejectionOf(state({ status: 'revoked' }), charge(), NOW_MS),
      rejectionOf(state({ secretHash: 'of another secret' }), charge(), NOW_MS),
    ];
    const checkedFields = new Set(
      reasons.map((reason) => JSON.stringify([reason?.status, reason?.code, reason?.message])),
    );
    expect(checkedFields.size).toBe(1);
    expect(reasons[0]?.status).toBe(401);
  });

  it('allows a model under any of its names, and names the first model that is not allowed', () => {
    const policy = { allowed_models: ['alias', 'sim/second'] };
    expect(codeOf({ policy })).toBeUndefined();
    const models = [['sim/chat', 'alias'], ['sim/second'], ['sim/third', 'third']];
    const reason = rejectionOf(state({ policy }), charge({ scope: { kind: 'chat', models } }), NOW_MS);
    expect(reason).toMatchObject({ code: 'model_not_allowed', param: 'model' });
    expect(reason?.message).toContain('sim/third');
  });

  it('sends Retry-After with every 429, as the whole seconds until the minute ends', () => {
    const retryAfterSeconds = (nowMs: number) =>
      rejectionOf(state({ requestsLeft: 0 }), charge(), nowMs)?.retryAfterSeconds;
    expect(retryAfterSeconds(NOW_MS)).toBe(30);
    expect(retryAfterSeconds(NOW_MS + 29_999)).toBe(1);
    expect(retryAfterSeconds(NOW_MS - 30_000)).toBe(60);
    expect(rejectionOf(state({ tokensLeft: 0n }), charge(), NOW_MS)?.retryAfterSeconds).toBe(30);
  });
});

describe('the rejection of a call that counts as more tokens than a minute has', () => {
  it('states what it counts as and what to lower, and that a retry is of no use', () => {
    const reason = rejectionOf(state({ policy: { tpm: 9 }, tokensLeft: 9n }), charge(), NOW_MS);
    expect(reason?.message).toBe(
      'This call counts as 10 tokens, more than the 9 tokens a minute of this API key: ' +
        'lower its output limit, such as max_tokens, or shorten its prompt.',
    );
    expect(reason).toMatchObject({ code: 'tokens_per_minute', headers: { 'x-should-retry': 'false' } });
    const later = rejectionOf(state({ policy: { tpm: 10 }, tokensLeft: 9n }), charge(), NOW_MS);
    expect(later).toMatchObject({ retryAfterSeconds: 30, headers: {} });
  });
});

const parseMs = (duration: string): number => {
  const match = /^(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(duration) ?? /^()()(\d+)ms$/.exec(duration);
  if (match === null) throw new Error(`not a duration: ${duration}`);
  return Number(match[1] ?? 0) * 60_000 + Math.round(Number(match[2] || 0) * 1000) + Number(match[3] ?? 0);
};

describe('the text of a duration', () => {
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

describe('the headers of rate limits', () => {
  const LIMITED = { policy: { rpm: 5, tpm: 1000 }, requestsLeft: 3, tokensLeft: 400n };
  const headersOf = (changes: Partial<KeyState>) => rateLimitHeaders(state(changes), NOW_MS);

  it('state limit, remainder and reset of requests and tokens', () => {
    expect(headersOf(LIMITED)).toEqual({
      'x-ratelimit-limit-requests': '5',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-reset-requests': '30s',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '400',
      'x-ratelimit-reset-tokens': '30s',
    });
  });

  it('omit tokens for a key without a token limit, and state 100 requests if no request limit is set', () => {
    const headers = headersOf({});
    expect(headers['x-ratelimit-limit-requests']).toBe('100');
    expect(Object.keys(headers).filter((name) => name.includes('tokens'))).toEqual([]);
  });

  it('never state a negative remainder', () => {
    const headers = headersOf({ ...LIMITED, requestsLeft: -1, tokensLeft: -50n });
    expect(headers['x-ratelimit-remaining-requests']).toBe('0');
    expect(headers['x-ratelimit-remaining-tokens']).toBe('0');
  });
});
