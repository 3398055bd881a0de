import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DynamoAccountStore } from '../../../lambdas/adapters/account-store.ts';
import { type Item, number, text } from '../../../lambdas/adapters/attribute-values.ts';
import type { KeyState } from '../../../lambdas/core/access/key-state.ts';
import type { Policy } from '../../../lambdas/core/access/policy.ts';
import { windowsAt } from '../../../lambdas/core/access/windows.ts';
import { ServiceError } from '../../../lambdas/core/errors.ts';
import type { Admission } from '../../../lambdas/core/ledger/admission.ts';
import { startDatabase, type TestDatabase } from '../../adapters/engine.ts';
import {
  auditAll,
  callOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  type TestLedger,
} from './running-ledger.ts';

const PLENTY = 10n ** 15n;

let database: TestDatabase;
let nowMs = NOON_MS;

beforeAll(async () => {
  database = await startDatabase();
});
beforeEach(() => {
  nowMs = NOON_MS;
});
afterAll(() => database.stop());

const open = (skewMs = 0): TestLedger => openLedger({ clients: database, clock: () => nowMs + skewMs });

async function keyState({ keys }: TestLedger, keyId: string): Promise<KeyState> {
  const state = await keys.read(keyId);
  if (state === undefined) throw new Error('the key is gone');
  return state;
}

/** Admissions, and the codes of the refusals; any other failure fails the test. */
async function sort(attempts: readonly Promise<Admission>[]) {
  const admissions: Admission[] = [];
  const codes: string[] = [];
  for (const result of await Promise.allSettled(attempts)) {
    if (result.status === 'fulfilled') admissions.push(result.value);
    else if (result.reason instanceof ServiceError)
      codes.push(`${result.reason.status} ${result.reason.code}`);
    else throw result.reason;
  }
  return { admissions, codes };
}

const refusalOf = async (attempt: Promise<unknown>): Promise<ServiceError> => {
  const result = await attempt.catch((failure: unknown) => failure);
  if (result instanceof ServiceError) return result;
  throw new Error(`not refused: ${String(result)}`);
};

const settleAll = (admissions: readonly Admission[]) =>
  Promise.all(
    admissions.map((admission) => admission.settle(outcomeOf(admission.hold.amount, { tokens: 10 }))),
  );

