import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../../tools/test-kit/engine.ts';
import { windowsAt } from '../../../access/core/keys/windows.ts';
import { encodeNewKey } from '../../../access/store/keys/key-item.ts';
import { createKeyStore } from '../../../access/store/keys/key-store.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { putItem } from '../../../platform/dynamodb/update-item.ts';
import { NO_EARNINGS } from '../../core/audit/no-earnings.ts';
import { accountCall, listAccountCalls } from '../../core/usage/account-calls.ts';
import { readRollups } from '../../core/usage/account-rollups.ts';
import { ReadingBudget } from '../../core/usage/key-reading.ts';
import { ofOneKey, spendByKey } from '../../core/usage/key-spend.ts';
import { NO_PROGRESS } from '../../core/usage/ports.ts';
import { closedHour } from '../../core/usage/rollups.ts';
import type { UsageRecord } from '../../core/usage-record.ts';
import { ACCOUNT, FIRST_MS, HOUR_MS, keyIdAt, recordOf } from '../../testing/usage/simulated-usage.ts';
import { createAudit } from '../create-audit.ts';
import { ENTRY_RANGE } from '../ledger-entry.ts';
import { createUsageStore } from '../usage-store.ts';
import { createAccountCalls, createRollups } from './create-account-usage.ts';
import { createKeySpend } from './key-spend.ts';
import { ROLLUP_PREFIX } from './rollup-store.ts';

const HOURS = 50;
const KEYS = 5;
const LATER_MS = FIRST_MS + 10 * 24 * HOUR_MS;
const DAY = FIRST_MS / HOUR_MS / 24;

const RECORDS: readonly UsageRecord[] = Array.from({ length: 4 * HOURS }, (_, index) => {
  const record = recordOf(
    {
      key: index % KEYS,
      startMs: (index * HOUR_MS) / 4,
      tookMs: 1_000,
      model: index % 7 === 0 ? null : 'sim/a',
      kind: index % 2 === 0 ? 'chat' : 'audio',
      status: 'completed',
      cost: 9_007_199_254_740_993n,
      units: 12.25,
    },
    index,
  );
  return index % KEYS === 0 ? { ...record, accountId: 'acc_2', keyId: keyIdAt(FIRST_MS, 99) } : record;
});
const OWN = RECORDS.filter(({ accountId }) => accountId === ACCOUNT);

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
  const { client, tables } = database;
  const usage = createUsageStore(client, tables.usage);
  for (const record of RECORDS) await usage.put(record);
  const owners = new Map(RECORDS.map(({ keyId, accountId }) => [keyId, accountId]));
  for (const [keyId, accountId] of owners)
    await putItem(client, {
      TableName: tables.keys,
      Item: { key_id: text(keyId), account_id: text(accountId) },
    });
  // One key is live, and is not in the index yet; the others are revoked.
  const live = [...owners].find(([, accountId]) => accountId === ACCOUNT)?.[0] ?? '';
  await putItem(client, {
    TableName: tables.accounts,
    Item: { account_id: text(ACCOUNT), item: text('account'), live_keys: { SS: [live] } },
  });
});
afterAll(() => database.stop());

const options = () => ({ clients: database, environment: database.environment });
const laterReading = (budget = new ReadingBudget(64)) => ({
  ...createRollups(options()),
  nowMs: LATER_MS,
  budget,
});

describe('the keys of an account', () => {
  it('include current and former ones, the live ones first, and none of another account', async () => {
    const { keys } = createAccountCalls(options());
    const keyIds = [...new Set(OWN.map(({ keyId }) => keyId))].toSorted();
    expect(await keys.since(ACCOUNT, '', 9)).toEqual({ live: [keyIds[0]], later: keyIds });
    expect(await keys.since(ACCOUNT, keyIds[2] ?? '', 1)).toEqual({ live: [keyIds[0]], later: [keyIds[3]] });
    expect(await keys.some(ACCOUNT, 3)).toEqual([keyIds[0], keyIds.at(-1), keyIds.at(-2)]);
    expect(await keys.has(ACCOUNT, keyIds[2] ?? '')).toBe(true);
    expect(await keys.has('acc_2', keyIds[2] ?? '')).toBe(false);
    expect(await keys.since('acc_none', '', 9)).toEqual({ live: [], later: [] });
  });
});

