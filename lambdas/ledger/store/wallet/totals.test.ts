import { BatchGetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { WalletPostings } from './posting.ts';
import { WalletReads } from './reads.ts';
import { WalletTotals } from './totals.ts';

const database = fileDatabase();
let accountId: string;
let nowMs: number;

beforeEach(async () => {
  nowMs = 1_000_000;
  ({ accountId } = await openAccount(database.client, 1_000n, {}));
});

const process = (client = database.client) => {
  const table = database.tables.wallets;
  return new WalletTotals(client, table, new WalletReads(client, table), () => nowMs);
};
const post = (change: bigint) =>
  new WalletPostings(database.client, database.tables.wallets).post(
    accountId,
    { credit: change, cash: 0n },
    [],
  );
const stored = async () =>
  (await new WalletReads(database.client, database.tables.wallets).read(accountId))?.total;

/** Into more shards than are read for each answer. */
const splitWidely = (shares: readonly bigint[]) =>
  splitWallet(database, accountId, [...shares, ...Array<bigint>(8).fill(0n)]);

/** A sum that another process has left. */
const storeTotal = (balance: number, atMs: number) =>
  database.client.send(
    new UpdateItemCommand({
      TableName: database.tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET #total = :balance, total_at = :at',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':balance': number(balance), ':at': number(atMs) },
    }),
  );

describe('the balance of a wallet', () => {
  it('equals that of its only shard, less the debt, and has no stored copy', async () => {
    expect(await process().read(accountId)).toBe(1_000n);
    await post(-1_200n);
    expect(await process().read(accountId)).toBe(0n);
    expect(await stored()).toBeUndefined();
  });

  it('equals 0 if the wallet does not exist, and no wallet is created', async () => {
    expect(await process().read('acc_of_nobody')).toBe(0n);
    expect(
      await new WalletReads(database.client, database.tables.wallets).read('acc_of_nobody'),
    ).toBeUndefined();
  });

  it('equals the sum of a few shards, and has no stored copy', async () => {
    await splitWallet(database, accountId, [300n, 200n]);
    expect(await process().read(accountId)).toBe(1_000n);
    expect(await stored()).toBeUndefined();
  });

  it('equals the sum of many shards, and its stored copy serves other processes for a second', async () => {
    await splitWidely([300n, 200n]);
    expect(await process().read(accountId)).toBe(1_000n);
    expect(await stored()).toEqual({ balance: 1_000n, atMs: nowMs });
    await post(50n);
    nowMs += 999;
    expect(await process().read(accountId)).toBe(1_000n);
    nowMs += 2;
    expect(await process().read(accountId)).toBe(1_050n);
    expect(await stored()).toEqual({ balance: 1_050n, atMs: nowMs });
  });

  it('refreshes in one process, and in each process that needs it if that one has died', async () => {
    await splitWidely([300n]);
    expect(await process().read(accountId)).toBe(1_000n);
    await post(50n);
    nowMs += 1_001;
    const dying = aroundSend(database.client, (command, send) => {
      if (command instanceof BatchGetItemCommand) throw new Error('the process is dead');
      return send(command);
    });
    await expect(process(dying).read(accountId)).rejects.toThrow('dead');
    nowMs += 798;
    expect(await process().read(accountId)).toBe(1_000n);
    nowMs += 1;
    expect(await process().read(accountId)).toBe(1_050n);
    expect(await stored()).toEqual({ balance: 1_050n, atMs: nowMs });
  });

  it('stays cached in a process for a second, also for a wallet in one shard', async () => {
    const remembering = process();
    expect(await remembering.read(accountId)).toBe(1_000n);
    await post(50n);
    nowMs += 999;
    expect(await remembering.read(accountId)).toBe(1_000n);
    nowMs += 1;
    expect(await remembering.read(accountId)).toBe(1_050n);
  });

  it('retains the newer stored sum if a slow process writes later', async () => {
    await splitWidely([300n]);
    let late = true;
    const client = aroundSend(database.client, async (command, send) => {
      if (command instanceof UpdateItemCommand && late) {
        late = false;
        await storeTotal(700, nowMs + 500);
      }
      return send(command);
    });
    expect(await process(client).read(accountId)).toBe(1_000n);
    expect(await stored()).toEqual({ balance: 700n, atMs: nowMs + 500 });
  });

  it('loads again after a failed read', async () => {
    let failures = 1;
    const client = aroundSend(database.client, (command, send) => {
      failures -= 1;
      if (failures >= 0) throw new Error('no answer');
      return send(command);
    });
    const remembering = process(client);
    await expect(remembering.read(accountId)).rejects.toThrow('no answer');
    expect(await remembering.read(accountId)).toBe(1_000n);
  });
});
