import { beforeEach, describe, expect, it } from '@jest/globals';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import type { Hold } from '../../core/ports.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { brokenShards } from '../../testing/stored-shards.ts';
import { type Shard, shardId } from './item.ts';
import { WalletReads } from './reads.ts';
import { holdChange, WalletShards } from './shard.ts';
import { chooseDonors, collect, type TransferSource } from './transfer.ts';

const CREDIT = 1_000n;

const database = fileDatabase();
let accountId: string;

beforeEach(async () => {
  ({ accountId } = await openAccount(database.client, CREDIT, {}));
});

const tableOf = () => database.tables.wallets;
const readAll = () => new WalletReads(database.client, tableOf()).readAll(accountId);

describe('a hold that is taken with credit of other shards', () => {
  it('receives its whole amount, and each shard counts its sent and received credit', async () => {
    await splitWallet(database, accountId, [300n, 200n]);
    const [first, to, third] = (await readAll()) as [Shard, Shard, Shard];
    const donors = [
      { shard: first, amount: 500n },
      { shard: third, amount: 100n },
    ];
    const hold: Hold = { id: 'req_1', keyId: 'key_1', kind: 'chat', amount: 900n, expires: 20 };
    const shards = new WalletShards(database, tableOf());
    expect(await shards.changeWith(holdChange(to.walletId, hold), donors)).toBe(true);
    expect(await readAll()).toMatchObject([
      { balance: 0n, received: 0n, entries: first.entries + 1 },
      {
        balance: 0n,
        received: 900n,
        entries: to.entries + 1,
        holds: [{ id: 'req_1', amount: 900n }],
      },
      { balance: 100n, received: 100n, entries: third.entries + 1 },
    ]);
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
