import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import {
  type CallScope,
  dailyOf,
  isStale,
  type KeyCharge,
  type KeyState,
  monthlyOf,
  refusal,
  rollWindows,
  rpmOf,
  tpmOf,
  UNLIMITED,
} from '../../../lambdas/core/access/key-state.ts';
import { type Windows, windowsAt } from '../../../lambdas/core/access/windows.ts';
import { it } from '../../search.ts';

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
    windows: NOW,
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

const codeOf = (changes: Partial<KeyState>, asked: Partial<KeyCharge> = {}) => {
  const reason = refusal(state(changes), charge(asked), NOW_MS);
  return reason === undefined ? undefined : `${reason.status} ${reason.code}`;
};

/** Each reason to refuse, the one that is reported first comes first. */
const REASONS: readonly (readonly [string, Partial<KeyState>, Partial<KeyCharge>])[] = [
  ['401 invalid_api_key', { status: 'revoked' }, {}],
  ['403 kind_not_allowed', { policy: { allowed_kinds: ['image'] } }, {}],
  ['403 model_not_allowed', { policy: { allowed_models: ['sim/other'] } }, {}],
  ['429 requests_per_minute', { requestsLeft: 0 }, {}],
  ['429 tokens_per_minute', { tokensLeft: 9n }, {}],
  ['402 daily_usd_exceeded', { dayLeft: 9n }, {}],
  ['402 monthly_usd_exceeded', { monthLeft: 9n }, {}],
];

describe('refusal', () => {
  it('is absent when everything suffices to the last unit', () => {
    expect(codeOf({ requestsLeft: 1, tokensLeft: 10n, dayLeft: 10n, monthLeft: 10n })).toBeUndefined();
  });

  it('reports, of any reasons that hold at once, the first in the order 401, 403, 429, 402', () => {
    fc.assert(
      fc.property(fc.subarray([...REASONS], { minLength: 1 }), (reasons) => {
        const policies = reasons.map(([, changes]) => changes.policy ?? {});
        const changes = Object.assign({}, ...reasons.map(([, given]) => given)) as Partial<KeyState>;
        expect(codeOf({ ...changes, policy: Object.assign({}, ...policies) })).toBe(reasons[0]?.[0]);
      }),
    );
  });

  it('makes unknown, disabled, revoked and re-keyed keys look exactly alike', () => {
    const reasons = [
      refusal(undefined, charge(), NOW_MS),
      refusal(state({ status: 'disabled' }), charge(), NOW_MS),
      refusal(state({ status: 'revoked' }), charge(), NOW_MS),
      refusal(state({ secretHash: 'of another secret' }), charge(), NOW_MS),
    ];
    const looks = new Set(
      reasons.map((reason) => JSON.stringify([reason?.status, reason?.code, reason?.message])),
    );
    expect(looks.size).toBe(1);
    expect(reasons[0]?.status).toBe(401);
  });

  it('allows a model under any of its names, and names the first model that is not allowed', () => {
    const policy = { allowed_models: ['alias', 'sim/second'] };
    expect(codeOf({ policy })).toBeUndefined();
    const models = [['sim/chat', 'alias'], ['sim/second'], ['sim/third', 'third']];
    const reason = refusal(state({ policy }), charge({ scope: { kind: 'chat', models } }), NOW_MS);
    expect(reason).toMatchObject({ code: 'model_not_allowed', param: 'model' });
    expect(reason?.message).toContain('sim/third');
  });

  it('sends Retry-After with every 429, as the whole seconds until the minute ends', () => {
    const retryAfterSeconds = (nowMs: number) =>
      refusal(state({ requestsLeft: 0 }), charge(), nowMs)?.retryAfterSeconds;
    expect(retryAfterSeconds(NOW_MS)).toBe(30);
    expect(retryAfterSeconds(NOW_MS + 29_999)).toBe(1);
    expect(retryAfterSeconds(NOW_MS - 30_000)).toBe(60);
    expect(refusal(state({ tokensLeft: 0n }), charge(), NOW_MS)?.retryAfterSeconds).toBe(30);
  });
});

describe('rollWindows', () => {
  const policy = { rpm: 7, tpm: 70, daily_usd: 700n, monthly_usd: 7000n };
  const windows = fc.record({ minute: fc.nat(3), day: fc.nat(3), month: fc.nat(3) });
  const keyed = fc.record({
    windows,
    requestsLeft: fc.nat(7),
    tokensLeft: fc.bigInt({ min: -5n, max: 70n }),
    dayLeft: fc.bigInt({ min: -5n, max: 700n }),
    monthLeft: fc.bigInt({ min: -5n, max: 7000n }),
  });

  it('fills exactly the windows that have ended and leaves the others as they are', () => {
    fc.assert(
      fc.property(keyed, windows, (given, now) => {
        const before = state({ policy, ...given });
        const after = rollWindows(before, now);
        const ended = (name: keyof Windows) => now[name] > before.windows[name];
        expect(after.requestsLeft).toBe(ended('minute') ? rpmOf(policy) : before.requestsLeft);
        expect(after.tokensLeft).toBe(ended('minute') ? tpmOf(policy) : before.tokensLeft);
        expect(after.dayLeft).toBe(ended('day') ? dailyOf(policy) : before.dayLeft);
        expect(after.monthLeft).toBe(ended('month') ? monthlyOf(policy) : before.monthLeft);
      }),
    );
  });

  it('never turns a window back, changes nothing the second time, and leaves nothing stale', () => {
    fc.assert(
      fc.property(keyed, windows, (given, now) => {
        const before = state({ policy, ...given });
        const after = rollWindows(before, now);
        for (const name of ['minute', 'day', 'month'] as const) {
          expect(after.windows[name]).toBe(Math.max(before.windows[name], now[name]));
        }
        expect(rollWindows(after, now)).toEqual(after);
        expect(isStale(after, now)).toBe(false);
        expect(isStale(before, now)).toBe(JSON.stringify(before.windows) !== JSON.stringify(after.windows));
      }),
    );
  });

  it('gives 100 requests a minute and no other limit to a key whose policy sets none', () => {
    const after = rollWindows(state({ windows: { minute: 0, day: 0, month: 0 } }), NOW);
    expect(after).toMatchObject({ requestsLeft: 100, tokensLeft: UNLIMITED, dayLeft: UNLIMITED });
    expect(after.monthLeft).toBe(UNLIMITED);
  });
});
