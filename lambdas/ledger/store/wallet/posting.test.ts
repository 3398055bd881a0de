import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { startDatabase, type TestDatabase } from '../../../../tools/test-kit/engine.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { DynamoAccountStore } from '../../../access/store/accounts/account-store.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { type Hold, isCallHold, type Wallet } from '../../core/ports.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import { auditAll } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { MAX_SHARDS } from './item.ts';
import { WalletPostings } from './posting.ts';
import { createWalletStore } from './store.ts';

let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const openAccount = async (): Promise<string> => {
  const id = `acc_${systemUlid()}`;
  await new DynamoAccountStore(database.client, database.tables).open({ id, created: 0 });
  return id;
};

beforeEach(async () => {
  accountId = await openAccount();
});

const postings = () => new WalletPostings(database.client, database.tables.wallets);
const wallets = () => createWalletStore(database, database.tables.wallets);

async function read(id = accountId): Promise<Wallet> {
  const wallet = await wallets().read(id);
  if (wallet === undefined) throw new Error('the wallet is gone');
  return wallet;
}

/** The entry of the books that goes with a change: written once for each name. */
function entry(id: string, change: bigint, name: string, cash = 0n): TransactWriteItem {
  const kind = change < 0n ? 'refund' : 'top_up';
  return {
    Put: {
      TableName: database.tables.accounts,
      Item: {
        account_id: text(id),
        item: text(`${kind}#${name}`),
        amount: number(change < 0n ? -change : change),
        cash: number(cash),
        created: number(0),
        source: text('test'),
      },
      ConditionExpression: 'attribute_not_exists(account_id)',
    },
  };
}

const post = (change: bigint, name: string = systemUlid(), id = accountId) =>
  postings().post(id, { credit: change, cash: 0n }, [entry(id, change, name)]);

const holdOf = (amount: bigint): Hold => ({
  id: `req_${systemUlid()}`,
  keyId: 'key_1',
  kind: 'chat',
  amount,
  expires: 2e9,
});

describe('revoked credit', () => {
  it('reduces the balance, and turns the spent amount into debt', async () => {
    await post(100n);
    await post(-30n);
    expect(await read()).toMatchObject({ balance: 70n, debt: 0n, entries: 2 });
    await post(-90n);
    expect(await read()).toMatchObject({ balance: 0n, debt: 20n, entries: 3 });
    await post(-5n);
    expect(await read()).toMatchObject({ balance: 0n, debt: 25n });
  });

  it('takes its amount first from the next incoming credit', async () => {
    await post(-30n);
    await post(20n);
    expect(await read()).toMatchObject({ balance: 0n, debt: 10n });
    await post(25n);
    expect(await read()).toMatchObject({ balance: 15n, debt: 0n });
    const { granted } = await wallets().hold(accountId, holdOf(15n));
    expect(granted).toBe(true);
  });

  it('takes its amount from holds that end, before another call can hold the released credit', async () => {
    await post(100n);
    const open = holdOf(100n);
    await wallets().hold(accountId, open);
    await post(-80n);
    expect(await read()).toMatchObject({ balance: 0n, debt: 80n, holds: [{ amount: 100n }] });
    await wallets().endHold(accountId, { ...open, cost: 10n, recorded: 0 });
    expect(await read()).toMatchObject({ balance: 10n, debt: 0n, holds: [] });
    expect(await wallets().hold(accountId, holdOf(11n))).toMatchObject({ granted: false });
    expect(await wallets().hold(accountId, holdOf(10n))).toMatchObject({ granted: true });
    expect(await read()).toMatchObject({ balance: 0n, debt: 0n });
  });

  it('allows calls that cost nothing while the account is in debt', async () => {
    await post(-5n);
    expect(await wallets().hold(accountId, holdOf(1n))).toMatchObject({ granted: false });
    expect(await wallets().hold(accountId, holdOf(0n))).toMatchObject({ granted: true });
    await splitWallet(database, accountId, [0n, 0n]);
    for (let call = 0; call < 6; call += 1) {
      expect(await wallets().hold(accountId, holdOf(0n))).toMatchObject({ granted: true });
      expect(await wallets().hold(accountId, holdOf(1n))).toMatchObject({ granted: false });
    }
  });

  it('counts once for each entry, also when it is posted several times at once', async () => {
    await post(1_000n);
    const results = await Promise.all(Array.from({ length: 8 }, () => post(-100n, 'the same')));
    expect(results.toSorted()).toEqual(['posted', ...Array(7).fill('repeated')]);
    expect(await read()).toMatchObject({ balance: 900n, debt: 0n });
  });

  it('changes nothing if the account does not exist', async () => {
    expect(await post(-1n, 'x', 'acc_of_nobody')).toBe('no wallet');
    expect(await post(1n, 'x', 'acc_of_nobody')).toBe('no wallet');
    expect(await wallets().read('acc_of_nobody')).toBeUndefined();
  });
});

