import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { Policy } from '../../../lambdas/core/access/policy.ts';
import type { CallRequest } from '../../../lambdas/core/ledger/call.ts';
import { ALLOWANCE, coverOf, probationChange } from '../../../lambdas/core/ledger/exposure.ts';
import { startDatabase, type TestDatabase } from '../../adapters/engine.ts';
import { splitWallet } from '../../adapters/split-wallet.ts';
import { it } from '../../search.ts';
import { keyState, refusalOf, sort } from './attempts.ts';
import { booksOf, callOf, NOON_MS, openAccount, openLedger, outcomeOf, sweep } from './running-ledger.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const CENT = 10_000_000n;

/** A process of its own. */
const open = (nowMs = NOON_MS) => openLedger({ clients: database, clock: () => nowMs });

async function accountWith(balance: bigint, policy: Policy = { rpm: 1_000 }) {
  const account = await openAccount(database.client, balance, policy);
  const [key] = account.keys;
  const call = (amount: bigint, ceiling: bigint): CallRequest => callOf(key, amount, { ceiling });
  const books = () => booksOf(database.client, account);
  return { account, key, call, books };
}

describe('what must be covered', () => {
  it('is a hold’s amount, and the exposure of all open holds beyond the allowance', () => {
    expect(coverOf({ amount: 5n, exposure: ALLOWANCE }, 0n)).toBe(5n);
    expect(coverOf({ amount: 5n, exposure: ALLOWANCE }, 3n)).toBe(8n);
    expect(coverOf({ amount: 5n, exposure: 0n }, ALLOWANCE + 7n)).toBe(12n);
  });

  it('grows by eight times the cost of a call that fell short, and falls by what is paid on probation', () => {
    expect(probationChange(11n, { amount: 10n })).toBe(88n);
    expect(probationChange(10n, { amount: 10n })).toBe(0n);
    expect(probationChange(10n, { amount: 10n, onProbation: true })).toBe(-10n);
    expect(probationChange(11n, { amount: 10n, onProbation: true })).toBe(88n);
  });
});

describe('a call that may cost more than it holds', () => {
  it('is refused where credit covers its hold and not its exposure, and the error says what it needs', async () => {
    const { call, books } = await accountWith(2n * CENT);
    const { ledger } = open();
    const refused = await refusalOf(ledger.admit(call(CENT, 3n * CENT + 1n)));
    expect(refused).toMatchObject({ code: 'insufficient_credit' });
    expect(refused.message).toContain('0.020000001 USD');
    const admission = await ledger.admit(call(CENT, 3n * CENT));
    expect((await books()).wallet).toMatchObject({ balance: CENT, exposure: 2n * CENT });
    await admission.settle(outcomeOf(1n));
    expect((await books()).wallet).toMatchObject({ balance: 2n * CENT - 1n, exposure: 0n, probation: 0n });
  });

  it('leaves the exposure of open calls covered by every later one, also of another process', async () => {
    const { call } = await accountWith(3n * CENT);
    await open().ledger.admit(call(0n, 4n * CENT));
    for (const { ledger } of [open(), open()]) {
      expect(await refusalOf(ledger.admit(call(1n, 1n)))).toMatchObject({ code: 'insufficient_credit' });
      expect(await refusalOf(ledger.admit(call(0n, 1n)))).toMatchObject({ code: 'insufficient_credit' });
    }
    expect((await open().ledger.admit(call(0n, 0n))).hold.exposure).toBe(0n);
  });

  it('is admitted beside more exposure than the process has met', async () => {
    const { call, books } = await accountWith(100n * CENT);
    const attempts = Array.from({ length: 20 }, () => open().ledger.admit(call(CENT, 4n * CENT)));
    expect((await sort(attempts)).admissions).toHaveLength(20);
    expect((await books()).wallet.exposure).toBe(60n * CENT);
  });

  it('ends its exposure when it is recovered', async () => {
    const { call, books } = await accountWith(100n * CENT);
    await open().ledger.admit(call(CENT, 4n * CENT));
    await sweep(open(NOON_MS + 3_600_000), database.client);
    expect((await books()).wallet).toMatchObject({ balance: 100n * CENT, exposure: 0n, holds: [] });
  });
});

