import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { type Hold, isCallHold } from '../../core/ports.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { brokenShards } from '../../testing/stored-shards.ts';
import { growShards } from './growth.ts';
import { MAX_HOLDS, MAX_SHARDS, shardId } from './item.ts';
import { WalletMaintenance } from './maintenance.ts';
import { WalletPostings } from './posting.ts';
import { WalletReads } from './reads.ts';
import { holdChange, WalletShards } from './shard.ts';
import { createWalletStore } from './store.ts';

const CREDIT = 10_000n;

const database = fileDatabase();
let accountId: string;

beforeEach(async () => {
  ({ accountId } = await openAccount(database.client, CREDIT, {}));
});

const holdOf = (id: string, amount = 1n): Hold => ({ id, keyId: 'key_1', kind: 'chat', amount, expires: 20 });
const readAll = () => new WalletReads(database.client, database.tables.wallets).readAll(accountId);
const shards = () => new WalletShards(database, database.tables.wallets);
const grow = (shardCount: number, client = database.client) =>
  growShards(client, database.tables.wallets, accountId, shardCount);
const count = async () => (await readAll())[0]?.shards;

async function expectComplete(): Promise<void> {
  expect(await brokenShards(database)).toEqual([]);
  expect((await readAll()).reduce((sum, { received }) => sum + received, 0n)).toBe(CREDIT);
}

describe('the number of shards', () => {
  it('grows once for concurrent processes with the same cached number, and all of them receive the new number', async () => {
    expect(await Promise.all([grow(1), grow(1), grow(1)])).toEqual([4, 4, 4]);
    expect([await grow(4), await grow(4), await grow(1)]).toEqual([8, 8, 8]);
    expect(await count()).toBe(8);
    await expect(growShards(database.client, database.tables.wallets, 'acc_nobody', 1)).rejects.toThrow(
      'no account',
    );
    await expectComplete();
  });

  it('counts only shards that exist, each with credit, and most credit stays in the first one', async () => {
    await grow(1);
    await grow(4);
    const [first, ...otherShards] = await readAll();
    expect(otherShards).toHaveLength(7);
    for (const { balance, received } of otherShards) {
      expect(balance).toBeGreaterThan(0n);
      expect(received).toBe(balance);
    }
    expect(first?.balance).toBeGreaterThan(CREDIT / 2n);
  });

  it('grows for an account in debt too, without a transfer of credit', async () => {
    await new WalletPostings(database.client, database.tables.wallets).post(
      accountId,
      { credit: -CREDIT - 5n, cash: 0n },
      [],
    );
    expect(await grow(1)).toBe(4);
    expect(await readAll()).toMatchObject([{ debt: 5n }, { balance: 0n }, { balance: 0n }, { balance: 0n }]);
    expect(await brokenShards(database)).toEqual([]);
  });

  it('stays unchanged if calls have held the credit in the meantime', async () => {
    let isMet = false;
    const client = aroundSend(database.client, async (command, send) => {
      if (!isMet && command instanceof TransactWriteItemsCommand) {
        isMet = true;
        await shards().change(holdChange(accountId, holdOf('req_1', CREDIT - 100n)));
      }
      return send(command);
    });
    expect(await grow(1, client)).toBe(1);
    expect(isMet).toBe(true);
    expect(await readAll()).toMatchObject([{ balance: 100n, received: CREDIT, shards: 1 }]);
    await expectComplete();
  });

  it('never exceeds its maximum, at which one transaction can still take the credit of all shards', async () => {
    for (let shardCount = 1; shardCount < MAX_SHARDS; ) shardCount = await grow(shardCount);
    expect([await grow(MAX_SHARDS), await count()]).toEqual([MAX_SHARDS, MAX_SHARDS]);
    let largest = 0;
    const client = aroundSend(database.client, (command, send) => {
      if (command instanceof TransactWriteItemsCommand)
        largest = Math.max(largest, command.input.TransactItems?.length ?? 0);
      return send(command);
    });
    const store = createWalletStore({ ...database, client }, database.tables.wallets, { random: () => 0.5 });
    await store.read(accountId);
    const calls = 2 * MAX_HOLDS;
    for (let at = 0; at < calls; at += 1)
      expect(await store.hold(accountId, holdOf(`req_${at}`))).toMatchObject({ granted: true });
    const rest = CREDIT - BigInt(calls);
    expect(await store.hold(accountId, holdOf('req_more', rest + 1n))).toMatchObject({ granted: false });
    expect(await store.hold(accountId, holdOf('req_rest', rest))).toMatchObject({ granted: true });
    expect(largest).toBe(MAX_SHARDS);
    const [crowded, ...otherShards] = (await readAll()).filter(({ holds }) => holds.length > 0);
    expect([crowded?.holds.length, otherShards]).toEqual([calls + 1, []]);
    expect((await readAll()).every(({ balance }) => balance === 0n)).toBe(true);
    for (const hold of (crowded?.holds ?? []).filter(isCallHold))
      await store.endHold(accountId, { ...hold, cost: 0n, recorded: 0 });
    await new WalletPostings(client, database.tables.wallets).post(
      accountId,
      { credit: 1n - CREDIT, cash: 0n },
      [],
    );
    expect([largest, (await store.read(accountId))?.balance]).toEqual([MAX_SHARDS, 1n]);
  });
});

