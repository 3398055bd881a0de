import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeTime } from 'ulid';
import {
  auditAll,
  NOON_MS,
  openAccount,
  openLedger,
} from '../../../lambdas/ledger/testing/running-ledger.ts';
import { startDatabase, type TestDatabase } from '../../test-kit/engine.ts';
import { costOfCalls, pastCalls, pastKeyId, settlePast } from './history.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

it('covers past days, costs the total of its line items, and differs only in its ids from start to start', () => {
  const [calls, again] = [pastCalls(NOON_MS, 30), pastCalls(NOON_MS, 30)];
  const withoutIds = (list: typeof calls) => list.map(({ id, ...call }) => call);
  expect(withoutIds(calls)).toEqual(withoutIds(again));
  expect(calls.length).toBeGreaterThan(150);
  expect(pastCalls(NOON_MS, 0)).toEqual([]);
  // Sums ask no key for hours before it was made.
  expect(decodeTime(pastKeyId(calls).slice(4)) / 1000).toBeLessThan(calls[0]?.created ?? 0);
  for (const { created, cost, lines = [], status } of calls) {
    expect(created).toBeGreaterThanOrEqual(NOON_MS / 1000 - 30 * 86_400);
    expect(created).toBeLessThan(NOON_MS / 1000);
    const product = lines.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * price, 0n);
    expect(cost).toBe(status === 'failed' ? 0n : (product + 999_999n) / 1_000_000n);
  }
});

it('leaves a balanced ledger, no hold, and the credit that was granted in addition to it', async () => {
  const calls = pastCalls(NOON_MS, 3);
  const account = await openAccount(database.client, costOfCalls(calls) + 7n, {});
  const ledger = openLedger({ clients: database, clock: () => NOON_MS });
  const [{ keyId }] = account.keys;
  await settlePast(ledger, { accountId: account.accountId, keyId }, calls);
  const wallet = await ledger.wallets.read(account.accountId);
  expect([wallet?.balance, wallet?.holds.length]).toEqual([7n, 0]);
  expect(await auditAll(database.client)).toMatchObject({ exact: true, usage: costOfCalls(calls) });
});