describe('a wallet in several shards', () => {
  it('takes revoked credit from all of them, and places no hold in any while it is in debt', async () => {
    await post(100n);
    await splitWallet(database, accountId, [25n, 25n, 25n]);
    const open = await Promise.all([1, 2, 3, 4].map(async () => wallets().hold(accountId, holdOf(20n))));
    expect(open.every(({ granted }) => granted)).toBe(true);
    await post(-60n);
    expect(await read()).toMatchObject({ balance: 0n, debt: 40n });
    const { holds } = await read();
    for (const hold of holds.filter(isCallHold))
      await wallets().endHold(accountId, { ...hold, cost: 0n, recorded: 0 });
    expect(await read()).toMatchObject({ balance: 40n, debt: 0n });
    const attempts = Array.from({ length: 12 }, () => wallets().hold(accountId, holdOf(5n)));
    const granted = (await Promise.all(attempts)).filter((result) => result.granted);
    expect(granted).toHaveLength(8);
    expect(await read()).toMatchObject({ balance: 0n, debt: 0n });
  });
});

describe('deducted credit', () => {
  const deduct = (amount: bigint, name: string = systemUlid(), id = accountId) =>
    postings().deduct(id, amount, [entry(id, -amount, name)]);

  it('reduces the balance, and changes nothing if the balance without held credit does not cover it', async () => {
    await post(100n);
    await wallets().hold(accountId, holdOf(60n));
    expect(await deduct(41n)).toBe('not covered');
    expect(await read()).toMatchObject({ balance: 40n, debt: 0n, entries: 1 });
    expect(await deduct(40n)).toBe('posted');
    expect(await read()).toMatchObject({ balance: 0n, debt: 0n, entries: 2, holds: [{ amount: 60n }] });
    expect(await deduct(1n)).toBe('not covered');
  });

  it('does not cover debt, and an account in debt has none', async () => {
    await post(10n);
    await post(-30n);
    expect(await deduct(1n)).toBe('not covered');
    await splitWallet(database, accountId, [0n]);
    expect(await deduct(1n)).toBe('not covered');
    expect(await read()).toMatchObject({ balance: 0n, debt: 20n });
  });

  it.each([1, 3, MAX_SHARDS])('comes from every shard of %d', async (shards) => {
    await post(BigInt(shards) * 10n);
    await splitWallet(database, accountId, Array(shards - 1).fill(10n));
    const open = holdOf(5n);
    expect(await wallets().hold(accountId, open)).toMatchObject({ granted: true });
    const free = BigInt(shards) * 10n - 5n;
    expect(await deduct(free + 1n)).toBe('not covered');
    expect(await deduct(free)).toBe('posted');
    expect(await read()).toMatchObject({ balance: 0n, debt: 0n, drift: 0n, holds: [{ amount: 5n }] });
  });

  it('counts once for each entry, and never exceeds the balance, also concurrently and during calls', async () => {
    await post(100n);
    await splitWallet(database, accountId, [30n, 30n]);
    const same = await Promise.all(Array.from({ length: 5 }, () => deduct(10n, 'the same')));
    expect(same.toSorted()).toEqual(['posted', ...Array(4).fill('repeated')]);
    const [results, holds] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => deduct(25n))),
      Promise.all(Array.from({ length: 6 }, () => wallets().hold(accountId, holdOf(5n)))),
    ]);
    const taken = 25n * BigInt(results.filter((result) => result === 'posted').length);
    const heldAmount = 5n * BigInt(holds.filter(({ granted }) => granted).length);
    expect(results.filter((result) => !['posted', 'not covered'].includes(result))).toEqual([]);
    expect(taken > 0n).toBe(true);
    expect(await read()).toMatchObject({ balance: 90n - taken - heldAmount, debt: 0n, drift: 0n });
  });

  it('requires an account that exists', async () => {
    expect(await deduct(1n, 'x', 'acc_of_nobody')).toBe('no wallet');
  });
});