describe('the key gate', () => {
  it('lets exactly 100 of 150 racing calls of one minute pass, and others in the next minute', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, PLENTY, {})).keys;
    nowMs = NOON_MS + 59_999;
    const attempts = Array.from({ length: 150 }, () => ledger.ledger.admit(callOf(key, 1n)));
    const { admissions, codes } = await sort(attempts);
    expect(admissions).toHaveLength(100);
    expect(new Set(codes)).toEqual(new Set(['429 requests_per_minute']));
    await settleAll(admissions);
    nowMs += 1;
    await settleAll([await ledger.ledger.admit(callOf(key, 1n))]);
    expect((await keyState(ledger, key.keyId)).requestsLeft).toBe(99);
  }, 30_000);

  it('never lets racing calls exceed tokens a minute, the daily or the monthly cap, nor refuses one that fits', async () => {
    const ledger = open();
    const figure = fc.integer({ min: 1, max: 100 });
    const race = fc.record({
      policy: fc.record(
        {
          tpm: fc.integer({ min: 50, max: 1000 }),
          daily_usd: fc.bigInt({ min: 50n, max: 1000n }),
          monthly_usd: fc.bigInt({ min: 50n, max: 1000n }),
        },
        { requiredKeys: [] },
      ),
      calls: fc.array(fc.record({ tokens: figure, amount: figure.map(BigInt), spent: fc.nat(100) }), {
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
        const left = await keyState(ledger, key.keyId);
        const held = granted.reduce((sum, { admission }) => sum + admission.hold.amount, 0n);
        const tokens = granted.reduce((sum, call) => sum + call.tokens, 0);
        if (policy.tpm !== undefined) expect(left.tokensLeft).toBe(BigInt(policy.tpm - tokens));
        if (policy.daily_usd !== undefined) expect(left.dayLeft).toBe(policy.daily_usd - held);
        if (policy.monthly_usd !== undefined) expect(left.monthLeft).toBe(policy.monthly_usd - held);
        for (const rest of [left.tokensLeft, left.dayLeft, left.monthLeft]) expect(rest >= 0n).toBe(true);
        results.forEach((result, index) => {
          const call = calls[index];
          if (result.status === 'fulfilled' || call === undefined) return;
          const reasons = [
            ...(left.tokensLeft < BigInt(call.tokens) ? ['tokens_per_minute'] : []),
            ...(left.dayLeft < call.amount ? ['daily_usd_exceeded'] : []),
            ...(left.monthLeft < call.amount ? ['monthly_usd_exceeded'] : []),
          ];
          expect(reasons).toContain((result.reason as ServiceError).code);
        });
        await Promise.all(granted.map(({ admission, spent }) => admission.settle(outcomeOf(spent))));
        const sum = granted.reduce((total, { spent }) => total + spent, 0n);
        const settled = await keyState(ledger, key.keyId);
        if (policy.daily_usd !== undefined) expect(settled.dayLeft).toBe(policy.daily_usd - sum);
        if (policy.monthly_usd !== undefined) expect(settled.monthLeft).toBe(policy.monthly_usd - sum);
      }),
      { numRuns: 15 },
    );
  }, 30_000);

  it('loses nothing when a minute, a day and a month roll under racing calls and settlements', async () => {
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
      const carried = (rolled: boolean) => (rolled ? 0n : 30n * 40n);
      expect(await keyState(open(), key.keyId)).toMatchObject({
        windows: now,
        requestsLeft: policy.rpm - 30,
        tokensLeft: BigInt(policy.tpm) - 300n,
        dayLeft: policy.daily_usd - 3000n - carried(now.day > then.day),
        monthLeft: policy.monthly_usd - 3000n - carried(now.month > then.month),
      });
    }
  }, 30_000);

  it('never turns a window back for a clock that lags, and charges its calls to the window in force', async () => {
    const [onTime, late] = [open(), open(-90_000)];
    const policy = { rpm: 5, daily_usd: 1000n };
    const [key] = (await openAccount(database.client, PLENTY, policy)).keys;
    nowMs = Date.UTC(2026, 7, 1, 0, 0, 30);
    await settleAll([await onTime.ledger.admit(callOf(key, 100n))]);
    const admissions = [
      await late.ledger.admit(callOf(key, 100n)),
      await late.ledger.admit(callOf(key, 100n)),
    ];
    expect(await keyState(onTime, key.keyId)).toMatchObject({
      windows: windowsAt(nowMs),
      requestsLeft: 2,
      dayLeft: 700n,
    });
    await settleAll(admissions);
    const { admissions: last, codes } = await sort(
      Array.from({ length: 5 }, () => late.ledger.admit(callOf(key, 1n))),
    );
    await settleAll(last);
    expect(codes).toEqual(Array.from({ length: 3 }, () => '429 requests_per_minute'));
  });

  it('gives back what a lagging clock’s call did not cost to the windows it was charged to', async () => {
    const [onTime, late] = [open(), open(-90_000)];
    const [key] = (await openAccount(database.client, PLENTY, { daily_usd: 1000n, monthly_usd: 1000n })).keys;
    nowMs = Date.UTC(2026, 7, 1, 0, 0, 30);
    await onTime.gate.touch(key);
    const admission = await late.ledger.admit(callOf(key, 900n));
    await admission.settle(outcomeOf(100n));
    expect(await keyState(onTime, key.keyId)).toMatchObject({ dayLeft: 900n, monthLeft: 900n });
  });
});