describe('the calls of an account', () => {
  it('appear in the list and under their ids, and those of another account return not_found', async () => {
    const calls = createAccountCalls(options());
    const records: UsageRecord[] = [];
    for (let cursor: string | undefined; ; ) {
      const { entries, next } = await listAccountCalls(calls, ACCOUNT, { limit: 30, cursor });
      records.push(...entries);
      if (next === undefined) break;
      cursor = next;
    }
    expect(records).toEqual(OWN.toReversed());
    for (const record of RECORDS) {
      const reading = accountCall(calls, ACCOUNT, record.id);
      if (record.accountId === ACCOUNT) expect(await reading).toEqual(record);
      else await expect(reading).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

const total = (
  rows: readonly { readonly calls: number; readonly cost: bigint; readonly inputUnits: number }[],
) => ({
  calls: rows.reduce((sum, { calls }) => sum + calls, 0),
  cost: rows.reduce((sum, { cost }) => sum + cost, 0n),
  units: rows.reduce((sum, { inputUnits }) => sum + inputUnits, 0),
});
const TOTAL = total(OWN.map((record) => ({ ...record, calls: 1 })));

describe('the stored usage rollups of an account', () => {
  it('equal those of its records, read once, whichever reading stores them first', async () => {
    const span = { start: DAY * 24, end: (DAY + 4) * 24 };
    const readings = Array.from({ length: 4 }, () => laterReading());
    const racing = await Promise.all(readings.map((reading) => readRollups(reading, ACCOUNT, span)));
    for (const { rows, complete } of racing) expect([complete, total(rows)]).toEqual([true, TOTAL]);
    const budget = new ReadingBudget(0);
    const stored = await readRollups(laterReading(budget), ACCOUNT, span);
    expect([stored.complete, budget.read, total(stored.rows)]).toEqual([true, 0, TOTAL]);
    const rest = new ReadingBudget(64);
    const end = (DAY + 9) * 24;
    // A second audit of a night finds nothing to do.
    for (let audit = 0; audit < 2; audit += 1) {
      expect(await readRollups(laterReading(rest), ACCOUNT, { start: end, end })).toEqual({
        rows: [],
        complete: true,
      });
    }
    expect(rest.read).toBe(0);
    const names = stored.rows.map((row) => [row.hour, row.keyId, row.model, row.kind].join(' '));
    expect(new Set(names).size).toBe(names.length);
  });

  it('contain no calls of another account', async () => {
    const span = { start: DAY * 24, end: (DAY + 4) * 24 };
    const reading = laterReading();
    expect((await readRollups(reading, 'acc_none', span)).rows).toEqual([]);
    expect(
      (await readRollups(reading, 'acc_2', span)).rows.every(({ keyId }) => keyId === keyIdAt(FIRST_MS, 99)),
    ).toBe(true);
  });

  it('retain the hours that another writer has stored beyond them', async () => {
    const { store } = createRollups(options());
    const row = { hour: DAY * 24, model: 'sim/a', kind: 'chat', status: 'completed' } as const;
    const amounts = { calls: 1, inputUnits: 0.5, cachedUnits: 0, outputUnits: 0, cost: 1n };
    const day = { keyId: 'key_1', day: DAY, through: DAY * 24 + 2, rows: [{ ...row, ...amounts }] };
    await store.storeDay('acc_days', day);
    await store.storeDay('acc_days', { ...day, through: DAY * 24 + 1, rows: [] });
    await store.storeDay('acc_days', { ...day, rows: [] });
    expect(await store.days('acc_days', DAY, DAY)).toEqual([day]);
    expect(await store.days('acc_days', DAY + 1, DAY + 9)).toEqual([]);
    const further = { ...day, through: DAY * 24 + 3, rows: [] };
    await store.storeDay('acc_days', further);
    expect(await store.days('acc_days', DAY - 9, DAY)).toEqual([further]);
  });

  it('take the progress of one of two writers', async () => {
    const { store } = createRollups(options());
    expect(await store.progress('acc_days')).toEqual(NO_PROGRESS);
    const open = new Map([
      ['key_1', { reached: 9, end: undefined }],
      ['key_2', { reached: 7, end: 12 }],
    ]);
    const progress = { endedTo: 'key_3', open, version: 0 };
    expect(await store.storeProgress('acc_days', progress)).toBe(true);
    expect(await store.storeProgress('acc_days', { ...progress, endedTo: 'key_4' })).toBe(false);
    expect(await store.progress('acc_days')).toEqual({ ...progress, version: 1 });
    expect(await store.storeProgress('acc_days', { ...progress, version: 1, endedTo: '' })).toBe(true);
  });

  it('sort after the range of the ledger entries', () => {
    expect(ROLLUP_PREFIX > (ENTRY_RANGE[':last'].S ?? '')).toBe(true);
  });
});

describe('the daily and monthly spend of a key', () => {
  const spentBy = (key: string, records: readonly UsageRecord[]) =>
    records.filter(({ keyId }) => keyId === key).reduce((sum, { cost }) => sum + cost, 0n);

  it('results from stored rollups and later records, and is the same for one key as for all', async () => {
    const ids = [...new Set(OWN.map(({ keyId }) => keyId))].toSorted();
    const [live = ''] = ids;
    const usageRollups = createRollups(options());
    for (const stored of [false, true]) {
      const closed = { start: closedHour(LATER_MS), end: closedHour(LATER_MS) };
      if (stored) await readRollups(laterReading(), ACCOUNT, closed);
      const atMs = FIRST_MS + HOURS * HOUR_MS;
      const all = await spendByKey({ ...usageRollups, nowMs: atMs, budget: new ReadingBudget(64) }, ACCOUNT);
      const one = await createKeySpend(options())({ accountId: ACCOUNT, keyId: live }, atMs);
      const today = OWN.filter(({ created }) => Math.floor(created / 86_400) === windowsAt(atMs).day);
      expect(all?.get(live)).toEqual({ day: spentBy(live, today), month: spentBy(live, OWN) });
      expect(one?.get(live)).toEqual(all?.get(live));
    }
  });

  it('stays undefined if not all of the records can be read', async () => {
    const { calls, store } = createRollups(options());
    const keyId = keyIdAt(FIRST_MS, 77);
    const reading = { ...ofOneKey({ calls, store }, keyId), nowMs: LATER_MS, budget: new ReadingBudget(0) };
    expect(await spendByKey(reading, 'acc_none')).toBeUndefined();
  });

  it('determines the nightly repair of the caps of a key', async () => {
    const [live = ''] = [...new Set(OWN.map(({ keyId }) => keyId))].toSorted();
    const { client, tables } = database;
    const used = Math.floor(FIRST_MS / 1000) + 60;
    const policy = { daily_usd: 10n ** 18n, monthly_usd: 10n ** 18n };
    const key = { keyId: live, accountId: ACCOUNT, secretHash: 'h', name: 'n', created: 1, policy };
    await putItem(client, { TableName: tables.keys, Item: { ...encodeNewKey(key), used: number(used) } });
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const { repairCaps } = createAudit({ ...options(), clock: () => LATER_MS, log, earnings: NO_EARNINGS });
    await repairCaps?.(ACCOUNT, Number.POSITIVE_INFINITY);
    const keys = createKeyStore({ clients: database, table: tables.keys, clock: () => LATER_MS });
    expect(await keys.read(live)).toMatchObject({
      repaired: used,
      dayLeft: 10n ** 18n,
      monthLeft: 10n ** 18n - spentBy(live, OWN),
    });
  });
});