describe('granted credit', () => {
  const pay = (amount: bigint) => postings().post(accountId, { credit: amount, cash: amount }, []);
  /** The largest price for which the money of the account pays. */
  const payable = async (most: bigint): Promise<bigint> => {
    for (let price = most; price > 0n; price -= 1n)
      if ((await postings().planPurchase(accountId, price))?.payable) return price;
    return 0n;
  };

  it.each([1, 3, MAX_SHARDS])(
    'leaves the money payable that the balances of %d shards cover',
    async (shards) => {
      await pay(200n);
      await splitWallet(database, accountId, Array(shards - 1).fill(1n));
      await deductCall(170n);
      await post(50n);
      // A transaction checks 45 shards.
      expect(await payable(40n)).toBe(30n);
    },
  );

  /** Grants credit, with a call before each transaction of the posting but the first, which does not cover the money. */
  async function grantAfterCalls(calls: readonly bigint[]): Promise<void> {
    const remaining = [0n, ...calls];
    const client = aroundSend(database.client, async (command, send) => {
      const amount = command instanceof TransactWriteItemsCommand ? remaining.shift() : undefined;
      if (amount) await deductCall(amount);
      return send(command);
    });
    const change = { credit: 50n, cash: 0n };
    expect(await new WalletPostings(client, database.tables.wallets).post(accountId, change, [])).toBe(
      'posted',
    );
    expect(remaining).toEqual([]);
  }

  it.each([1, 3])(
    'leaves no money payable that a call of %d shards uses up before its write',
    async (shards) => {
      await pay(30n);
      await splitWallet(database, accountId, Array(shards - 1).fill(10n));
      await grantAfterCalls([30n]);
      expect(await payable(50n)).toBe(0n);
    },
  );

  it('completes although a call precedes each of its writes, and leaves less money payable', async () => {
    await pay(40n);
    await grantAfterCalls(Array(8).fill(1n));
    expect(await payable(40n)).toBe(16n);
  });

  async function deductCall(amount: bigint): Promise<void> {
    const store = wallets();
    await store.read(accountId);
    const { granted, wallet } = await store.hold(accountId, holdOf(amount));
    const hold = wallet?.holds.filter(isCallHold).at(-1);
    if (!granted || hold === undefined) throw new Error('the wallet rejects the call');
    await store.endHold(accountId, { ...hold, cost: hold.amount, recorded: 0 });
  }
});

describe('a wallet, properties', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('post' as const), by: fc.bigInt({ min: -60n, max: 60n }) }),
    fc.record({ kind: fc.constant('hold' as const), by: fc.bigInt({ min: 0n, max: 40n }) }),
    fc.record({ kind: fc.constant('end' as const), by: fc.bigInt({ min: 0n, max: 40n }) }),
  );

  it('accounts for exactly the paid amounts and never falls below zero, with sequential or concurrent steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 1, 3),
        fc.boolean(),
        fc.array(step, { maxLength: 12 }),
        async (shards, atOnce, steps) => {
          const id = await openAccount();
          await splitWallet(database, id, Array(shards - 1).fill(0n));
          const store = wallets();
          await store.read(id);
          const open: Hold[] = [];
          let [paid, spentAmount] = [0n, 0n];
          const placeHold = async ({ kind, by }: { kind: string; by: bigint }) => {
            if (kind === 'post') {
              if ((await post(by, systemUlid(), id)) === 'posted') paid += by;
            } else if (kind === 'hold') {
              const result = await store.hold(id, holdOf(by));
              const mine = result.granted ? result.wallet.holds.filter(isCallHold).at(-1) : undefined;
              if (mine !== undefined && !atOnce) open.push(mine);
            } else {
              const hold = open.pop();
              if (hold === undefined) return;
              const cost = by < hold.amount ? by : hold.amount;
              if ((await store.endHold(id, { ...hold, cost, recorded: 0 })) !== undefined)
                spentAmount += cost;
            }
          };
          if (atOnce) await Promise.all(steps.map(placeHold));
          else for (const each of steps) await placeHold(each);
          const wallet = await read(id);
          const heldAmount = wallet.holds.reduce((sum, { amount }) => sum + amount, 0n);
          expect(paid).toBe(wallet.balance - wallet.debt + heldAmount + spentAmount);
          expect(wallet.balance >= 0n && wallet.debt >= 0n).toBe(true);
          expect(wallet.balance === 0n || wallet.debt === 0n).toBe(true);
        },
      ),
      { numRuns: 120 },
    );
  });

  it('passes the audit if the account has made no calls', async () => {
    const id = await openAccount();
    for (const change of [50n, -70n, 10n, -10n, 100n, -5n]) await post(change, systemUlid(), id);
    expect(await read(id)).toMatchObject({ balance: 75n, debt: 0n });
    expect((await auditAll(database.client)).unproven).toBe(0);
  });
});
