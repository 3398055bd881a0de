import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DynamoAccountStore } from '../../../../lambdas/adapters/access/account-store.ts';
import { MAX_HOLDS, type Part, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletParts } from '../../../../lambdas/adapters/ledger/wallet/part.ts';
import { WalletPostings } from '../../../../lambdas/adapters/ledger/wallet/posting.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { growParts, shrinkParts } from '../../../../lambdas/adapters/ledger/wallet/size.ts';
import {
  collect,
  collectMost,
  type Donor,
  WalletTransfers,
} from '../../../../lambdas/adapters/ledger/wallet/transfer.ts';
import type { Hold } from '../../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import { startDatabase, type TestDatabase } from '../../engine.ts';
import { countParts, splitWallet } from '../../split-wallet.ts';
import { brokenParts } from '../../stored-parts.ts';

const CREDIT = 1_000n;

const holdOf = (id: string, amount: bigint): Hold => ({
  id,
  keyId: 'key_1',
  kind: 'chat',
  amount,
  created: 10,
  expires: 20,
});

let database: TestDatabase;
let accountId: string;
let accounts = 0;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

beforeEach(async () => {
  accounts += 1;
  accountId = `acc_${accounts}`;
  const store = new DynamoAccountStore(database.client, database.tables);
  await store.open({ id: accountId, created: 0 });
  await store.topUp({ accountId, id: 'first', amount: CREDIT, created: 0, source: 'test' });
});

const tableOf = () => database.tables.wallets;
const transfers = () => new WalletTransfers(database.client, tableOf());
const parts = () => new WalletParts(database, tableOf());
const readAll = () => new WalletReads(database.client, tableOf()).readAll(accountId);

async function partAt(index: number): Promise<Part> {
  const part = (await readAll()).find(({ walletId }) => walletId === partId(accountId, index));
  if (part === undefined) throw new Error(`there is no part ${index}`);
  return part;
}

const setCount = (parts: number) => countParts(database, accountId, parts);
const from = (part: Part, amount: bigint): Donor => ({ part, amount });
const balances = async () => (await readAll()).map(({ balance }) => balance);

/** What every part of the wallet must be at every instant, whatever was done or refused. */
async function expectWhole(): Promise<void> {
  expect(await brokenParts(database)).toEqual([]);
  const stored = await readAll();
  expect(stored.reduce((sum, { received = 0n }) => sum + received, 0n)).toBe(CREDIT);
}

