import { DeleteItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { ulid } from 'ulid';
import type { VerifiedKey } from '../../access/core/api-key.ts';
import { number, text } from '../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { auditAccount } from '../core/audit/account.ts';
import {
  auditAll,
  callOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
} from '../testing/running-ledger.ts';
import { createAuditStore } from './audit-reader.ts';
import { ROLLUP_PREFIX } from './usage/rollup-store.ts';

const ACCOUNTS = 30;

const database = fileDatabase();

async function moveBalance(accountId: string, by: number): Promise<void> {
  await database.client.send(
    new UpdateItemCommand({
      TableName: database.tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET balance = balance + :by',
      ExpressionAttributeValues: { ':by': number(by) },
    }),
  );
}

describe(`over ${ACCOUNTS} accounts, which are several pages`, () => {
  const accounts: string[] = [];

  it('the audit counts every account’s top-ups, balance, holds and usage once', async () => {
    const { ledger } = openLedger({ clients: database, clock: () => NOON_MS });
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const { accountId, keys } = await openAccount(database.client, 1_000n, {}, {});
      accounts.push(accountId);
      const [first, second = first] = keys;
      await (await ledger.admit(callOf(first, 100n))).settle(outcomeOf(70n));
      await (await ledger.admit(callOf(second, 900n))).settle(outcomeOf(1_000n));
      if (index % 2 === 0) await ledger.admit(callOf(first, 0n));
    }
    expect(await auditAll(database.client)).toMatchObject({
      exact: true,
      drift: 0n,
      unproven: 0,
      topUps: 30_000n,
      // Each has paid 70 of one hold, and of the call that came to more than its hold no more than that.
      balances: 900n,
      held: 0n,
      usage: 29_100n,
    });
  }, 20_000);

  it('detects a nano-dollar too much or too little, and does not let two errors cancel out', async () => {
    const [first = '', second = ''] = [accounts.at(3), accounts.at(-1)];
    await moveBalance(first, 1);
    expect(await auditAll(database.client)).toMatchObject({ exact: false, drift: 1n });
    await moveBalance(second, -1);
    expect(await auditAll(database.client)).toMatchObject({ exact: false, drift: 2n });
    await moveBalance(first, -1);
    await moveBalance(second, 1);
    expect(await auditAll(database.client)).toMatchObject({ exact: true, drift: 0n });
  });

  it('one sweep ends every expired hold', async () => {
    const late = openLedger({ clients: database, clock: () => NOON_MS + (HOLD_TTL_SECONDS + 1) * 1000 });
    expect(await sweep(late, database.client)).toEqual({ settled: 0, released: ACCOUNTS / 2 });
    expect(await sweep(late, database.client)).toEqual({ settled: 0, released: 0 });
  });
});

describe('an account with calls at every moment', () => {
  /** Calls on and on, with ids of the ledger's own time, while `work` runs. */
  async function underLoad<T>(key: VerifiedKey, clock: () => number, work: () => Promise<T>): Promise<T> {
    const { ledger } = openLedger({ clients: database, clock });
    let running = true;
    const traffic = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (running) await (await ledger.admit(callAt(key, clock()))).settle(outcomeOf(13n));
      }),
    );
    try {
      return await work();
    } finally {
      running = false;
      await traffic;
    }
  }

  const callAt = (key: VerifiedKey, nowMs: number) => callOf(key, 20n, { requestId: `req_${ulid(nowMs)}` });

  const changeRecord = async (keyId: string, by: number): Promise<void> => {
    const { Items: items = [] } = await database.client.send(
      new QueryCommand({
        TableName: database.tables.usage,
        KeyConditionExpression: 'key_id = :key',
        ExpressionAttributeValues: { ':key': text(keyId) },
        Limit: 1,
      }),
    );
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.usage,
        Key: { key_id: text(keyId), request_id: items[0]?.request_id ?? text('') },
        UpdateExpression: 'SET cost = cost + :by',
        ExpressionAttributeValues: { ':by': number(by) },
      }),
    );
  };

  async function deleteRollups(accountId: string): Promise<void> {
    const response = await database.client.send(
      new QueryCommand({
        TableName: database.tables.accounts,
        KeyConditionExpression: 'account_id = :account AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ':prefix': text(ROLLUP_PREFIX) },
      }),
    );
    for (const { account_id, item } of response.Items ?? [])
      await database.client.send(
        new DeleteItemCommand({
          TableName: database.tables.accounts,
          Key: { account_id: account_id ?? text(''), item: item ?? text('') },
        }),
      );
  }

  it('remains verifiable, and the audit detects a nano-dollar the same night', async () => {
    const { accountId, keys } = await openAccount(database.client, 1_000_000n, { rpm: 1_000_000 });
    let nowMs = NOON_MS;
    const clock = () => nowMs;
    const { ledger } = openLedger({ clients: database, clock });
    for (let call = 0; call < 30; call += 1)
      await (await ledger.admit(callAt(keys[0], nowMs))).settle(outcomeOf(13n));
    // The night after, at three.
    nowMs = NOON_MS + 15 * 3_600_000;
    const store = createAuditStore(database.client, database.tables);
    const audit = async () => (await auditAccount(store, accountId, { clock })).totals;
    await underLoad(keys[0], clock, async () => {
      await changeRecord(keys[0].keyId, 1);
      expect(await audit()).toMatchObject({ exact: false, drift: 1n });
      await changeRecord(keys[0].keyId, -1);
      // It was rolled up as it was, so that the rollups are wrong now, until they are made again.
      expect(await audit()).toMatchObject({ exact: false, drift: 1n });
      await deleteRollups(accountId);
      expect(await audit()).toMatchObject({ exact: true, drift: 0n });
      await moveBalance(accountId, -1);
      expect(await audit()).toMatchObject({ exact: false, drift: 1n });
      await moveBalance(accountId, 1);
      expect(await audit()).toMatchObject({ exact: true, drift: 0n, unproven: 0 });
      expect(await store.readProvenUsage(accountId)).toMatchObject({ cost: 390n });
      expect(await audit()).toMatchObject({ exact: true, drift: 0n, unproven: 0 });
    });
    expect(await audit()).toMatchObject({ exact: true, drift: 0n, unproven: 0, topUps: 1_000_000n });
  }, 60_000);
});
