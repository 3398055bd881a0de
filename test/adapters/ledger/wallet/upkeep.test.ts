import { TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { number, text } from '../../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { type Part, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletPostings } from '../../../../lambdas/adapters/ledger/wallet/posting.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { createWalletStore } from '../../../../lambdas/adapters/ledger/wallet/store.ts';
import { WalletUpkeep } from '../../../../lambdas/adapters/ledger/wallet/upkeep.ts';
import type { Hold } from '../../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import {
  booksOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  type TestAccount,
} from '../../../core/ledger/running-ledger.ts';
import { it } from '../../../search.ts';
import { rounds } from '../../../thorough.ts';
import { startDatabase, type TestDatabase } from '../../engine.ts';
import { splitWallet } from '../../split-wallet.ts';
import { brokenPart, brokenParts } from '../../stored-parts.ts';

const CREDIT = 10_000n;
const NOON = NOON_MS / 1000;

let database: TestDatabase;
let account: TestAccount;
let nowMs = NOON_MS;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

beforeEach(async () => {
  nowMs = NOON_MS;
  account = await openAccount(database.client, CREDIT, { rpm: 10_000, daily_usd: 1_000_000n });
});

const open = (clients = database) => openLedger({ clients, clock: () => nowMs });
const tidy = (client = database.client) =>
  new WalletUpkeep(client, database.tables.wallets, () => nowMs).tidy(account.accountId);
const readAll = () => new WalletReads(database.client, database.tables.wallets).readAll(account.accountId);
const books = () => booksOf(database.client, account);

async function firstPart(): Promise<Part> {
  const [first] = await readAll();
  if (first === undefined) throw new Error('there is no wallet');
  return first;
}

/** Every part by itself, and the books of the account. */
async function expectExact(): Promise<void> {
  expect((await readAll()).flatMap(brokenPart)).toEqual([]);
  expect((await books()).audit).toMatchObject({ exact: true, drift: 0n });
}