describe('a hold that is taken with money of other parts', () => {
  it('has all of it, and each part counts what it gave and received', async () => {
    await splitWallet(database, accountId, [300n, 200n]);
    const [to, first, second] = [await partAt(1), await partAt(0), await partAt(2)];
    const hold = holdOf('req_1', 900n);
    expect(
      await transfers().hold({ walletId: to.walletId, part: to }, hold, [
        from(first, 500n),
        from(second, 100n),
      ]),
    ).toBe(true);
    expect(await readAll()).toMatchObject([
      { balance: 0n, received: 0n, entries: first.entries + 1 },
      {
        balance: 0n,
        received: 900n,
        entries: to.entries + 1,
        holds: [{ id: 'req_1', amount: 900n }],
        used: 10,
      },
      { balance: 100n, received: 100n, entries: second.entries + 1 },
    ]);
    await expectWhole();
  });

  it('takes nothing where a part has less than it was read with: neither the one that takes it nor one that gives', async () => {
    await splitWallet(database, accountId, [300n]);
    const [first, to] = [await partAt(0), await partAt(1)];
    const target = { walletId: to.walletId, part: to };
    // Another call takes it first.
    await parts().hold(to.walletId, holdOf('other_1', 1n));
    expect(await transfers().hold(target, holdOf('req_1', 500n), [from(first, 200n)])).toBe(false);
    expect(await transfers().hold(target, holdOf('req_1', 499n), [from(first, 701n)])).toBe(false);
    await parts().hold(first.walletId, holdOf('other_2', 600n));
    expect(await transfers().hold(target, holdOf('req_1', 400n), [from(first, 101n)])).toBe(false);
    expect(await balances()).toEqual([100n, 299n]);
    expect(await transfers().hold(target, holdOf('req_1', 399n), [from(first, 100n)])).toBe(true);
    expect(await balances()).toEqual([0n, 0n]);
    await expectWhole();
  });

  it('is not given by a part whose open holds have taken more than was read', async () => {
    await splitWallet(database, accountId, [400n]);
    const lender = await partAt(1);
    await parts().hold(lender.walletId, holdOf('other', 50n));
    expect(await transfers().move([from(lender, 351n)], await partAt(0))).toBe(false);
    expect(await balances()).toEqual([600n, 350n]);
    expect(await transfers().move([from(lender, 350n)], await partAt(0))).toBe(true);
    expect(await balances()).toEqual([950n, 0n]);
    await expectWhole();
  });

  it('is not given to a part that is gone', async () => {
    await splitWallet(database, accountId, [300n]);
    const [first, second] = [await partAt(0), await partAt(1)];
    const gone = { ...second, walletId: partId(accountId, 5) };
    expect(await transfers().move([from(first, 10n)], gone)).toBe(false);
    expect(await balances()).toEqual([700n, 300n]);
    expect(await transfers().move([from(first, 10n)], second)).toBe(true);
    expect(await balances()).toEqual([690n, 310n]);
    await expectWhole();
  });

  it('is once in a part, within its places, and not in one that owes', async () => {
    await splitWallet(database, accountId, [300n]);
    const target = async () => ({ walletId: partId(accountId, 1), part: await partAt(1) });
    const given = async () => [from(await partAt(0), 10n)];
    for (let taken = 0; taken < MAX_HOLDS; taken += 1) {
      const wanted = holdOf(`req_${taken}`, 1n);
      expect(await transfers().hold(await target(), wanted, await given())).toBe(true);
      expect(await transfers().hold(await target(), wanted, await given())).toBe(false);
    }
    expect(await transfers().hold(await target(), holdOf('req_more', 1n), await given())).toBe(false);
    await new WalletPostings(database.client, tableOf()).post(accountId, -CREDIT, []);
    const [held] = (await partAt(1)).holds;
    await parts().end(partId(accountId, 1), { ...holdOf(held?.id ?? '', 1n), cost: 0n, recorded: 0 });
    expect(await transfers().hold(await target(), holdOf('req_more', 1n), [])).toBe(false);
    expect(await transfers().hold(await target(), holdOf('req_free', 0n), [])).toBe(true);
    expect(await brokenParts(database)).toEqual([]);
  });

  it('makes a part that is counted, once, and none that is not', async () => {
    const make = async (index: number, id: string) =>
      transfers().hold({ walletId: partId(accountId, index), part: undefined }, holdOf(id, 10n), [
        from(await partAt(0), 30n),
      ]);
    expect(await make(1, 'req_1')).toBe(false);
    await setCount(2);
    expect(await make(2, 'req_1')).toBe(false);
    expect(await make(1, 'req_1')).toBe(true);
    expect(await make(1, 'req_2')).toBe(false);
    expect(await readAll()).toMatchObject([
      { balance: 970n },
      { balance: 20n, received: 30n, entries: 1, holds: [{ id: 'req_1', amount: 10n }] },
    ]);
    await expectWhole();
  });

  it('makes no part beyond those that are counted where the first one gives nothing', async () => {
    await splitWallet(database, accountId, [300n]);
    const lender = from(await partAt(1), 30n);
    const make = (index: number) =>
      transfers().hold({ walletId: partId(accountId, index), part: undefined }, holdOf('req_1', 10n), [
        lender,
      ]);
    expect(await make(2)).toBe(false);
    await setCount(4);
    expect(await make(2)).toBe(true);
    await expectWhole();
  });
});

describe('what parts give', () => {
  const donorOf = (amount: bigint, walletId = `acc#${amount}`): Donor => ({
    part: { walletId } as Part,
    amount,
  });
  const amounts = (donors: readonly Donor[] | undefined) => donors?.map(({ amount }) => amount);

  it('is what is wanted and no more, from the richest first', () => {
    const donors = [5n, 0n, 30n, 10n].map((amount) => donorOf(amount));
    expect(amounts(collect(donors, 30n))).toEqual([30n]);
    expect(amounts(collect(donors, 31n))).toEqual([30n, 1n]);
    expect(amounts(collect(donors, 45n))).toEqual([30n, 10n, 5n]);
    expect(amounts(collect(donors, 46n))).toBeUndefined();
    expect(amounts(collect(donors, 0n))).toEqual([]);
    expect(amounts(collectMost(donors))).toEqual([30n, 10n, 5n]);
  });

  it('is from as many as one transaction has room for', () => {
    const donors = Array.from({ length: 200 }, (_, at) => donorOf(1n, `acc#${at}`));
    const most = collectMost(donors).length;
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(98);
    expect(collect(donors, BigInt(most))).toHaveLength(most);
    expect(collect(donors, BigInt(most) + 1n)).toBeUndefined();
  });
});

