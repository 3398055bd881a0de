import { beforeEach, describe, expect, it } from '@jest/globals';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { type Hold, isCallHold } from '../../core/ports.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { brokenShards } from '../../testing/stored-shards.ts';
import { MAX_HOLDS, type Shard, shardId } from './item.ts';
import { WalletPostings } from './posting.ts';
import { WalletReads } from './reads.ts';
import { holdChange, holdEndChange, WalletShards } from './shard.ts';
import { chooseDonors, collect, type TransferSource } from './transfer.ts';

const CREDIT = 1_000n;

const holdOf = (id: string, amount: bigint): Hold => ({
  id,
  keyId: 'key_1',
  kind: 'chat',
  amount,
  expires: 20,
});

const database = fileDatabase();
let accountId: string;

beforeEach(async () => {
  ({ accountId } = await openAccount(database.client, CREDIT, {}));
});

const tableOf = () => database.tables.wallets;
const shards = () => new WalletShards(database, tableOf());
const readAll = () => new WalletReads(database.client, tableOf()).readAll(accountId);
const balances = async () => (await readAll()).map(({ balance }) => balance);

async function shardAt(index: number): Promise<Shard> {
  const shard = (await readAll())[index];
  if (shard === undefined) throw new Error(`there is no shard ${index}`);
  return shard;
}

const from = async (index: number, amount: bigint): Promise<TransferSource> => ({
  shard: await shardAt(index),
  amount,
});

/**
 * Expects the invariants of every shard of the wallet. They apply at every instant, after any operation or rejection.
 */
async function expectComplete(): Promise<void> {
  expect(await brokenShards(database)).toEqual([]);
  expect((await readAll()).reduce((sum, { received }) => sum + received, 0n)).toBe(CREDIT);
}

describe('a hold that is taken with credit of other shards', () => {
  it('receives its whole amount, and each shard counts its sent and received credit', async () => {
    await splitWallet(database, accountId, [300n, 200n]);
    const [first, to, third] = await readAll();
    const donors = [await from(0, 500n), await from(2, 100n)];
    expect(await shards().changeWith(holdChange(shardId(accountId, 1), holdOf('req_1', 900n)), donors)).toBe(
      true,
    );
    expect(await readAll()).toMatchObject([
      { balance: 0n, received: 0n, entries: (first?.entries ?? 0) + 1 },
      {
        balance: 0n,
        received: 900n,
        entries: (to?.entries ?? 0) + 1,
        holds: [{ id: 'req_1', amount: 900n }],
      },
      { balance: 100n, received: 100n, entries: (third?.entries ?? 0) + 1 },
    ]);
    await expectComplete();
  });

  it('takes nothing where a shard has less than it was read with, be it the one that takes or one that gives', async () => {
    await splitWallet(database, accountId, [300n]);
    const to = shardId(accountId, 1);
    const placeHold = (amount: bigint, source: TransferSource) =>
      shards().changeWith(holdChange(to, holdOf('req_1', amount)), [source]);
    const first = (amount: bigint) => from(0, amount);
    // Another call takes it first.
    await shards().change(holdChange(to, holdOf('other_1', 1n)));
    expect(await placeHold(500n, await first(200n))).toBe(false);
    expect(await placeHold(499n, await first(701n))).toBe(false);
    await shards().change(holdChange(accountId, holdOf('other_2', 600n)));
    expect(await placeHold(400n, await first(101n))).toBe(false);
    expect(await balances()).toEqual([100n, 299n]);
    expect(await placeHold(399n, await first(100n))).toBe(true);
    expect(await balances()).toEqual([0n, 0n]);
    await expectComplete();
  });

  it('exists once in a shard, uses one of its slots, and fails for an account in debt unless it costs nothing', async () => {
    await splitWallet(database, accountId, [300n]);
    const to = shardId(accountId, 1);
    const placeHold = async (hold: Hold, amount = 10n) =>
      shards().changeWith(holdChange(to, hold), amount === 0n ? [] : [await from(0, amount)]);
    for (let holdIndex = 0; holdIndex < MAX_HOLDS; holdIndex += 1) {
      expect(await placeHold(holdOf(`req_${holdIndex}`, 1n))).toBe(true);
      expect(await placeHold(holdOf(`req_${holdIndex}`, 1n))).toBe(false);
    }
    expect(await placeHold(holdOf('req_more', 1n))).toBe(false);
    await new WalletPostings(database.client, tableOf()).post(accountId, { credit: -CREDIT, cash: 0n }, []);
    const [placedHold] = (await shardAt(1)).holds.filter(isCallHold);
    if (placedHold === undefined) throw new Error('the holds are gone');
    await shards().change(holdEndChange(to, { ...placedHold, cost: 0n, recorded: 0 }));
    expect(await placeHold(holdOf('req_more', 1n), 0n)).toBe(false);
    expect(await placeHold(holdOf('req_free', 0n), 0n)).toBe(true);
    expect(await brokenShards(database)).toEqual([]);
  });
});

describe('the credit that is collected from shards', () => {
  const shardOf = (balance: bigint, index = Number(balance)): Shard =>
    ({ walletId: shardId('acc', index), balance, shards: 4 }) as Shard;
  const amounts = (donors: readonly TransferSource[] | undefined) => donors?.map(({ amount }) => amount);
  const some = [5n, 0n, 30n, 10n].map((balance) => shardOf(balance));

  it('totals exactly the wanted amount, from the richest first', () => {
    expect(amounts(collect(some, 30n))).toEqual([30n]);
    expect(amounts(collect(some, 31n))).toEqual([30n, 1n]);
    expect(amounts(collect(some, 45n))).toEqual([30n, 10n, 5n]);
    expect(amounts(collect(some, 46n))).toBeUndefined();
    expect(amounts(collect(some, 0n))).toEqual([]);
  });

  it('equals the amount that the hold lacks or, if larger, a share of the excess of the richest shard', () => {
    const rich = [shardOf(1_000n, 0), shardOf(20n, 1)];
    const donorsFor = (amount: bigint) => amounts(chooseDonors(rich, shardOf(20n, 1), amount));
    expect(donorsFor(21n)).toEqual([245n]);
    expect(donorsFor(900n)).toEqual([880n]);
    expect(donorsFor(1_020n)).toEqual([1_000n]);
    expect(donorsFor(1_021n)).toBeUndefined();
  });
});
