import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { type Hold, isCallHold, type WalletStore } from '../../core/ports.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import {
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  type TestAccount,
} from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { brokenShard, brokenShards } from '../../testing/stored-shards.ts';
import { growShards } from './growth.ts';
import { shardId } from './item.ts';
import { WalletMaintenance } from './maintenance.ts';
import { WalletPostings } from './posting.ts';
import { WalletReads } from './reads.ts';
import { createWalletStore } from './store.ts';

const CREDIT = 10_000n;
const NOON = NOON_MS / 1000;

const database = fileDatabase();
let account: TestAccount;

beforeEach(async () => {
  account = await openAccount(database.client, CREDIT, { rpm: 10_000, daily_usd: 1_000_000n });
});

const tidy = (client = database.client) =>
  new WalletMaintenance(client, database.tables.wallets).tidy(account.accountId);
const readAll = () => new WalletReads(database.client, database.tables.wallets).readAll(account.accountId);
const totals = () => ledgerOf(database.client, account);

/** Every shard by itself, and the books of the account. */
async function expectExact(): Promise<void> {
  expect((await readAll()).flatMap(brokenShard)).toEqual([]);
  expect((await totals()).audit).toMatchObject({ exact: true, drift: 0n });
}

/** A process that takes its holds on that shard, of as many. */
async function processAt(index: number, of: number): Promise<WalletStore> {
  const process = createWalletStore(database, database.tables.wallets, { random: () => (index + 0.5) / of });
  await process.read(account.accountId);
  return process;
}

const holdOf = (amount: bigint, id = 'req_1'): Hold => ({
  id,
  keyId: account.keys[0].keyId,
  kind: 'chat',
  amount,
  expires: NOON + HOLD_TTL_SECONDS,
});

async function placeHold(process: WalletStore, hold: Hold): Promise<Hold> {
  const { wallet } = await process.hold(account.accountId, hold);
  const placedHold = wallet?.holds.filter(isCallHold).find(({ id }) => id === hold.id);
  if (placedHold === undefined) throw new Error('the hold was refused');
  return placedHold;
}

describe('shards that are not needed', () => {
  const share = 1_000n;

  it('merge into the first one with all their amounts, from the last one down and half of them at a time', async () => {
    await splitWallet(database, account.accountId, [share, share, share]);
    const process = await processAt(3, 4);
    const placedHold = await placeHold(process, holdOf(10n));
    await process.endHold(account.accountId, { ...placedHold, cost: 7n, recorded: 20_000 * 86_400 });
    await tidy();
    expect(await readAll()).toMatchObject([{ shards: 2, balance: CREDIT - share - 7n }, { balance: share }]);
    await tidy();
    expect(await readAll()).toMatchObject([
      {
        shards: 1,
        balance: CREDIT - 7n,
        received: CREDIT,
        spentAmount: 7n,
        spentByDay: new Map([[20_000, 7n]]),
      },
    ]);
    await tidy();
    expect(await readAll()).toHaveLength(1);
    expect((await readAll()).flatMap(brokenShard)).toEqual([]);
  });

  it('stay as long as the last one has an open hold', async () => {
    await splitWallet(database, account.accountId, [share, share, share]);
    const placedHold = await placeHold(await processAt(2, 4), holdOf(10n));
    await tidy();
    expect((await readAll()).map(({ walletId }) => walletId).at(-1)).toBe(placedHold.walletId);
    await tidy();
    expect(await readAll()).toHaveLength(3);
    await expectExact();
  });

  it('leave one shard for every two open holds', async () => {
    await splitWallet(database, account.accountId, Array(7).fill(share));
    const process = await processAt(0, 8);
    for (let open = 0; open < 8; open += 1) await placeHold(process, holdOf(1n, `req_${open}`));
    for (let open = 0; open < 4; open += 1)
      await placeHold(await processAt(1, 8), holdOf(1n, `req_more_${open}`));
    await tidy();
    expect(await readAll()).toHaveLength(6);
    await expectExact();
  });

  it.each(['hold', 'end', 'free call', 'transfer', 'credit', 'refund', 'growth'] as const)(
    'merge in their current state or not at all: a %s between the read and the merge',
    async (step) => {
      await splitWallet(database, account.accountId, [share]);
      const { accountId } = account;
      const process = await processAt(1, 2);
      const postings = new WalletPostings(database.client, database.tables.wallets);
      const meet = async () => {
        if (step === 'credit') return postings.post(accountId, { credit: 70n, cash: 3n }, []);
        if (step === 'refund') return postings.post(accountId, { credit: -CREDIT - 5n, cash: -3n }, []);
        if (step === 'growth') return growShards(database.client, database.tables.wallets, accountId, 2);
        const amount = { transfer: 5_000n, 'free call': 0n }[step as string] ?? 10n;
        const placedHold = await placeHold(process, holdOf(amount));
        expect(placedHold.walletId).toBe(shardId(accountId, 1));
        const cost = step === 'end' ? 3n : 0n;
        if (step === 'end' || step === 'free call')
          await process.endHold(accountId, { ...placedHold, cost, recorded: NOON });
      };
      let isMet = false;
      const client = aroundSend(database.client, async (command, send) => {
        if (!isMet && command instanceof TransactWriteItemsCommand) {
          isMet = true;
          await meet();
        }
        return send(command);
      });
      await tidy(client);
      expect(isMet).toBe(true);
      const shards = await readAll();
      expect(shards.flatMap(brokenShard)).toEqual([]);
      // What has changed neither of them does not keep them apart, nor does credit.
      expect(shards).toHaveLength({ credit: 1, 'free call': 1, growth: 5 }[step as string] ?? 2);
      const posted: Partial<Record<string, bigint>> = { credit: 70n, refund: -CREDIT - 5n };
      expect(shards.reduce((sum, { received }) => sum + received, 0n)).toBe(CREDIT + (posted[step] ?? 0n));
    },
  );

  it('remain until the account has paid its debt, which each of them records', async () => {
    await splitWallet(database, account.accountId, [share]);
    const postings = new WalletPostings(database.client, database.tables.wallets);
    await postings.post(account.accountId, { credit: -CREDIT - 5n, cash: 0n }, []);
    await tidy();
    expect(await readAll()).toMatchObject([{ debt: 5n, shards: 2 }, { debt: 0n }]);
    await postings.post(account.accountId, { credit: 30n, cash: 0n }, []);
    await tidy();
    expect(await readAll()).toMatchObject([{ debt: undefined, shards: 1, balance: 25n }]);
  });

  it('merge in one of two sweeps, whichever of their writes a crash interrupts', async () => {
    const crash = fc.record({
      at: fc.integer({ min: 1, max: 8 }),
      after: fc.boolean(),
      shards: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(crash, async ({ at, after, shards }) => {
        account = await openAccount(database.client, CREDIT, {});
        await splitWallet(database, account.accountId, Array(shards).fill(share));
        let calls = 0;
        const dying = aroundSend(database.client, async (command, send) => {
          calls += 1;
          if (calls === at && after) await send(command);
          if (calls >= at) throw new Error('the process is dead');
          return send(command);
        });
        await Promise.all([tidy(dying).catch(() => {}), tidy().catch(() => {})]);
        expect((await readAll()).flatMap(brokenShard)).toEqual([]);
        for (let sweeps = 0; sweeps < 3; sweeps += 1) await tidy();
        expect(await readAll()).toMatchObject([{ shards: 1, balance: CREDIT, received: CREDIT }]);
      }),
      { numRuns: rounds(25) },
    );
  });
});

it('every shard of the wallets above adds up', async () => {
  expect(await brokenShards(database)).toEqual([]);
});