describe('a refusal', () => {
  const everything: Policy = {
    allowed_kinds: ['image'],
    allowed_models: ['sim/other'],
    rpm: 1,
    tpm: 1,
    daily_usd: 0n,
    monthly_usd: 0n,
  };
  const refused: readonly (readonly [string, Policy])[] = [
    ['403 kind_not_allowed', everything],
    ['403 model_not_allowed', { ...everything, allowed_kinds: ['chat'] }],
    ['429 tokens_per_minute', { rpm: 1, tpm: 1, daily_usd: 0n, monthly_usd: 0n }],
    ['402 daily_usd_exceeded', { daily_usd: 0n, monthly_usd: 0n }],
    ['402 monthly_usd_exceeded', { monthly_usd: 0n }],
    ['402 insufficient_credit', {}],
  ];

  it.each(refused)(
    'is %s, the first of all reasons that hold, on the first call and on the next',
    async (code, policy) => {
      const ledger = open();
      const account = await openAccount(database.client, 0n, policy);
      const [key] = account.keys;
      for (let time = 0; time < 3; time += 1) {
        const reason = await refusalOf(ledger.ledger.admit(callOf(key, 100n)));
        expect(`${reason.status} ${reason.code}`).toBe(code);
        expect(reason.headers['x-ratelimit-limit-requests']).toBe(String(policy.rpm ?? 100));
      }
      expect((await ledger.wallets.read(account.accountId))?.holds).toEqual([]);
      expect(await keyState(ledger, key.keyId)).toMatchObject({
        dayLeft: policy.daily_usd ?? expect.anything(),
        monthLeft: policy.monthly_usd ?? expect.anything(),
      });
    },
  );

  it('is 401 for a key that is unknown, revoked, disabled or has another secret, before all else', async () => {
    const ledger = open();
    const account = await openAccount(database.client, 0n, everything, everything, everything);
    const [disabled, revoked = disabled, rotated = disabled] = account.keys;
    await setAttributes(disabled.keyId, { status: text('disabled') });
    await setAttributes(revoked.keyId, { status: text('revoked') });
    const unknown = { ...disabled, keyId: 'key_of_nobody' };
    for (const key of [disabled, revoked, { ...rotated, secretHash: 'another' }, unknown]) {
      for (let time = 0; time < 2; time += 1) {
        const reason = await refusalOf(ledger.ledger.admit(callOf(key, 100n)));
        expect(`${reason.status} ${reason.code}`).toBe('401 invalid_api_key');
        expect(reason.headers).toEqual({});
      }
    }
  });

  it('is requests_per_minute for a call that is over the limit and would also lack tokens, caps and credit', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 100n, { rpm: 1, tpm: 10, daily_usd: 100n })).keys;
    const admission = await ledger.ledger.admit(callOf(key, 100n));
    const reason = await refusalOf(open().ledger.admit(callOf(key, 100n)));
    expect(reason.code).toBe('requests_per_minute');
    expect(reason.retryAfterSeconds).toBe(60);
    await settleAll([admission]);
  });

  it('fades with its minute', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, PLENTY, { rpm: 1 })).keys;
    await settleAll([await ledger.ledger.admit(callOf(key, 1n))]);
    expect((await refusalOf(ledger.ledger.admit(callOf(key, 1n)))).code).toBe('requests_per_minute');
    nowMs = NOON_MS + 60_000;
    await settleAll([await ledger.ledger.admit(callOf(key, 1n))]);
  });

  it('that is remembered gives way on the next call to a policy, a status or a top-up written meanwhile', async () => {
    const ledger = open();
    const account = await openAccount(database.client, 10n, { daily_usd: 0n });
    const [key] = account.keys;
    const code = async () => {
      try {
        await settleAll([await ledger.ledger.admit(callOf(key, 100n))]);
      } catch (failure) {
        return failure instanceof ServiceError ? failure.code : failure;
      }
      return 'granted';
    };
    expect(await code()).toBe('daily_usd_exceeded');
    await setAttributes(key.keyId, {
      daily_cap: number(5000),
      day_left: number(5000),
      version: number(2),
      allowed_kinds: { SS: ['image'] },
    });
    expect(await code()).toBe('kind_not_allowed');
    await setAttributes(key.keyId, { allowed_kinds: { SS: ['chat'] }, version: number(3) });
    expect(await code()).toBe('insufficient_credit');
    const topUp = { accountId: account.accountId, id: 'more', amount: 90n, created: 0, source: 'test' };
    await new DynamoAccountStore(database.client, database.tables).topUp(topUp);
    expect(await code()).toBe('granted');
    await setAttributes(key.keyId, { status: text('disabled') });
    expect(await code()).toBe('invalid_api_key');
    await setAttributes(key.keyId, { status: text('active') });
    expect(await code()).toBe('insufficient_credit');
  });

  async function setAttributes(keyId: string, attributes: Item): Promise<void> {
    const entries = Object.entries(attributes);
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.keys,
        Key: { key_id: text(keyId) },
        UpdateExpression: `SET ${entries.map((_, index) => `#a${index} = :a${index}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#a${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          entries.map(([, value], index) => [`:a${index}`, value]),
        ),
      }),
    );
  }
});

describe('touching a key', () => {
  it('counts a request and nothing else, and is refused as any call is', async () => {
    const ledger = open();
    const policy = { rpm: 3, tpm: 10, daily_usd: 0n, monthly_usd: 0n };
    const [key] = (await openAccount(database.client, 0n, policy)).keys;
    for (const left of [2, 1, 0]) {
      const { state, headers } = await ledger.gate.touch(key);
      expect(state).toMatchObject({ requestsLeft: left, tokensLeft: 10n, dayLeft: 0n, monthLeft: 0n });
      expect(headers['x-ratelimit-remaining-requests']).toBe(String(left));
    }
    expect((await refusalOf(ledger.gate.touch(key))).code).toBe('requests_per_minute');
  });

  it('tells a key that is not in force so before anything about its request', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 0n, { rpm: 1 })).keys;
    const bad = () => Promise.reject(new ServiceError('invalid_value', 'bad'));
    const rejected = await refusalOf(ledger.gate.checked({ ...key, secretHash: 'x' }, bad));
    expect(rejected.code).toBe('invalid_api_key');
    const counted = await refusalOf(ledger.gate.checked(key, bad));
    expect(counted.code).toBe('invalid_value');
    expect(counted.headers['x-ratelimit-remaining-requests']).toBe('0');
  });
});

it('leaves the books of everything above exact, with no hold', async () => {
  expect(await auditAll(database.client)).toMatchObject({ exact: true, held: 0n, writtenOff: 0n });
}, 30_000);
