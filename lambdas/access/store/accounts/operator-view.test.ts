import { describe, expect, it } from '@jest/globals';
import { createOperatorAccounts } from '../../../../operator/customers/operator-accounts.ts';
import { catalogView } from '../../../inference/core/catalog/catalog-view.ts';
import { readLatestCatalogs, writeCatalog } from '../../../inference/store/catalog-history.ts';
import { accountSummaryEntry, accountsQuery } from '../../../ledger/core/account-summaries.ts';
import { auditView } from '../../../ledger/core/audit/conclusion.ts';
import { auditBooks } from '../../../ledger/core/audit/steps.ts';
import { createAccountSummaries } from '../../../ledger/store/account-summaries.ts';
import { readConclusion, writeConclusion } from '../../../ledger/store/audit-conclusion.ts';
import {
  callOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  SILENT,
} from '../../../ledger/testing/running-ledger.ts';
import { splitWallet } from '../../../ledger/testing/split-wallet.ts';
import { pageBody } from '../../../platform/core/api/paging.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { Accounts } from '../../core/accounts/accounts.ts';
import { readAccount } from './account-item.ts';
import { DynamoAccountStore } from './account-store.ts';

const database = fileDatabase();
const USD = 1_000_000_000n;

/** A body as its receiver reads it. */
const asSent = <T>(body: T): T => JSON.parse(JSON.stringify(body)) as T;

async function pageOf(query: string) {
  const { limit, cursor } = accountsQuery.parse(Object.fromEntries(new URLSearchParams(query)));
  return asSent(
    pageBody(await createAccountSummaries(database)({ limit, after: cursor }), accountSummaryEntry),
  );
}

