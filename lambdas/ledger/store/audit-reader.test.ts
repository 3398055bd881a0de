import assert from 'node:assert/strict';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeTime } from 'ulid';
import { type Item, map, number, text } from '../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { auditAccount } from '../core/audit/account.ts';
import { NO_EARNINGS } from '../core/audit/no-earnings.ts';
import { type AuditStore, NO_PROVEN_USAGE } from '../core/audit/ports.ts';
import { createAccountPages, createAuditStore } from './audit-reader.ts';

const DAY = 20_000;
const DAY_SECONDS = 86_400;
/** The night after the day. */
const NIGHT_MS = ((DAY + 1) * DAY_SECONDS + 3 * 3600) * 1000;

const database = fileDatabase();
let store: AuditStore;

beforeAll(async () => {
  store = createAuditStore(database.client, database.tables, NO_EARNINGS);
});

const put = (table: 'accounts' | 'wallets' | 'keys' | 'usage', item: Item) =>
  database.client.send(new PutItemCommand({ TableName: database.tables[table], Item: item }));

const idOf = (seconds: number, at: number): string =>
  `req_${encodeTime(seconds * 1000, 10)}${String(at).padStart(16, '0')}`;

const putRecord = (keyId: string, seconds: number, at: number, cost = 10) =>
  put('usage', {
    key_id: text(keyId),
    request_id: text(idOf(seconds - 5, at)),
    created: number(seconds),
    cost: number(cost),
    kind: text('chat'),
    status: text('completed'),
    ...Object.fromEntries(['input_units', 'cached_units', 'output_units'].map((name) => [name, number(1)])),
  });

const putShard = (id: string, fields: Record<string, number>, rest: Item = {}) =>
  put('wallets', {
    wallet_id: text(id),
    holds: map({}),
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, number(value)])),
    ...rest,
  });

/** 1,000 in, of which 40 were spent on the day and 20 on the next one, in 130 shards of which three exist. */
async function openAccount(accountId: string): Promise<void> {
  const today = (DAY + 1) * DAY_SECONDS;
  await put('accounts', { account_id: text(accountId), item: text('top_up#1'), amount: number(1000) });
  await put('accounts', { account_id: text(accountId), item: text('account') });
  for (const key of ['key_1', 'key_2'])
    await put('keys', { key_id: text(`${accountId}_${key}`), account_id: text(accountId) });
  for (let at = 0; at < 4; at += 1)
    await putRecord(`${accountId}_key_${1 + (at % 2)}`, DAY * DAY_SECONDS + 100 * at, at);
  for (let at = 4; at < 6; at += 1) await putRecord(`${accountId}_key_2`, today + at, at);
  await putShard(
    accountId,
    { balance: 300, shards: 130, received: 347, spent: 40, [`spent_${DAY}`]: 40, entries: 3 },
    { holds: map({ [idOf(today + 100, 9)]: text('k|chat|7|2000000000|') }) },
  );
  await putShard(`${accountId}#64`, {
    balance: 600,
    received: 620,
    spent: 20,
    [`spent_${DAY + 1}`]: 20,
    entries: 1,
  });
  await putShard(`${accountId}#129`, { balance: 33, received: 33, spent: 0, entries: 1 });
}

const audit = (accountId: string, isFull = false) =>
  auditAccount(store, accountId, { clock: () => NIGHT_MS, includesRecords: isFull });

const itemOf = async (table: 'accounts' | 'wallets', key: Item): Promise<Item | undefined> =>
  (await database.client.send(new GetItemCommand({ TableName: database.tables[table], Key: key }))).Item;