describe('an account whose call cost more than its hold', () => {
  it('has its calls held at their ceiling until it has paid for several, in every process', async () => {
    const { account, key, call, books } = await accountWith(1_000n * CENT, {
      rpm: 20,
      daily_usd: 2_000n * CENT,
    });
    const first = await open().ledger.admit(call(CENT, 5n * CENT));
    await first.settle(outcomeOf(3n * CENT));
    expect((await books()).wallet).toMatchObject({ probation: 24n * CENT, shortfalls: 1, exposure: 0n });
    for (let calls = 0; calls < 5; calls += 1) {
      const process = open();
      const admission = await process.ledger.admit(call(CENT, 5n * CENT));
      expect(admission.hold).toMatchObject({ amount: 5n * CENT, exposure: 0n, onProbation: true });
      const { dayLeft } = await keyState(process, key.keyId);
      expect(dayLeft).toBe(2_000n * CENT - (3n + 5n * BigInt(calls + 1)) * CENT);
      await admission.settle(outcomeOf(5n * CENT));
    }
    expect((await books()).wallet.probation).toBe(-1n * CENT);
    const process = open();
    expect((await process.ledger.admit(call(CENT, 5n * CENT))).hold.amount).toBe(CENT);
    // Each call took one request, though the wallet was asked twice.
    expect((await keyState(process, key.keyId)).requestsLeft).toBe(20 - 7);
    expect((await books()).audit.exact).toBe(true);
    expect(account.keys).toHaveLength(1);
  });

  it('is refused what its credit does not cover at the ceiling, with nothing held and the caps as they were', async () => {
    const { key, call, books } = await accountWith(10n * CENT, { daily_usd: 100n * CENT });
    const short = await open().ledger.admit(call(CENT, 2n * CENT));
    await short.settle(outcomeOf(2n * CENT));
    const process = open();
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await refusalOf(process.ledger.admit(call(CENT, 8n * CENT + 1n)))).toMatchObject({
        code: 'insufficient_credit',
      });
    }
    expect(await keyState(process, key.keyId)).toMatchObject({ dayLeft: 98n * CENT });
    expect((await books()).wallet).toMatchObject({ balance: 8n * CENT, holds: [] });
    expect((await process.ledger.admit(call(CENT, 8n * CENT))).hold.amount).toBe(8n * CENT);
  });

  it('is refused by its cap at the ceiling', async () => {
    const { call } = await accountWith(100n * CENT, { daily_usd: 6n * CENT });
    await (await open().ledger.admit(call(CENT, 2n * CENT))).settle(outcomeOf(2n * CENT));
    expect(await refusalOf(open().ledger.admit(call(CENT, 5n * CENT)))).toMatchObject({
      code: 'daily_usd_exceeded',
    });
  });

  it('stays on probation when the process that settled died before the hold ended', async () => {
    const { call, books } = await accountWith(CENT);
    const process = open();
    const admission = await process.ledger.admit(call(CENT, 2n * CENT));
    const died = new Error('died');
    process.wallets.endHold = async () => {
      throw died;
    };
    await admission.settle(outcomeOf(2n * CENT));
    await sweep(open(NOON_MS + 3_600_000), database.client);
    expect((await books()).wallet).toMatchObject({ probation: 16n * CENT, shortfalls: 1, holds: [] });
  });
});

describe('a wallet in parts', () => {
  const split = (accountId: string, ...shares: readonly bigint[]) => splitWallet(database, accountId, shares);

  it('covers exposure with what its other parts have', async () => {
    const { account, call, books } = await accountWith(30n * CENT);
    await split(account.accountId, 10n * CENT, 10n * CENT);
    const process = open();
    await process.wallets.read(account.accountId);
    const attempts = Array.from({ length: 6 }, () => process.ledger.admit(call(CENT, 5n * CENT)));
    const { admissions } = await sort(attempts);
    expect(admissions).toHaveLength(6);
    for (const admission of admissions) await admission.settle(outcomeOf(5n * CENT));
    const { wallet, audit } = await books();
    expect(wallet).toMatchObject({ balance: 0n, exposure: 0n });
    expect(audit).toMatchObject({ exact: true, writtenOff: 0n });
  });

  it('pays a call that fell short from every part, in a process that has not met them', async () => {
    const { account, call, books } = await accountWith(30n * CENT);
    const stranger = open();
    const admission = await stranger.ledger.admit(call(CENT, 20n * CENT));
    await split(account.accountId, 2n * CENT, 2n * CENT);
    const other = open();
    await other.wallets.read(account.accountId);
    // Most of the money is drawn to the other parts.
    for (let calls = 0; calls < 10; calls += 1) await other.ledger.admit(call(CENT, CENT));
    await admission.settle(outcomeOf(15n * CENT));
    expect((await books()).audit).toMatchObject({ exact: true, writtenOff: 0n });
  });
});

it('random calls of several processes leave exposure, books and probation as they must be', async () => {
  const amounts = fc.bigInt({ min: 0n, max: 3n * CENT });
  const plan = fc.record({ amount: amounts, beyond: amounts, percent: fc.nat(100), process: fc.nat(2) });
  await fc.assert(
    fc.asyncProperty(amounts, fc.array(plan, { maxLength: 24 }), async (balance, plans) => {
      const { call, books } = await accountWith(balance * 4n);
      const processes = [open(), open(), open()];
      await Promise.all(
        plans.map(async ({ amount, beyond, percent, process }) => {
          const { admissions } = await sort([
            (processes[process] ?? open()).ledger.admit(call(amount, amount + beyond)),
          ]);
          for (const admission of admissions)
            await admission.settle(outcomeOf(((amount + beyond) * BigInt(percent)) / 100n));
        }),
      );
      const { wallet, audit, records } = await books();
      const paid = records.reduce((sum, { cost }) => sum + cost, 0n);
      expect(wallet).toMatchObject({ exposure: 0n, holds: [] });
      expect(audit.exact).toBe(true);
      expect(audit.writtenOff).toBeLessThanOrEqual(ALLOWANCE + paid / 8n);
    }),
    { numRuns: 40 },
  );
});