/** Every account by pages of that size, and the sizes of the pages. */
async function allBy(limit: number) {
  const summaries: ReturnType<typeof accountSummaryEntry>[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(
      `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    summaries.push(...page.data);
    sizes.push(page.data.length);
    cursor = page.next_cursor;
  }
  return { found: summaries, sizes };
}

describe('the operator’s list of accounts', () => {
  it('lists each account once, with the totals of all shards of its wallet', async () => {
    const accounts = new Accounts({
      store: new DynamoAccountStore(database.client, database.tables),
      clock: () => NOON_MS,
      ulid: systemUlid,
    });
    const account = await accounts.open('someone@example.com');
    const opened = await Promise.all(
      Array.from({ length: 9 }, () => openAccount(database.client, 100n * USD, {})),
    );
    const [split, calling] = opened;
    if (split === undefined || calling === undefined) throw new Error('no accounts');
    await splitWallet(
      database,
      split.accountId,
      Array.from({ length: 12 }, () => 3n * USD),
    );
    const { ledger } = openLedger({ clients: database, clock: () => NOON_MS });
    const ended = await ledger.admit(callOf(calling.keys[0], 5n * USD));
    await ended.settle(outcomeOf(3n * USD));
    await ledger.admit(callOf(calling.keys[0], 2n * USD));
    for (const limit of [1, 3, 100]) {
      const { found, sizes } = await allBy(limit);
      expect(found.map(({ id }) => id).sort()).toEqual(
        [account, ...opened.map(({ accountId }) => accountId)].sort(),
      );
      expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
      const of = (id: string) => found.find((each) => each.id === id);
      expect(of(account)).toMatchObject({
        email: 'someone@example.com',
        created: NOON_MS / 1000,
        balance: 0,
      });
      expect(of(split.accountId)).toMatchObject({ balance: 100, held: 0, owed: 0, spent: 0, email: null });
      expect(of(calling.accountId)).toMatchObject({ balance: 95, held: 2, spent: 3 });
    }
  });

  it.each(['cursor=YWNj', 'limit=0', 'limit=101', 'cursor='])('rejects %s', async (query) => {
    await expect(pageOf(query)).rejects.toThrow('must be');
  });
});

describe('the operator flag', () => {
  const operatorMarks = () =>
    createOperatorAccounts(database.client, database.tables.accounts, () => NOON_MS);

  it('applies only to existing accounts, retains its first time and appears in the list until it is removed', async () => {
    const id = `acc_${systemUlid()}`;
    await expect(operatorMarks().add(id)).rejects.toThrow(`there is no account ${id}`);
    await expect(operatorMarks().remove(id)).rejects.toThrow(`there is no account ${id}`);
    expect(await readAccount(database.client, database.tables.accounts, id)).toBeUndefined();
    const accounts = new DynamoAccountStore(database.client, database.tables);
    await accounts.open({ id, created: 7, email: 'a@example.com' });
    await operatorMarks().add(id);
    await createOperatorAccounts(database.client, database.tables.accounts, () => NOON_MS + 9_000).add(id);
    expect(await operatorMarks().list()).toEqual([
      { id, created: 7, email: 'a@example.com', operatorSince: NOON_MS / 1000 },
    ]);
    for (let removals = 0; removals < 2; removals += 1) await operatorMarks().remove(id);
    expect(await operatorMarks().list()).toEqual([]);
  });
});

describe('the operator’s view of the catalog', () => {
  const catalogOf = (input: number) => ({
    models: [
      {
        id: 'one',
        type: 'chat',
        owned_by: 'someone',
        created: 1,
        price: { unit: 'per_million_tokens', input, output: 2 },
        routes: [{ id: 'r', protocol: 'openai', base_url: 'https://x.example/v1', upstream_model: 'm' }],
      },
    ],
  });
  const apply = (input: number, nowMs: number) =>
    writeCatalog(database.client, database.tables.catalog, JSON.stringify(catalogOf(input)), {
      clock: () => nowMs,
    });
  const view = async () => {
    const { current, before } = await readLatestCatalogs(database.client, database.tables.catalog);
    return current === undefined ? undefined : asSent(catalogView(current, before));
  };

  it('compares the current version with the previous one, also after a return to an earlier version', async () => {
    expect(await view()).toBeUndefined();
    const first = await apply(1, 1_000);
    expect(await view()).toMatchObject({ version: first, applied: 1, models: 1, diff: null });
    const second = await apply(3, 2_000);
    const changed = (old: number, now: number) => [
      { model: 'one', rates: expect.arrayContaining([{ rate: 'input', old, new: now, large: true }]) },
    ];
    expect(await view()).toMatchObject({
      version: second,
      applied: 2,
      diff: { previous_version: first, changed: changed(1, 3) },
    });
    await apply(1, 3_000);
    expect(await view()).toMatchObject({
      version: first,
      applied: 3,
      diff: { previous_version: second, changed: changed(3, 1) },
    });
  });
});

describe('the operator’s view of the audit', () => {
  const view = async () => asSent(auditView(await readConclusion(database.client, database.tables.accounts)));

  it('shows the conclusion that the last step of the audit has stored', async () => {
    expect(await view()).toEqual({ object: 'audit', last: null });
    const order: string[] = [];
    const conclude = auditBooks({
      pages: async () => ({ accounts: [], next: undefined }),
      store: {} as never,
      clock: () => NOON_MS,
      log: SILENT,
      onStep: () => {},
      storeConclusion: async (conclusion) => {
        order.push('kept');
        await writeConclusion(database.client, database.tables.accounts, conclusion);
      },
      onAudited: () => order.push('reported'),
    });
    const segment = { segment: 0, segments: 1 };
    await conclude({ results: [{ ...segment, accounts: 5, done: true }] });
    expect(await view()).toEqual({
      object: 'audit',
      last: { ended: NOON_MS / 1000, accounts: 5, unproven: 0, drift: 0, complete: true, exact: true },
    });
    await conclude({ results: [{ ...segment, accounts: 4, done: false }] });
    expect(await view()).toMatchObject({ last: { accounts: 4, complete: false, exact: false } });
    expect(order).toEqual(['kept', 'reported', 'kept', 'reported']);
  });
});
