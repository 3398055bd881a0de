import type { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { keyState, rejectionOf } from '../testing/attempts.ts';
import { aroundSend, FAULTS, FailingProcess } from '../testing/failing-process.ts';
import {
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
  type TestAccount,
  type TestLedger,
} from '../testing/running-ledger.ts';
import { splitWallet } from '../testing/split-wallet.ts';
import type { Call, OutputRange } from './call.ts';

let database: TestDatabase;
let nowMs = NOON_MS;

beforeAll(async () => {
  database = await startDatabase();
});
beforeEach(() => {
  nowMs = NOON_MS;
});
afterAll(() => database.stop());

/** A process of its own. */
const open = (clients: Pick<TestDatabase, 'client' | 'onceClient'> = database) =>
  openLedger({ clients, clock: () => nowMs });

/** Each token of output costs a nano-dollar, and is one of the minute's tokens. */
const BY_OUTPUT = { tokens: (output: number) => output, cost: (output: number) => BigInt(output) };

const RANGE: OutputRange = { min: 10, max: 1_000 };

async function accountWith(balance: bigint, policy: Policy = {}) {
  const account = await openAccount(database.client, balance, policy);
  const [key] = account.keys;
  const call = (output: OutputRange = RANGE) => callOf(key, 0n, { output, ...BY_OUTPUT });
  return { account, key, call, books: () => ledgerOf(database.client, account) };
}

describe('a call that leaves its output to the service', () => {
  it('counts as one request of the minute, although its first attempt is rejected', async () => {
    const { call } = await accountWith(50n, { rpm: 2 });
    const { ledger } = open();
    for (let calls = 0; calls < 2; calls += 1) await (await ledger.admit(call())).settle(outcomeOf(0n));
    expect(await rejectionOf(ledger.admit(call()))).toMatchObject({ code: 'requests_per_minute' });
  });

  it.each<readonly [string, bigint, Policy, string, string]>([
    [
      'credit',
      9n,
      {},
      'insufficient_credit',
      'balance of 0.000000009 USD does not cover the estimate for this call, 0.00000001 USD; add credit',
    ],
    ['a daily cap', 9n, { daily_usd: 9n }, 'daily_usd_exceeded', '0.00000001 USD'],
    ['tokens of the minute', 9n, { tpm: 9, daily_usd: 9n }, 'tokens_per_minute', '9 tokens'],
    ['the kind', 9n, { allowed_kinds: ['tts'], tpm: 9 }, 'kind_not_allowed', 'chat'],
    [
      'credit below a cap that refuses the first',
      9n,
      { daily_usd: 500n },
      'insufficient_credit',
      '0.00000001',
    ],
  ])(
    'returns the error of its smallest output, also on the second call: %s',
    async (_what, balance, policy, code, message) => {
      const { key, call, books } = await accountWith(balance, policy);
      const ledger = open();
      for (let calls = 0; calls < 2; calls += 1) {
        const rejection = await rejectionOf(ledger.ledger.admit(call()));
        expect(rejection).toMatchObject({ code });
        expect(rejection.message).toContain(message);
        const { dayLeft, tokensLeft } = await keyState(ledger, key.keyId);
        if (policy.daily_usd !== undefined) expect(dayLeft).toBe(policy.daily_usd);
        if (policy.tpm !== undefined) expect(tokensLeft).toBe(BigInt(policy.tpm));
        expect((await books()).wallet).toMatchObject({ balance, holds: [] });
      }
    },
  );

  it('does not block a smaller call after its rejection', async () => {
    const { call } = await accountWith(9n);
    const { ledger } = open();
    expect(await rejectionOf(ledger.admit(call()))).toMatchObject({ code: 'insufficient_credit' });
    expect((await ledger.admit(call({ min: 9, max: 1_000 }))).output).toBe(9);
  });

  it('recovers expired holds before it retries with a smaller output', async () => {
    const { key, call, books } = await accountWith(1_000n);
    await open().ledger.admit(callOf(key, 950n));
    nowMs += (HOLD_TTL_SECONDS + 60) * 1_000;
    expect((await open().ledger.admit(call())).output).toBe(1_000);
    expect((await books()).wallet.balance).toBe(0n);
  });

  it('releases a hold of its first attempt that reaches the wallet late, and returns 503', async () => {
    const { key, call, books } = await accountWith(5_000n, { daily_usd: 500n });
    await open().gate.touch(key);
    let late: (() => Promise<unknown>) | undefined;
    let isApplied = false;
    const delaying = (client: TestDatabase['client']) =>
      aroundSend(client, async (command, send) => {
        const update = String((command as UpdateItemCommand).input.UpdateExpression);
        if (late === undefined && update.includes('SET holds.#entry')) {
          late = () => send(command);
          throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
        }
        const output = await send(command);
        if (!isApplied && update.includes('REMOVE holds.#entry')) {
          isApplied = true;
          await late?.();
        }
        return output;
      });
    const { ledger, keys } = open({
      client: delaying(database.client),
      onceClient: delaying(database.onceClient),
    });
    expect(await rejectionOf(ledger.admit(call()))).toMatchObject({ code: 'overloaded' });
    expect(isApplied).toBe(true);
    expect((await books()).wallet).toMatchObject({ balance: 5_000n, holds: [] });
    expect(await keys.read(key.keyId)).toMatchObject({ dayLeft: 500n });
    expect((await ledger.admit(call())).output).toBe(500);
  });
});

describe('a call that is rejected for its requested output', () => {
  it.each<readonly [string, bigint, Policy, number | undefined]>([
    ['credit', 400n, {}, 400],
    ['a daily cap', 5_000n, { daily_usd: 321n }, 321],
    ['a cap, where the tokens of the minute leave less', 5_000n, { daily_usd: 321n, tpm: 5_000 }, 321],
    ['credit, of which there is none', 0n, {}, undefined],
  ])(
    'states the output that fits, at once and from memory: %s',
    async (_what, balance, policy, affordable) => {
      const { call } = await accountWith(balance, policy);
      const { ledger } = open();
      for (let calls = 0; calls < 2; calls += 1) {
        const rejection = await rejectionOf(ledger.admit(call({ min: 1_000, max: 1_000 })));
        expect(rejection).toMatchObject({ status: 402, affordableMaxTokens: affordable });
      }
      if (affordable === undefined) return;
      expect((await ledger.admit(call({ min: affordable, max: affordable }))).output).toBe(affordable);
    },
  );
});

/** Returns the output and the number of database calls of an admission. */
async function costOf(
  account: TestAccount,
  ledger: TestLedger,
  process: FailingProcess,
  output: OutputRange,
) {
  const before = process.calls;
  const admission = await ledger.ledger.admit(callOf(account.keys[0], 0n, { output, ...BY_OUTPUT }));
  const calls = process.calls - before;
  await admission.settle(outcomeOf(0n));
  return { output: admission.output, calls };
}

describe('admission with two outputs, by its database requests,', () => {
  it('sends two writes if the largest output is covered, as for one output', async () => {
    const { account } = await accountWith(1_000n);
    const process = new FailingProcess(database, new Map());
    const ledger = open(process.clients);
    await ledger.gate.touch(account.keys[0]);
    for (const output of [RANGE, { min: 1_000, max: 1_000 }])
      expect(await costOf(account, ledger, process, output)).toEqual({ output: 1_000, calls: 2 });
  });

  it('sends one more attempt and its reversal if only a smaller output is covered, and two reads instead on the next call', async () => {
    const { account } = await accountWith(50n);
    const process = new FailingProcess(database, new Map());
    const ledger = open(process.clients);
    await ledger.gate.touch(account.keys[0]);
    expect(await costOf(account, ledger, process, RANGE)).toEqual({ output: 50, calls: 5 });
    expect(await costOf(account, ledger, process, RANGE)).toEqual({ output: 50, calls: 4 });
  });
});

const cap = fc.option(fc.bigInt({ min: 0n, max: 2_000n }), { nil: undefined });

/** A range of output, and what each token of it costs and counts. */
const requestedOutputs = fc
  .record({
    bounds: fc.tuple(fc.nat(2_000), fc.nat(2_000)),
    price: fc.nat(3),
    weight: fc.nat(3),
    base: fc.nat(50),
  })
  .map(({ bounds, price, weight, base }) => ({
    output: { min: Math.min(...bounds), max: Math.max(...bounds) },
    tokens: (output: number) => output * weight + base,
    cost: (output: number) => BigInt(output * price + base),
  }));

const policy = fc
  .record({ daily_usd: cap, monthly_usd: cap, tpm: fc.option(fc.nat(4_000), { nil: undefined }) })
  .map(
    (caps) => Object.fromEntries(Object.entries(caps).filter(([, value]) => value !== undefined)) as Policy,
  );

describe('Ledger.admit, properties', () => {
  it('admits a call if and only if its smallest output is covered, with the largest covered output, as one request', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 2_500n }),
        policy,
        requestedOutputs,
        fc.boolean(),
        async (balance, caps, range, isSplit) => {
          const account = await openAccount(database.client, balance, { rpm: 10, ...caps });
          if (isSplit) await splitWallet(database, account.accountId, [balance / 3n, balance / 4n]);
          const [key] = account.keys;
          const isLeft = (output: number) => {
            const amount = range.cost(output);
            const isWithinCaps =
              amount <= (caps.daily_usd ?? amount) && amount <= (caps.monthly_usd ?? amount);
            return (
              balance >= amount &&
              isWithinCaps &&
              range.tokens(output) <= (caps.tpm ?? Number.POSITIVE_INFINITY)
            );
          };
          const ledger = open();
          // The process has met the shards.
          await ledger.wallets.read(account.accountId);
          const call: Call = callOf(key, 0n, range);
          const admission = await ledger.ledger.admit(call).catch((failure: unknown) => failure);
          const output = (admission as { readonly output?: number }).output;
          if (output === undefined) {
            expect(admission).toBeInstanceOf(ServiceError);
            expect(isLeft(range.output.min)).toBe(false);
          } else {
            expect(isLeft(output)).toBe(true);
            expect(output === range.output.max || !isLeft(output + 1)).toBe(true);
          }
          const { wallet } = await ledgerOf(database.client, account);
          expect(wallet.holds).toHaveLength(output === undefined ? 0 : 1);
          const settledCost = output === undefined ? 0n : range.cost(output);
          expect(wallet.balance).toBe(balance - settledCost);
          const state = await keyState(ledger, key.keyId);
          if (caps.daily_usd !== undefined) expect(state.dayLeft).toBe(caps.daily_usd - settledCost);
          if (output === undefined) return;
          // However often it asked, it is one request.
          expect(state.requestsLeft).toBe(9);
          if (caps.tpm !== undefined) expect(state.tokensLeft).toBe(BigInt(caps.tpm - range.tokens(output)));
        },
      ),
      { numRuns: rounds(60) },
    );
  });

  it('leaves no hold, an exact ledger and no excess in a cap if the process fails at any database request', async () => {
    const fault = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom(...FAULTS));
    const plan = fc.array(fault, { minLength: 1, maxLength: 2 }).map((pairs) => new Map(pairs));
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 0n, max: 1_200n }), policy, plan, async (balance, caps, faults) => {
        nowMs = NOON_MS;
        const account = await openAccount(database.client, balance, { rpm: 5, ...caps });
        const [key] = account.keys;
        const process = new FailingProcess(database, faults);
        const { ledger } = open(process.clients);
        const admission = await ledger
          .admit(callOf(key, 0n, { output: RANGE, ...BY_OUTPUT }))
          .catch(() => undefined);
        const cost = (admission?.amount ?? 0n) / 2n;
        await admission?.settle(outcomeOf(cost, { tokens: 3 })).catch(() => {});
        await process.landLate();
        nowMs += (HOLD_TTL_SECONDS + 1) * 1_000;
        await sweep(open(), database.client);
        const { wallet, audit, records } = await ledgerOf(database.client, account);
        expect(wallet.holds).toEqual([]);
        expect(audit.exact).toBe(true);
        expect(records.length).toBeLessThanOrEqual(1);
        const spentAmount = records.reduce((sum, record) => sum + record.cost, 0n);
        expect(spentAmount === 0n || spentAmount === cost).toBe(true);
        expect(wallet.balance).toBe(balance - spentAmount);
        const state = await keyState(open(), key.keyId);
        if (caps.daily_usd !== undefined) expect(state.dayLeft <= caps.daily_usd - spentAmount).toBe(true);
        if (caps.monthly_usd !== undefined)
          expect(state.monthLeft <= caps.monthly_usd - spentAmount).toBe(true);
        expect(state.requestsLeft).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: rounds(150) },
    );
  });
});
