import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { number, text } from '../../../lambdas/adapters/dynamodb/attribute-values.ts';
import {
  auditAll,
  callOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
} from '../../core/ledger/running-ledger.ts';
import { startDatabase, type TestDatabase } from '../engine.ts';

const ACCOUNTS = 30;

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

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
      balances: 0n,
      held: 0n,
      usage: 30_000n,
      writtenOff: 2_100n,
    });
  }, 20_000);

  it('the audit finds a nano-dollar too much or too little, and does not let two errors cancel out', async () => {
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

it('the audit of accounts in flight is exact or says that they are unproven, never false', async () => {
  const { ledger } = openLedger({ clients: database, clock: () => NOON_MS });
  const account = await openAccount(database.client, 1_000_000n, { rpm: 10_000 });
  let running = true;
  const traffic = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (running) await (await ledger.admit(callOf(account.keys[0], 10n))).settle(outcomeOf(13n));
    }),
  );
  const audits = [await auditAll(database.client), await auditAll(database.client)];
  running = false;
  await traffic;
  for (const { exact, unproven, drift } of audits)
    expect({ exact: exact || unproven > 0, drift }).toEqual({ exact: true, drift: 0n });
  expect(await auditAll(database.client)).toMatchObject({ exact: true, drift: 0n, unproven: 0 });
});