describe('the audit’s items', () => {
  it('match the writes of the ledger; the audit stores verified usage and removes its costs by day', async () => {
    await openAccount('acc_a');
    expect(await audit('acc_a')).toEqual({
      verdict: 'exact',
      totals: {
        topUps: 1000n,
        refunds: 0n,
        purchases: 0n,
        salesOverdue: 0,
        inTransit: 0n,
        paidOut: 0n,
        purchaseRefunds: 0n,
        transfers: 0n,
        pending: 0n,
        available: 0n,
        fees: 0n,
        balances: 933n,
        held: 7n,
        usage: 60n,
        owed: 0n,
        drift: 0n,
        exact: true,
        unproven: 0,
      },
    });
    expect(await itemOf('accounts', { account_id: text('acc_a'), item: text('audit#usage') })).toEqual({
      account_id: text('acc_a'),
      item: text('audit#usage'),
      through: number(DAY),
      usage: number(40),
      version: number(1),
    });
    expect(await itemOf('wallets', { wallet_id: text('acc_a') })).not.toHaveProperty(`spent_${DAY}`);
    expect(await itemOf('wallets', { wallet_id: text('acc_a#64') })).toHaveProperty(`spent_${DAY + 1}`);
    expect(await audit('acc_a')).toMatchObject({ verdict: 'exact', totals: { usage: 60n } });
    expect(await audit('acc_a', true)).toMatchObject({ verdict: 'exact', totals: { usage: 60n } });
  });

  it('identify the wrong part, the rollups or the records, if every record of verified days is read again', async () => {
    await openAccount('acc_b');
    expect(await audit('acc_b')).toMatchObject({ verdict: 'exact' });
    await putRecord('acc_b_key_1', DAY * DAY_SECONDS, 0, 11);
    expect(await audit('acc_b')).toMatchObject({ verdict: 'exact' });
    expect(await audit('acc_b', true)).toMatchObject({
      verdict: 'drift',
      totals: { drift: 1n },
      failed: ['records', 'acc_b_key_1 on 2024-10-04'],
    });
    await putRecord('acc_b_key_1', DAY * DAY_SECONDS, 0);
    const { days, storeDay } = store.rollups.store;
    const [{ rows: [row, ...rows] = [], ...first } = assert.fail()] = await days('acc_b', DAY, DAY);
    assert(row);
    // Only a further hour is stored over another.
    await storeDay('acc_b', {
      ...first,
      through: first.through + 1,
      rows: [{ ...row, cost: row.cost - 1n }, ...rows],
    });
    expect(await audit('acc_b', true)).toMatchObject({
      verdict: 'drift',
      totals: { drift: 1n },
      failed: ['rollups', 'acc_b_key_1 on 2024-10-04'],
    });
  });

  it('do not recreate a shard that is gone', async () => {
    await store.removeDays([{ shard: 'acc_gone', day: DAY }]);
    expect(await itemOf('wallets', { wallet_id: text('acc_gone') })).toBeUndefined();
  });
});

describe('the verified usage of an account', () => {
  it('changes once for two writes of the same version', async () => {
    const first = { ...NO_PROVEN_USAGE, through: DAY, cost: 5n };
    expect(await store.storeProvenUsage('acc_c', first)).toBe(true);
    expect(await store.storeProvenUsage('acc_c', first)).toBe(false);
    const records = await store.readProvenUsage('acc_c');
    expect(records).toEqual({ ...first, version: 1 });
    const second = { ...records, through: DAY + 1, cost: 9n };
    expect(await store.storeProvenUsage('acc_c', second)).toBe(true);
    expect(await store.storeProvenUsage('acc_c', second)).toBe(false);
    expect(await store.readProvenUsage('acc_c')).toEqual({ ...second, version: 2 });
  });
});

describe('usage records', () => {
  it('appear in the order of key and id, and their total cost is read by name for more than a batch of them', async () => {
    await openAccount('acc_d');
    const records: { keyId: string; id: string; cost: bigint }[] = [];
    for await (const call of store.usage('acc_d')) records.push(call);
    const names = records.map(({ keyId, id }) => `${keyId} ${id}`);
    expect(names).toHaveLength(6);
    expect(names).toEqual(names.toSorted());
    const unknown = Array.from({ length: 120 }, (_, at) => ({ keyId: 'acc_d_key_1', id: `req_${at}` }));
    expect(await store.recordedCost([...unknown, ...records])).toBe(60n);
    expect(await store.recordedCost([])).toBe(0n);
  });
});

describe('the pages of accounts', () => {
  it('contain each account once, in one of the segments, and continue after any of them', async () => {
    for (let at = 0; at < 30; at += 1) await putShard(`acc_page${at}`, { balance: 0, received: 0 });
    const pages = createAccountPages(database.client, database.tables.wallets);
    const records: string[] = [];
    for (let segment = 0; segment < 4; segment += 1) {
      const { accounts, next } = await pages({ segment, segments: 4 });
      expect(next).toBeUndefined();
      for (const [at, after] of accounts.entries())
        expect((await pages({ segment, segments: 4, after })).accounts).toEqual(accounts.slice(at + 1));
      records.push(...accounts);
    }
    expect(records.filter((id) => id.startsWith('acc_page'))).toHaveLength(30);
    expect(new Set(records).size).toBe(records.length);
    expect(records.filter((id) => id.includes('#'))).toEqual([]);
  });
});