describe('a wallet with a full shard', () => {
  const fill = async (index: number, holds = MAX_HOLDS) => {
    for (let at = 0; at < holds; at += 1)
      await shards().change(holdChange(shardId(accountId, index), holdOf(`req_${index}_${at}`)));
  };
  /** Draws the shards of these indices, of `of`, one after the other, and then the last one. */
  const open = (of: number, ...indices: number[]) => {
    const draws = indices.map((index) => (index + 0.5) / of);
    return createWalletStore(database, database.tables.wallets, { random: () => draws.shift() ?? 0.99 });
  };
  const shardOf = async (store: ReturnType<typeof open>) => {
    await store.read(accountId);
    const { wallet } = await store.hold(accountId, holdOf('req_new'));
    return wallet?.holds.find(({ id }) => id === 'req_new')?.walletId;
  };

  it('grows if it has no other shard', async () => {
    await fill(0);
    expect((await open(1).hold(accountId, holdOf('req_new'))).granted).toBe(true);
    expect(await count()).toBe(4);
    await expectComplete();
  });

  it('retains its number of shards if another one, chosen at random, is less than half full', async () => {
    await splitWallet(database, accountId, [100n, 100n, 100n]);
    await fill(2);
    await fill(3, MAX_HOLDS / 2 - 1);
    // Of the shards after the first one, the third is looked at.
    expect(await shardOf(open(4, 2, 3, 1))).toBe(shardId(accountId, 1));
    expect(await count()).toBe(4);
  });

  it('grows if another shard is half full as well', async () => {
    await splitWallet(database, accountId, [100n, 100n, 100n]);
    await fill(2);
    await fill(3, MAX_HOLDS / 2);
    expect(await shardOf(open(4, 2, 3))).toBe(shardId(accountId, 7));
    expect(await count()).toBe(8);
    await expectComplete();
  });

  it.each([4, MAX_SHARDS])(
    'retains its %i shards if the full one is the first, at which each new process starts',
    async (shardCount) => {
      await splitWallet(database, accountId, Array<bigint>(shardCount - 1).fill(100n));
      await fill(0);
      await fill(2);
      const stranger = open(shardCount, 0, 1);
      const { wallet } = await stranger.hold(accountId, holdOf('req_new'));
      expect(wallet?.holds[0]?.walletId).toBe(shardId(accountId, 1));
      expect(await count()).toBe(shardCount);
    },
  );

  it('does not grow if a process has cached more shards than exist', async () => {
    await splitWallet(database, accountId, [100n, 100n, 100n]);
    const store = open(4, 3, 0);
    await store.read(accountId);
    const maintenance = new WalletMaintenance(database.client, database.tables.wallets);
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await maintenance.tidy(accountId);
    expect(await count()).toBe(1);
    expect((await store.hold(accountId, holdOf('req_new'))).granted).toBe(true);
    expect(await count()).toBe(1);
  });
});
