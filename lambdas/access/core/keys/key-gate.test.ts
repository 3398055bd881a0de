import { beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { keyState, rejectionOf, settleAll, sort } from '../../../ledger/testing/attempts.ts';
import {
  auditAll,
  callOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  type TestLedger,
} from '../../../ledger/testing/running-ledger.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { windowsAt } from './windows.ts';

const PLENTY = 10n ** 15n;

const database = fileDatabase();
let nowMs = NOON_MS;

/** All that happens here has happened by then. */
const LATER_MS = NOON_MS + 40 * 86_400_000;

beforeEach(() => {
  nowMs = NOON_MS;
});

const open = (skewMs = 0): TestLedger => openLedger({ clients: database, clock: () => nowMs + skewMs });

describe('the key gate', () => {
  it('never lets concurrent calls exceed tokens per minute, the daily cap or the monthly cap, and admits each call that fits', async () => {
    const ledger = open();
    const percent = fc.integer({ min: 1, max: 100 });
    const race = fc.record({
      policy: fc.record(
        {
          tpm: fc.integer({ min: 50, max: 1000 }),
          daily_usd: fc.bigInt({ min: 50n, max: 1000n }),
          monthly_usd: fc.bigInt({ min: 50n, max: 1000n }),
        },
        { requiredKeys: [] },
      ),
      calls: fc.array(fc.record({ tokens: percent, amount: percent.map(BigInt), spent: fc.nat(100) }), {
        minLength: 20,
        maxLength: 30,
      }),
    });
    await fc.assert(
      fc.asyncProperty(race, async ({ policy, calls }) => {
        const [key] = (await openAccount(database.client, PLENTY, policy)).keys;
        const run = async ({ tokens, amount, spent }: (typeof calls)[number]) => {
          const admission = await ledger.ledger.admit(callOf(key, amount, { tokens }));
          return { admission, tokens, spent: (amount * BigInt(spent)) / 100n };
        };
        const results = await Promise.allSettled(calls.map(run));
        const granted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
        const stateAfter = await keyState(ledger, key.keyId);
        const held = granted.reduce((sum, { admission }) => sum + admission.amount, 0n);
        const tokens = granted.reduce((sum, call) => sum + call.tokens, 0);
        if (policy.tpm !== undefined) expect(stateAfter.tokensLeft).toBe(BigInt(policy.tpm - tokens));
        if (policy.daily_usd !== undefined) expect(stateAfter.dayLeft).toBe(policy.daily_usd - held);
        if (policy.monthly_usd !== undefined) expect(stateAfter.monthLeft).toBe(policy.monthly_usd - held);
        for (const rest of [stateAfter.tokensLeft, stateAfter.dayLeft, stateAfter.monthLeft])
          expect(rest >= 0n).toBe(true);
        results.forEach((result, index) => {
          const call = calls[index];
          if (result.status === 'fulfilled' || call === undefined) return;
          const reasons = [
            ...(stateAfter.tokensLeft < BigInt(call.tokens) ? ['tokens_per_minute'] : []),
            ...(stateAfter.dayLeft < call.amount ? ['daily_usd_exceeded'] : []),
            ...(stateAfter.monthLeft < call.amount ? ['monthly_usd_exceeded'] : []),
          ];
          expect(reasons).toContain((result.reason as ServiceError).code);
        });
        await Promise.all(granted.map(({ admission, spent }) => admission.settle(outcomeOf(spent))));
        const sum = granted.reduce((total, { spent }) => total + spent, 0n);
        const settled = await keyState(ledger, key.keyId);
        if (policy.daily_usd !== undefined) expect(settled.dayLeft).toBe(policy.daily_usd - sum);
        if (policy.monthly_usd !== undefined) expect(settled.monthLeft).toBe(policy.monthly_usd - sum);
      }),
      { numRuns: rounds(8) },
    );
  });

  it('loses no charge at the end of a minute, a day and a month under concurrent calls and settlements', async () => {
    const ledgers = [open(), open(), open()];
    const policy = { daily_usd: 100_000n, monthly_usd: 1_000_000n, tpm: 100_000, rpm: 1000 };
    const boundaries = [Date.UTC(2026, 6, 15, 12, 1), Date.UTC(2026, 6, 16), Date.UTC(2026, 7, 1)];
    for (const boundaryMs of boundaries) {
      const [key] = (await openAccount(database.client, PLENTY, policy)).keys;
      const admit = (at: number) =>
        (ledgers[at % ledgers.length] ?? open()).ledger.admit(callOf(key, 100n, { tokens: 10 }));
      nowMs = boundaryMs - 1;
      const before = await sort(Array.from({ length: 30 }, (_, at) => admit(at)));
      expect(before.codes).toEqual([]);
      nowMs = boundaryMs;
      const [after] = await Promise.all([
        sort(Array.from({ length: 30 }, (_, at) => admit(at))),
        Promise.all(before.admissions.map((admission) => admission.settle(outcomeOf(40n, { tokens: 10 })))),
      ]);
      await settleAll(after.admissions);
      expect(after.codes).toEqual([]);
      const [then, now] = [windowsAt(boundaryMs - 1), windowsAt(boundaryMs)];
      const hasRollup = (rolled: boolean) => (rolled ? 0n : 30n * 40n);
      expect(await keyState(open(), key.keyId)).toMatchObject({
        requestsLeft: policy.rpm - 30,
        tokensLeft: BigInt(policy.tpm) - 300n,
        dayLeft: policy.daily_usd - 3000n - hasRollup(now.day > then.day),
        monthLeft: policy.monthly_usd - 3000n - hasRollup(now.month > then.month),
      });
    }
  });

  it('counts the calls of a process with a slow clock in the windows of that clock, and refunds them there', async () => {
    const [onTime, late] = [open(), open(-60_000)];
    const policy = { rpm: 3, daily_usd: 1000n, monthly_usd: 1000n };
    const [key] = (await openAccount(database.client, PLENTY, policy)).keys;
    nowMs = Date.UTC(2026, 7, 1, 0, 0, 30);
    await settleAll([await onTime.ledger.admit(callOf(key, 100n))]);
    const admission = await late.ledger.admit(callOf(key, 900n));
    expect(await keyState(onTime, key.keyId)).toMatchObject({
      requestsLeft: 2,
      dayLeft: 900n,
      monthLeft: 900n,
    });
    await admission.settle(outcomeOf(300n));
    expect(await keyState(late, key.keyId)).toMatchObject({
      requestsLeft: 2,
      dayLeft: 700n,
      monthLeft: 700n,
    });
    const attempts = Array.from({ length: 5 }, () => late.ledger.admit(callOf(key, 1n)));
    const { admissions, codes } = await sort(attempts);
    await settleAll(admissions);
    expect(codes).toEqual(Array.from({ length: 3 }, () => '429 requests_per_minute'));
  });
});

describe('touching a key', () => {
  it('counts one request and nothing else, and fails like any other call', async () => {
    const ledger = open();
    const policy = { rpm: 3, tpm: 10, daily_usd: 0n, monthly_usd: 0n };
    const [key] = (await openAccount(database.client, 0n, policy)).keys;
    for (const stateAfter of [2, 1, 0]) {
      const { state, headers } = await ledger.gate.touch(key);
      expect(state).toMatchObject({ requestsLeft: stateAfter, tokensLeft: 10n, dayLeft: 0n, monthLeft: 0n });
      expect(headers['x-ratelimit-remaining-requests']).toBe(String(stateAfter));
    }
    expect((await rejectionOf(ledger.gate.touch(key))).code).toBe('requests_per_minute');
  });

  it('returns 401 for a key that is not active, for any request', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 0n, { rpm: 1 })).keys;
    const bad = () => Promise.reject(new ServiceError('invalid_value', 'bad'));
    const rejected = await rejectionOf(ledger.gate.checked({ ...key, secretHash: 'x' }, bad));
    expect(rejected.code).toBe('invalid_api_key');
    const counted = await rejectionOf(ledger.gate.checked(key, bad));
    expect(counted.code).toBe('invalid_value');
    expect(counted.headers['x-ratelimit-remaining-requests']).toBe('0');
  });

  it('returns the content error of an invalid request, also over the request limit', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 0n, { rpm: 1 })).keys;
    const bad = () => Promise.reject(new ServiceError('invalid_value', 'bad', { param: 'model' }));
    for (let time = 0; time < 3; time += 1)
      expect(await rejectionOf(ledger.gate.checked(key, bad))).toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'model',
      });
    expect((await rejectionOf(ledger.gate.touch(key))).code).toBe('requests_per_minute');
    expect(await ledger.gate.checked(key, async () => 'good')).toBe('good');
  });

  it('reports no rejection in place of a failure that the content did not cause', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 0n, { rpm: 1 })).keys;
    const broken = () => Promise.reject(new RangeError('broken'));
    await expect(ledger.gate.checked(key, broken)).rejects.toThrow('broken');
    expect((await ledger.gate.touch(key)).state.requestsLeft).toBe(0);
  });
});

it('the ledger of all tests above remains exact, with no hold', async () => {
  expect(await auditAll(database.client, () => LATER_MS)).toMatchObject({ exact: true, held: 0n });
});
