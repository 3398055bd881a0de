import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { ForkedProcesses } from '../../../tools/test-kit/forked-processes.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import type { VerifiedKey } from '../../access/core/api-key.ts';
import { WalletReads } from '../store/wallet/reads.ts';
import type { Race, RaceResult } from '../testing/admission-process.ts';
import { auditAll, ledgerOf, NOON_MS, openAccount, openLedger } from '../testing/running-ledger.ts';
import { splitWallet } from '../testing/split-wallet.ts';
import { brokenShard } from '../testing/stored-shards.ts';

const PROCESSES = 4;
const PLENTY = 10n ** 15n;

const SEEDS = rounds(10);
/** Random shares of a wallet in several shards: 6 in a plain run, 50 in a thorough one. */
const SPLITS = Math.min(rounds(6), 50);
/** Twice as many as any of those wallets affords. */
const RACING = 120;
const HOSTILE_CALLS = 12;

let folder: string;
let database: TestDatabase;
let processes: ForkedProcesses;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  const script = join(import.meta.dirname, '..', 'testing', 'admission-process.ts');
  [processes, database] = await Promise.all([
    ForkedProcesses.start(script, PROCESSES),
    startDatabase(join(folder, 'ledger.sqlite')),
  ]);
}, 30_000);

afterAll(async () => {
  await processes.end();
  await database.stop();
  await rm(folder, { recursive: true });
});

/** Shares the calls out over the processes, which begin together. */
async function race(
  calls: number,
  key: VerifiedKey,
  admission: Pick<Race, 'amount' | 'cost'>,
): Promise<RaceResult> {
  const { endpoint } = database;
  const results = await processes.ask<RaceResult>((index) => {
    const share = Math.floor((calls + index) / PROCESSES);
    return { endpoint, key, nowMs: NOON_MS, calls: share, ...admission } satisfies Race;
  });
  const rejections: Record<string, number> = {};
  for (const [code, count] of results.flatMap((result) => Object.entries(result.rejections))) {
    rejections[code] = (rejections[code] ?? 0) + count;
  }
  return { granted: results.reduce((sum, result) => sum + result.granted, 0), rejections };
}