describe('parts that have been idle', () => {
  const IDLE_MS = 601_000;
  const share = 1_000n;

  it('are merged ten minutes after their newest hold, with all that they have', async () => {
    await splitWallet(database, account.accountId, [share, share]);
    const { wallets } = open();
    const hold: Hold = {
      id: 'req_1',
      keyId: account.keys[0].keyId,
      kind: 'chat',
      amount: 10n,
      created: NOON,
      expires: NOON + HOLD_TTL_SECONDS,
    };
    const walletId = partId(account.accountId, 2);
    const { parts } = { parts: await readAll() };
    expect(parts).toHaveLength(3);
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.wallets,
        Key: { wallet_id: text(walletId) },
        UpdateExpression:
          'SET used = :now, spent_20000 = :cost, spent = spent + :cost, balance = balance - :cost',
        ExpressionAttributeValues: { ':now': number(NOON), ':cost': number(7) },
      }),
    );
    nowMs = NOON_MS + 600_000;
    await tidy();
    expect((await readAll()).map((part) => part.walletId)).toEqual([account.accountId, walletId]);
    expect(await firstPart()).toMatchObject({ parts: 3, balance: CREDIT - share });
    nowMs = NOON_MS + IDLE_MS;
    await tidy();
    expect(await readAll()).toMatchObject([
      { parts: 1, balance: CREDIT - 7n, received: CREDIT, spent: 7n, spentByDay: new Map([[20_000, 7n]]) },
    ]);
    expect(await wallets.hold(account.accountId, hold)).toMatchObject({ granted: true });
    expect((await readAll()).flatMap(brokenPart)).toEqual([]);
  });

  it('stay where a hold is open, and are still counted', async () => {
    await splitWallet(database, account.accountId, [share, share, share]);
    const walletId = partId(account.accountId, 2);
    const process = createWalletStore(database, database.tables.wallets, { random: () => 0.5 });
    await process.read(account.accountId);
    const hold = {
      id: 'req_1',
      keyId: account.keys[0].keyId,
      kind: 'chat',
      created: NOON,
    } as const;
    const { wallet } = await process.hold(account.accountId, {
      ...hold,
      amount: 10n,
      expires: NOON + HOLD_TTL_SECONDS,
    });
    expect(wallet?.holds[0]?.walletId).toBe(walletId);
    nowMs += 10 * IDLE_MS;
    await tidy();
    expect((await readAll()).map((part) => [part.walletId, part.parts])).toEqual([
      [account.accountId, 3],
      [walletId, 1],
    ]);
    await expectExact();
  });

  it.each(['hold', 'end', 'free call', 'transfer', 'credit', 'refund'] as const)(
    'are merged as they are when it happens, or not at all: a %s between the reading and the merge',
    async (step) => {
      await splitWallet(database, account.accountId, [share]);
      const walletId = partId(account.accountId, 1);
      const { wallets } = open();
      const process = createWalletStore(database, database.tables.wallets, { random: () => 0.9 });
      await process.read(account.accountId);
      const hold = {
        keyId: account.keys[0].keyId,
        kind: 'chat',
        created: 1,
        expires: 2,
      } as const;
      const postings = new WalletPostings(database.client, database.tables.wallets);
      let met = false;
      const client = aroundSend(database.client, async (command, send) => {
        if (!met && command instanceof TransactWriteItemsCommand) {
          met = true;
          const amount = { transfer: 5_000n, 'free call': 0n }[step as string] ?? 10n;
          if (step === 'credit') await postings.post(account.accountId, 70n, []);
          else if (step === 'refund') await postings.post(account.accountId, -CREDIT - 5n, []);
          else {
            const { wallet } = await process.hold(account.accountId, { ...hold, id: 'req_1', amount });
            const held = wallet?.holds.find(({ id }) => id === 'req_1');
            expect(held?.walletId).toBe(walletId);
            if (held !== undefined && step === 'end')
              await wallets.endHold(account.accountId, { ...held, cost: 3n, recorded: NOON });
            if (held !== undefined && step === 'free call')
              await wallets.endHold(account.accountId, { ...held, cost: 0n, recorded: NOON });
          }
        }
        return send(command);
      });
      await tidy(client);
      expect(met).toBe(true);
      const parts = await readAll();
      expect(parts.flatMap(brokenPart)).toEqual([]);
      expect(parts).toHaveLength(step === 'credit' ? 1 : 2);
      const posted: Partial<Record<string, bigint>> = { credit: 70n, refund: -CREDIT - 5n };
      expect(parts.reduce((sum, { received = 0n }) => sum + received, 0n)).toBe(
        CREDIT + (posted[step] ?? 0n),
      );
    },
  );

  it('are not merged while the account owes, as each is marked until it is paid', async () => {
    await splitWallet(database, account.accountId, [share]);
    const postings = new WalletPostings(database.client, database.tables.wallets);
    await postings.post(account.accountId, -CREDIT - 5n, []);
    nowMs += IDLE_MS;
    await tidy();
    expect(await readAll()).toMatchObject([{ owed: 5n, parts: 2 }, { owed: 0n }]);
    await postings.post(account.accountId, 30n, []);
    await tidy();
    expect(await readAll()).toMatchObject([{ owed: undefined, parts: 1, balance: 25n }]);
  });

  it('are merged by one of two sweeps, whatever write of theirs a crash is at', async () => {
    const crash = fc.record({
      at: fc.integer({ min: 1, max: 8 }),
      after: fc.boolean(),
      parts: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(crash, async ({ at, after, parts }) => {
        account = await openAccount(database.client, CREDIT, {});
        await splitWallet(database, account.accountId, Array(parts).fill(share));
        let calls = 0;
        const dying = aroundSend(database.client, async (command, send) => {
          calls += 1;
          if (calls === at && after) await send(command);
          if (calls >= at) throw new Error('the process is dead');
          return send(command);
        });
        await Promise.all([tidy(dying).catch(() => {}), tidy().catch(() => {})]);
        expect((await readAll()).flatMap(brokenPart)).toEqual([]);
        await tidy();
        expect(await readAll()).toMatchObject([{ parts: 1, balance: CREDIT, received: CREDIT }]);
      }),
      { numRuns: rounds(25) },
    );
  });
});

it('leaves every part of everything above whole', async () => {
  expect(await brokenParts(database)).toEqual([]);
});