describe('the number of parts', () => {
  const grow = (known: number) => growParts(database.client, tableOf(), accountId, known);
  const shrink = (to: number, already: number) =>
    shrinkParts(database.client, tableOf(), accountId, { from: already, to });
  const count = async () => (await partAt(0)).parts;

  it('is raised by one of those who knew it, and is what the others find', async () => {
    expect(await Promise.all([grow(1), grow(1), grow(1)])).toEqual([4, 4, 4]);
    expect([await grow(4), await grow(4), await grow(1)]).toEqual([8, 8, 8]);
    expect(await count()).toBe(8);
    await expect(growParts(database.client, tableOf(), 'acc_nobody', 1)).rejects.toThrow('no account');
    await expectWhole();
  });

  it('is that of parts that exist, each with money, and most is left in the first one', async () => {
    await grow(1);
    await grow(4);
    const [first, ...others] = await readAll();
    expect(others).toHaveLength(7);
    for (const { balance, received } of others) {
      expect(balance).toBeGreaterThan(0n);
      expect(received).toBe(balance);
    }
    expect(first?.balance).toBeGreaterThan(CREDIT / 2n);
  });

  it('is raised for an account that owes, or has nothing, with parts that have nothing', async () => {
    await new WalletPostings(database.client, tableOf()).post(accountId, -CREDIT - 5n, []);
    expect(await grow(1)).toBe(4);
    expect(await balances()).toEqual([0n, 0n, 0n, 0n]);
    expect(await brokenParts(database)).toEqual([]);
  });

  it('takes no money of an account that owes to parts in which calls could spend it', async () => {
    const owe = async () => {
      await new WalletPostings(database.client, tableOf()).post(accountId, -CREDIT - 5n, []);
      await parts().end(accountId, { ...holdOf('req_1', 600n), cost: 0n, recorded: 0 });
    };
    await parts().hold(accountId, holdOf('req_1', 600n));
    const client = aroundSend(database.client, async (command, send) => {
      if (command instanceof TransactWriteItemsCommand && (await partAt(0)).owed === undefined) await owe();
      return send(command);
    });
    expect(await growParts(client, tableOf(), accountId, 1)).toBe(1);
    expect(await readAll()).toMatchObject([{ balance: 600n, owed: 605n, parts: 1 }]);
    expect(await grow(1)).toBe(4);
    expect(await balances()).toEqual([600n, 0n, 0n, 0n]);
    expect(await brokenParts(database)).toEqual([]);
  });

  it('is not raised on what calls have taken meanwhile', async () => {
    let met = false;
    const client = aroundSend(database.client, async (command, send) => {
      if (!met && command instanceof TransactWriteItemsCommand) {
        met = true;
        await parts().hold(accountId, holdOf('req_1', 900n));
      }
      return send(command);
    });
    expect(await growParts(client, tableOf(), accountId, 1)).toBe(1);
    expect(met).toBe(true);
    expect(await readAll()).toMatchObject([{ balance: 100n, received: CREDIT, parts: 1 }]);
    await expectWhole();
  });

  it('is no more than there may be', async () => {
    await setCount(4_095);
    expect([await grow(4_095), await grow(4_096)]).toEqual([4_096, undefined]);
  });

  it('is lowered to those that there are, at any number', async () => {
    await setCount(256);
    await shrink(3, 256);
    expect(await count()).toBe(3);
  });

  it('never leaves out a part that exists: its money would be lost to sight', async () => {
    await splitWallet(database, accountId, [100n, 100n, 100n]);
    await setCount(256);
    const made = { walletId: partId(accountId, 130), part: undefined };
    expect(await transfers().hold(made, holdOf('req_1', 10n), [from(await partAt(0), 30n)])).toBe(true);
    // The sweep has read the wallet before that part was made.
    await shrink(4, 256);
    expect(await count()).toBeGreaterThan(130);
    await shrink(3, await count());
    expect(await count()).toBeGreaterThan(130);
    await expectWhole();
  });

  it('is not lowered from another number than was read', async () => {
    await setCount(8);
    await shrink(1, 4);
    expect(await count()).toBe(8);
  });

  it('and the making of a part that is being left out: one of them happens', async () => {
    for (let round = 0; round < 5; round += 1) {
      if ((await count()) === 1) await setCount(2);
      const hold = holdOf(`req_${round}`, 0n);
      const made = { walletId: partId(accountId, 1), part: undefined };
      const [isMade] = await Promise.all([
        transfers().hold(made, hold, [from(await partAt(0), 10n)]),
        shrink(1, 2).catch(() => {}),
      ]);
      expect([isMade, await count()]).toEqual(isMade ? [true, 2] : [false, 1]);
      if (isMade) break;
    }
    await expectWhole();
  });
});