describe(`in ${PROCESSES} processes on one database file`, () => {
  it('exactly 100 of 150 racing calls of one minute pass', async () => {
    const account = await openAccount(database.client, PLENTY, {});
    expect(await race(150, account.keys[0], { amount: 10, cost: 7 })).toEqual({
      granted: 100,
      rejections: { requests_per_minute: 50 },
    });
    expect((await ledgerOf(database.client, account)).audit).toMatchObject({ exact: true, usage: 700n });
  }, 30_000);

  it('the ledger admits exactly as many of 200 concurrent calls as the wallet covers', async () => {
    const account = await openAccount(database.client, 37_999n, { rpm: 1000 });
    expect(await race(200, account.keys[0], { amount: 1000 })).toEqual({
      granted: 37,
      rejections: { insufficient_credit: 163 },
    });
    const { wallet, audit } = await ledgerOf(database.client, account);
    expect(wallet.balance).toBe(999n);
    expect(wallet.holds).toHaveLength(37);
    expect(audit.exact).toBe(true);
  }, 30_000);

  it(
    `of ${RACING} racing calls exactly as many pass as a wallet in several shards affords, for ${SPLITS} splits`,
    async () => {
      const split = fc.record({
        affords: fc.integer({ min: 0, max: 60 }),
        amount: fc.integer({ min: 1, max: 1_000_000 }),
        spare: fc.nat(),
        shares: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 24 }),
        rest: fc.integer({ min: 0, max: 100 }),
      });
      let splits = 0;
      await fc.assert(
        fc.asyncProperty(split, async ({ affords, amount, spare, shares, rest }) => {
          const remainingAmount = BigInt(spare % amount);
          const balance = BigInt(affords * amount) + remainingAmount;
          const account = await openAccount(database.client, balance, { rpm: 1_000 });
          const spendable = BigInt(
            Math.max(
              1,
              shares.reduce((sum, share) => sum + share, rest),
            ),
          );
          await splitWallet(
            database,
            account.accountId,
            shares.map((share) => (balance * BigInt(share)) / spendable),
          );
          expect(await race(RACING, account.keys[0], { amount })).toEqual({
            granted: affords,
            rejections: affords === RACING ? {} : { insufficient_credit: RACING - affords },
          });
          const { wallet, audit } = await ledgerOf(database.client, account);
          expect(wallet).toMatchObject({ balance: remainingAmount, holds: { length: affords } });
          expect(audit).toMatchObject({ exact: true, held: BigInt(affords * amount) });
          const stored = await new WalletReads(database.client, database.tables.wallets).readAll(
            account.accountId,
          );
          expect(stored.flatMap(brokenShard)).toEqual([]);
          splits += 1;
        }),
        { numRuns: SPLITS, endOnFailure: true },
      );
      expect(splits).toBe(SPLITS);
    },
    rounds(240_000),
  );

  it('the ledger admits exactly as many of 120 concurrent calls as the daily cap covers', async () => {
    const account = await openAccount(database.client, PLENTY, { rpm: 1000, daily_usd: 25_500n });
    expect(await race(120, account.keys[0], { amount: 1000 })).toEqual({
      granted: 25,
      rejections: { daily_usd_exceeded: 95 },
    });
    const { keys } = openLedger({ clients: database, clock: () => NOON_MS });
    expect(await keys.read(account.keys[0].keyId)).toMatchObject({ dayLeft: 500n });
    expect((await ledgerOf(database.client, account)).wallet.holds).toHaveLength(25);
  }, 30_000);

  it('leaves an exact ledger and no hold if calls settle concurrently', async () => {
    const account = await openAccount(database.client, 50_000n, { rpm: 1000, daily_usd: 1_000_000n });
    const { granted, rejections } = await race(200, account.keys[0], { amount: 1000, cost: 900 });
    expect(Object.keys(rejections)).toEqual(granted === 200 ? [] : ['insufficient_credit']);
    const { wallet, records, audit } = await ledgerOf(database.client, account);
    expect(records).toHaveLength(granted);
    expect(wallet.holds).toEqual([]);
    expect(audit).toMatchObject({ exact: true, usage: BigInt(granted) * 900n });
    const { keys } = openLedger({ clients: database, clock: () => NOON_MS });
    expect(await keys.read(account.keys[0].keyId)).toMatchObject({
      dayLeft: 1_000_000n - BigInt(granted) * 900n,
    });
  }, 30_000);

  it(
    `pays no more for a call than its hold, whatever its calls cost, for ${SEEDS} seeds`,
    async () => {
      const dollars = (maxDollars: number) => fc.integer({ min: 1, max: maxDollars });
      const hostile = fc.record({
        balance: dollars(100_000_000),
        amount: dollars(5_000_000),
        times: fc.integer({ min: 1, max: 12 }),
        waves: fc.integer({ min: 1, max: 2 }),
        split: fc.boolean(),
      });
      let seeds = 0;
      await fc.assert(
        fc.asyncProperty(hostile, async ({ balance, amount, times, waves, split }) => {
          const account = await openAccount(database.client, BigInt(balance), { rpm: 100_000 });
          if (split)
            await splitWallet(database, account.accountId, [BigInt(balance) / 3n, BigInt(balance) / 4n]);
          // The worst that a caller can do: every call costs all that it can.
          for (let wave = 0; wave < waves; wave += 1)
            await race(HOSTILE_CALLS, account.keys[0], {
              amount,
              cost: amount * times,
            });
          const { wallet, audit, records } = await ledgerOf(database.client, account);
          const costs = records.map(({ cost }) => cost);
          expect(audit).toMatchObject({ exact: true, held: 0n });
          expect(costs).toEqual(costs.map(() => BigInt(amount)));
          expect(wallet.balance).toBe(BigInt(balance - amount * records.length));
          expect(wallet.balance).toBeGreaterThanOrEqual(0n);
          seeds += 1;
        }),
        // The first calls cost more than they hold, whatever the others do.
        {
          numRuns: SEEDS,
          examples: [[{ balance: 50_000_000, amount: 5_000_000, times: 12, waves: 1, split: false }]],
        },
      );
      expect(seeds).toBe(SEEDS);
    },
    rounds(120_000),
  );

  it('leaves the ledger of the whole database exact', async () => {
    expect((await auditAll(database.client)).exact).toBe(true);
  });
});
