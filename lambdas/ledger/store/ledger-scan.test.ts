import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { number, text } from '../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
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

describe(`a scan of ${ACCOUNTS} accounts on several pages`, () => {
  const accounts: string[] = [];

  it('counts every account’s top-ups, balance, holds and usage once', async () => {
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
  });

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

  it('ends every expired hold in one sweep', async () => {
    const late = openLedger({ clients: database, clock: () => NOON_MS + (HOLD_TTL_SECONDS + 1) * 1000 });
    expect(await sweep(late, database.client)).toEqual({ settled: 0, released: ACCOUNTS / 2 });
    expect(await sweep(late, database.client)).toEqual({ settled: 0, released: 0 });
  });
});
