import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeTime } from 'ulid';
import { parseCatalog } from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import { type CreditHistory, statementBody } from '../../../lambdas/ledger/core/usage/statement.ts';
import { DynamoCreditStore } from '../../../lambdas/ledger/store/credit-store.ts';
import { createCreditHistory } from '../../../lambdas/ledger/store/usage/credit-history.ts';
import {
  auditAll,
  NOON_MS,
  openAccount,
  openLedger,
} from '../../../lambdas/ledger/testing/running-ledger.ts';
import { byPrices, pricesById } from '../../../operator/catalog/recompute.ts';
import { startDatabase, type TestDatabase } from '../../test-kit/engine.ts';
import { costOfCalls, type PastCall, pastCalls, pastKeyId, settlePast } from './history.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

it('the seeded history covers past days, costs the total of its line items, and differs only in its ids from start to start', () => {
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

it('the seeded history has the amounts of the simulated catalog, whose version its records name', () => {
  const catalog = readFileSync(join(import.meta.dirname, 'catalog.json'), 'utf8');
  const url = 'http://127.0.0.1:1';
  const prices = pricesById(
    parseCatalog(JSON.parse(catalog.replaceAll('{UPSTREAM_URL}', url).replaceAll('{AWS_URL}', url))),
  );
  for (const call of pastCalls(NOON_MS, 30)) {
    const price = prices.get(call.model ?? '');
    if (price === undefined) throw new Error(`the catalog has no model ${call.model}`);
    expect(byPrices(price, { ...call, accountId: 'acc_1', keyId: 'key_1' })).toBe(call.cost);
  }
});

/** Settles the calls for a new account, which is granted 7 nano-USD after them. */
async function settled(calls: readonly PastCall[], nowMs: number) {
  const { accountId, keys } = await openAccount(database.client, 0n, {});
  const [{ keyId }] = keys;
  const { wallets, usage } = openLedger({ clients: database, clock: () => nowMs });
  const credits = new DynamoCreditStore(database.client, database.tables);
  await settlePast({ wallets, usage, credits }, { accountId, keyId }, calls);
  await credits.topUp({ accountId, id: 'today', amount: 7n, created: nowMs / 1000, source: 'grant' });
  return { wallet: await wallets.read(accountId), history: await readHistory(accountId) };
}

const readHistory = (accountId: string) =>
  createCreditHistory({ clients: database, environment: database.environment })(accountId);

/** The statement of today and of so many days before, in USD, as its reader gets it. */
function statementOf(history: CreditHistory, nowMs: number, days: number): Record<string, number> {
  const today = Math.floor(nowMs / DAY_MS);
  return JSON.parse(JSON.stringify(statementBody(history, { start: today - days, end: today + 1 })));
}

it('the seeded history leaves a balanced ledger, no hold, and the credit that is granted after it', async () => {
  const calls = pastCalls(NOON_MS, 30);
  const { wallet, history } = await settled(calls, NOON_MS);
  expect([wallet?.balance, wallet?.holds.length]).toEqual([7n, 0]);
  expect(await auditAll(database.client)).toMatchObject({ exact: true, usage: costOfCalls(calls) });
  const statements = Array.from({ length: 40 }, (_, days) => statementOf(history, NOON_MS, days));
  const openings = statements.map(({ opening = -1 }) => opening);
  expect(openings.filter((opening) => opening < 0)).toEqual([]);
  expect(new Set(openings).size).toBeGreaterThan(25);
  expect(statements.at(-1)).toMatchObject({ opening: 0, closing: 7e-9 });
});

it('the seeded history begins in a month before its last day, so that the last statement contains only the rest of the credit', async () => {
  const lastMs = Date.UTC(2026, 6, 31, 23, 59);
  const { history } = await settled(pastCalls(lastMs, 30).slice(0, 3), lastMs);
  expect(statementOf(history, lastMs, 30)).toMatchObject({ grants: 7e-9 });
});
