import { PutItemCommand, TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { type Item, map, number, text } from '../../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { MAX_HOLDS, type Part, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletPostings } from '../../../../lambdas/adapters/ledger/wallet/posting.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { createWalletStore } from '../../../../lambdas/adapters/ledger/wallet/store.ts';
import { WalletUpkeep } from '../../../../lambdas/adapters/ledger/wallet/upkeep.ts';
import type { Admission } from '../../../../lambdas/core/ledger/admission.ts';
import type { Hold, HoldResult } from '../../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import {
  booksOf,
  callOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
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
const admit = (amount: bigint, ledger = open()) => ledger.ledger.admit(callOf(account.keys[0], amount));

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

/** A hold of an earlier version: it remembers nothing of its key's charge. */
const oldHold = (amount: bigint, expires: number): Item[string] =>
  map({
    key: text(account.keys[0].keyId),
    kind: text('chat'),
    amount: number(amount),
    created: number(NOON - 100),
    expires: number(expires),
  });

/** A wallet as an earlier version left it: of its credit 500 were spent, some is held, in parts of an operator's choice. */
async function writeEarlierLayout(holds: readonly (readonly [string, bigint, number])[], parts = 1) {
  const held = holds.reduce((sum, [, amount]) => sum + amount, 0n);
  const share = 1_000n;
  const shards = BigInt(parts - 1);
  const put = (Item: Item) =>
    database.client.send(new PutItemCommand({ TableName: database.tables.wallets, Item }));
  await put({
    wallet_id: text(account.accountId),
    balance: number(CREDIT - 500n - held - share * shards),
    holds: map(Object.fromEntries(holds.map(([id, amount, expires]) => [id, oldHold(amount, expires)]))),
    entries: number(1),
    ...(parts === 1 ? {} : { shards: number(parts), shards_made: number(parts) }),
  });
  for (let index = 1; index < parts; index += 1)
    await put({ wallet_id: text(partId(account.accountId, index)), balance: number(share), holds: map({}) });
  await database.client.send(
    new PutItemCommand({
      TableName: database.tables.usage,
      Item: {
        key_id: text(account.keys[0].keyId),
        request_id: text('req_00000000000000000000000000'),
        account_id: text(account.accountId),
        created: number(NOON - 86_400),
        kind: text('chat'),
        model: text('sim/chat'),
        input_units: number(1),
        cached_units: number(0),
        output_units: number(1),
        unit: text('token'),
        cost: number(500n),
        written_off: number(0),
        estimated: { BOOL: false },
        route: text('sim-a'),
        status: text('completed'),
      },
    }),
  );
}

describe('a wallet of the earlier layout', () => {
  it('works as it is, and is not converted before 20 minutes have passed since a sweep first met it', async () => {
    await writeEarlierLayout([]);
    expect((await books()).audit.exact).toBe(true);
    await (await admit(300n)).settle(outcomeOf(200n));
    for (const seconds of [0, 600, 1_199]) {
      nowMs = NOON_MS + seconds * 1000;
      await tidy();
      expect((await firstPart()).received).toBeUndefined();
    }
    expect((await books()).audit.exact).toBe(true);
    nowMs = NOON_MS + 1_200_000;
    await tidy();
    expect(await firstPart()).toMatchObject({
      received: CREDIT - 500n,
      spent: 200n,
      balance: CREDIT - 700n,
      parts: 1,
    });
    await expectExact();
  });

  it('takes any number of holds in its one part, and after its conversion four in each', async () => {
    await writeEarlierLayout([]);
    const before = await Promise.all(Array.from({ length: 3 * MAX_HOLDS }, () => admit(100n)));
    expect(await readAll()).toMatchObject([{ holds: { length: 3 * MAX_HOLDS } }]);
    await tidy();
    nowMs += 1_200_000;
    await tidy();
    expect(await firstPart()).toMatchObject({ received: CREDIT - 500n, holds: { length: 3 * MAX_HOLDS } });
    const after = await Promise.all(Array.from({ length: MAX_HOLDS }, () => admit(100n)));
    const [first, ...others] = await readAll();
    expect(first?.holds).toHaveLength(3 * MAX_HOLDS);
    expect(others.flatMap(({ holds }) => holds)).toHaveLength(MAX_HOLDS);
    await Promise.all([...before, ...after].map((each) => each.settle(outcomeOf(60n))));
    expect((await books()).wallet).toMatchObject({ balance: CREDIT - 500n - 960n, holds: [] });
    await expectExact();
  });

  it('keeps the holds of earlier versions, which end and are recovered to the nano-dollar on either side of it', async () => {
    const expiry = NOON + HOLD_TTL_SECONDS;
    await writeEarlierLayout([
      ['req_before', 100n, NOON - 1],
      ['req_after', 250n, expiry],
      ['req_ended', 400n, expiry],
    ]);
    expect((await books()).audit).toMatchObject({ exact: true, held: 750n });
    await sweep(open(), database.client);
    expect((await books()).wallet.holds.map(({ id }) => id).toSorted()).toEqual(['req_after', 'req_ended']);
    nowMs += 1_200_000;
    await tidy();
    expect(await firstPart()).toMatchObject({ received: CREDIT - 500n, holds: { length: 2 } });
    const ended = (await firstPart()).holds.find(({ id }) => id === 'req_ended');
    if (ended === undefined) throw new Error('the hold is gone');
    await open().wallets.endHold(account.accountId, { ...ended, cost: 0n, recorded: NOON });
    await sweep(open(), database.client);
    expect((await books()).wallet).toMatchObject({ balance: CREDIT - 500n, holds: [] });
    await expectExact();
  });

  it('that an operator had split becomes one in parts, with the money of all of them', async () => {
    await writeEarlierLayout([['req_1', 100n, NOON + HOLD_TTL_SECONDS]], 4);
    expect((await books()).wallet).toMatchObject({ balance: CREDIT - 600n });
    await tidy();
    nowMs += 1_200_000;
    await tidy();
    const parts = await readAll();
    expect(parts).toHaveLength(4);
    expect(parts[0]).toMatchObject({ parts: 4, received: CREDIT - 3_500n });
    expect(parts.slice(1)).toMatchObject(Array(3).fill({ balance: 1_000n, received: 1_000n }));
    expect(parts.reduce((sum, { received = 0n }) => sum + received, 0n)).toBe(CREDIT - 500n);
    await expectExact();
    // The next sweep finds them idle.
    await tidy();
    expect(await readAll()).toMatchObject([{ parts: 1, balance: CREDIT - 600n, received: CREDIT - 500n }]);
    await expectExact();
  });

  it('that owes is converted with what it owes, and what comes in pays it', async () => {
    await writeEarlierLayout([]);
    await new WalletPostings(database.client, database.tables.wallets).post(account.accountId, -CREDIT, []);
    expect(await firstPart()).toMatchObject({ balance: 0n, owed: 500n, received: undefined });
    await tidy();
    nowMs += 1_200_000;
    await tidy();
    expect(await firstPart()).toMatchObject({ balance: 0n, owed: 500n, received: -500n });
    await new WalletPostings(database.client, database.tables.wallets).post(account.accountId, 800n, []);
    expect(await firstPart()).toMatchObject({ balance: 300n, owed: undefined, received: 300n });
  });

  it('is converted as it is when it is written, or not at all: a call that comes between is not lost', async () => {
    for (const step of ['hold', 'end', 'credit'] as const) {
      account = await openAccount(database.client, CREDIT, {});
      await writeEarlierLayout([['req_1', 100n, NOON + HOLD_TTL_SECONDS]]);
      const [held] = (await firstPart()).holds;
      if (held === undefined) throw new Error('there is no hold');
      await tidy();
      nowMs += 1_200_000;
      let met = false;
      const client = aroundSend(database.client, async (command, send) => {
        const { input } = command as UpdateItemCommand;
        if (!met && input.UpdateExpression?.includes('SET received')) {
          met = true;
          const { wallets } = open();
          if (step === 'hold') await wallets.hold(account.accountId, { ...held, id: 'req_2', amount: 30n });
          if (step === 'end')
            await wallets.endHold(account.accountId, { ...held, cost: 40n, recorded: NOON });
          if (step === 'credit')
            await new WalletPostings(database.client, database.tables.wallets).post(
              account.accountId,
              70n,
              [],
            );
        }
        return send(command);
      });
      await tidy(client);
      expect([met, (await firstPart()).received]).toEqual([true, undefined]);
      await tidy();
      expect((await firstPart()).received).toBe(CREDIT - 500n + (step === 'credit' ? 70n : 0n));
      expect((await readAll()).flatMap(brokenPart)).toEqual([]);
    }
  });

  it('leaves nothing of itself when its conversion arrives after it was converted and merged', async () => {
    await writeEarlierLayout([], 2);
    const late: (() => Promise<unknown>)[] = [];
    const client = aroundSend(database.client, async (command, send) => {
      const { input } = command as UpdateItemCommand;
      if (input.UpdateExpression?.includes('SET converting')) late.push(() => send(command));
      return send(command);
    });
    await tidy(client);
    nowMs += 1_200_000;
    await tidy();
    await tidy();
    expect([late.length, await readAll()]).toMatchObject([2, [{ parts: 1, balance: CREDIT - 500n }]]);
    for (const send of late) await send().catch(() => {});
    // A sweep reads every item there is.
    await sweep(open(), database.client);
    expect(await readAll()).toHaveLength(1);
    await expectExact();
  });

  it('is not converted while a hold is taken with the money of another part, which its balance does not show', async () => {
    await writeEarlierLayout([['req_1', 8_500n, NOON + HOLD_TTL_SECONDS]], 2);
    const before = await firstPart();
    const [held] = before.holds;
    if (held === undefined) throw new Error('there is no hold');
    await tidy();
    nowMs += 1_200_000;
    let taken: HoldResult | undefined;
    const client = aroundSend(database.client, async (command, send) => {
      const { input } = command as UpdateItemCommand;
      if (taken === undefined && input.UpdateExpression?.includes('SET received'))
        taken = await open().wallets.hold(account.accountId, { ...held, id: 'req_2', amount: 600n });
      return send(command);
    });
    await tidy(client);
    expect(taken).toMatchObject({ granted: true });
    expect(await firstPart()).toMatchObject({
      received: undefined,
      balance: before.balance,
      holds: { length: 2 },
    });
    expect((await readAll()).flatMap(brokenPart)).toEqual([]);
    await tidy();
    expect(await readAll()).toMatchObject([{ received: 9_100n }, { received: 400n }]);
    await expectExact();
  });

  it('is exact at every step while calls of several processes go on through its conversion', async () => {
    await writeEarlierLayout([['req_1', 100n, NOON + 600]], 3);
    const processes = [open(), open(), open()];
    const admissions: Admission[] = [];
    for (let minute = 0; minute < 45; minute += 3) {
      const round = processes.map(async (process, at) => {
        const admission = await admit(100n * BigInt(at + 1), process);
        if (minute % 2 === 0) await admission.settle(outcomeOf(20n * BigInt(at + 3)));
        else admissions.push(admission);
      });
      await Promise.all([
        ...round,
        tidy(),
        ...admissions.splice(0, 2).map((each) => each.settle(outcomeOf(55n))),
      ]);
      expect((await readAll()).flatMap(brokenPart)).toEqual([]);
      nowMs += 180_000;
    }
    await Promise.all(admissions.map((each) => each.settle(outcomeOf(7n))));
    nowMs += HOLD_TTL_SECONDS * 1000;
    // One that meets a write of a process leaves the merge to the next.
    for (let sweeps = 0; sweeps < 3 && (sweeps === 0 || (await readAll()).length > 1); sweeps += 1)
      await sweep(open(), database.client);
    const { wallet, records } = await books();
    const spent = records.reduce((sum, { cost }) => sum + cost, 0n);
    expect(records.length).toBeGreaterThan(45);
    expect(wallet).toMatchObject({ balance: CREDIT - spent, holds: [] });
    expect(await readAll()).toMatchObject([{ parts: 1, received: CREDIT - 500n, spent: spent - 500n }]);
    await expectExact();
  });
});

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
