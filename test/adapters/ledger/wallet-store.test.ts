import {
  type DynamoDBClient,
  GetItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DynamoAccountStore } from '../../../lambdas/adapters/access/account-store.ts';
import { shardId } from '../../../lambdas/adapters/ledger/wallet-item.ts';
import { WalletShards } from '../../../lambdas/adapters/ledger/wallet-shard.ts';
import { setShardCount } from '../../../lambdas/adapters/ledger/wallet-split.ts';
import { createWalletStore } from '../../../lambdas/adapters/ledger/wallet-store.ts';
import { WalletTransfers } from '../../../lambdas/adapters/ledger/wallet-transfer.ts';
import type { Hold, WalletStore } from '../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../core/ledger/failing-process.ts';
import { DATABASE_TABLES, engineClients, startDatabase, type TestDatabase } from '../engine.ts';
import { loseFirstAnswers } from '../lost-answers.ts';

const HOLD: Hold = {
  id: 'req_1',
  keyId: 'key_1',
  kind: 'chat',
  amount: 600n,
  exposure: 0n,
  created: 10,
  expires: 20,
};

let database: TestDatabase;
let wallets: WalletStore;
let accountId: string;
let accounts = 0;

beforeAll(async () => {
  database = await startDatabase();
  wallets = createWalletStore(database, database.tables.wallets);
});
afterAll(() => database.stop());

beforeEach(async () => {
  accounts += 1;
  accountId = `acc_${accounts}`;
  const store = new DynamoAccountStore(database.client, database.tables);
  await store.open({ id: accountId, created: 0 });
  await store.topUp({ accountId, id: 'first', amount: 1_000n, created: 0, source: 'test' });
});

describe('a wallet', () => {
  it('opens empty, with no holds', async () => {
    await new DynamoAccountStore(database.client, database.tables).open({ id: 'acc_new', created: 0 });
    expect(await wallets.read('acc_new')).toMatchObject({ accountId: 'acc_new', balance: 0n, holds: [] });
    expect(await wallets.read('acc_of_nobody')).toBeUndefined();
  });

  it('moves a hold’s amount from the balance into the hold, and returns every field of it', async () => {
    const result = await wallets.hold(accountId, HOLD);
    expect(result).toMatchObject({ granted: true, wallet: { balance: 400n, holds: [HOLD] } });
    expect(await wallets.read(accountId)).toMatchObject({ accountId, balance: 400n, holds: [HOLD] });
  });

  it('refuses a hold beyond its balance, changes nothing and returns what it has', async () => {
    await wallets.hold(accountId, HOLD);
    const refused = await wallets.hold(accountId, { ...HOLD, id: 'req_2', amount: 401n });
    expect(refused).toMatchObject({ granted: false, wallet: { balance: 400n, holds: [HOLD] } });
    expect(await wallets.hold('acc_of_nobody', HOLD)).toEqual({ granted: false, wallet: undefined });
  });

  it('ends a hold only at its very amount', async () => {
    await wallets.hold(accountId, HOLD);
    expect(await wallets.endHold(accountId, { ...HOLD, amount: 599n, cost: 0n })).toBeUndefined();
    expect(await wallets.endHold(accountId, { ...HOLD, id: 'req_2', cost: 0n })).toBeUndefined();
    expect(await wallets.endHold('acc_of_nobody', { ...HOLD, cost: 0n })).toBeUndefined();
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n, holds: [HOLD] });
    expect(await wallets.endHold(accountId, { ...HOLD, cost: 250n })).toBe(750n);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 750n, holds: [] });
  });

  it.each([
    [900n, 900n, 100n],
    [1_000n, 1_000n, 0n],
    [5_000n, 1_000n, 0n],
    [600n, 600n, 400n],
    [100n, 600n, 400n],
  ])('grows a hold of 600 towards %p to %p, by what there is', async (target, grown, balance) => {
    const { wallet } = await wallets.hold(accountId, HOLD);
    const held = wallet?.holds[0] ?? HOLD;
    expect(await wallets.growHold(accountId, held, target)).toBe(grown);
    expect(await wallets.read(accountId)).toMatchObject({ balance, holds: [{ amount: grown }] });
  });

  it('grows no hold that has ended', async () => {
    await wallets.hold(accountId, HOLD);
    await wallets.endHold(accountId, { ...HOLD, cost: 600n });
    expect(await wallets.growHold(accountId, HOLD, 900n)).toBe(600n);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n, holds: [] });
  });

  it('keeps amounts beyond the digits of a floating-point number exactly', async () => {
    const store = new DynamoAccountStore(database.client, database.tables);
    const amount = 9_007_199_254_740_993n;
    await store.topUp({ accountId, id: 'much', amount, created: 0, source: 'test' });
    await wallets.hold(accountId, { ...HOLD, amount: 9_007_199_254_740_991n });
    expect(await wallets.read(accountId)).toMatchObject({
      balance: 1_002n,
      holds: [{ amount: 9_007_199_254_740_991n }],
    });
  });

  it('waits for a transaction on its item instead of failing, a few times', async () => {
    let conflicts = 2;
    const conflicting = (real: DynamoDBClient) =>
      aroundSend(real, (command, send) => {
        conflicts -= 1;
        if (conflicts < 0) return send(command);
        throw new TransactionConflictException({ message: 'conflict', $metadata: {} });
      });
    const clients = { client: conflicting(database.client), onceClient: conflicting(database.onceClient) };
    const patient = createWalletStore(clients, database.tables.wallets);
    expect((await patient.hold(accountId, HOLD)).granted).toBe(true);
    conflicts = Number.POSITIVE_INFINITY;
    await expect(patient.endHold(accountId, { ...HOLD, cost: 0n })).rejects.toThrow('conflict');
  });
});

describe('a wallet of several items', () => {
  const tables = DATABASE_TABLES;

  it('refuses no hold that it covers while money is on its way from one of its items to another', async () => {
    await setShardCount(database, tables.wallets, accountId, 2);
    const shards = new WalletShards(database, tables.wallets);
    const transfers = new WalletTransfers(database.client, shards);
    const second = shardId(accountId, 1);
    await transfers.move({ walletId: accountId, amount: 1_000n }, second);
    let moved = false;
    const client = aroundSend(database.client, async (command, send) => {
      const output = await send(command);
      const first = command instanceof GetItemCommand && command.input.Key?.wallet_id?.S === accountId;
      if (first && !moved) {
        moved = true;
        await transfers.move({ walletId: second, amount: 1_000n }, accountId);
      }
      return output;
    });
    const store = createWalletStore({ ...database, client }, tables.wallets, () => 0);
    expect(await store.hold(accountId, HOLD)).toMatchObject({ granted: true });
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n });
  });

  it('takes a hold though its reading of all items meets a write to one of them', async () => {
    await setShardCount(database, tables.wallets, accountId, 2);
    const split = createWalletStore(database, tables.wallets);
    const { wallet } = await split.hold(accountId, { ...HOLD, id: 'req_0', amount: 0n });
    expect(wallet?.balance).toBeDefined();
    let conflicts = 1;
    const client = aroundSend(database.client, (command, send) => {
      if (!(command instanceof TransactGetItemsCommand) || conflicts === 0) return send(command);
      conflicts -= 1;
      // Source: Amazon DynamoDB API reference, TransactGetItems: a conflicting write cancels the reading.
      const reasons = [{ Code: 'TransactionConflict' }, { Code: 'None' }];
      throw new TransactionCanceledException({
        message: 'conflict',
        $metadata: {},
        CancellationReasons: reasons,
      });
    });
    const store = createWalletStore({ ...database, client }, tables.wallets, () => 0.9);
    await store.read(accountId).catch(() => {});
    conflicts = 1;
    expect(await store.hold(accountId, HOLD)).toMatchObject({ granted: true });
  });

  it('ends a hold whose item is not known, whichever has it, and once', async () => {
    await setShardCount(database, tables.wallets, accountId, 3);
    for (const [index, random] of [0, 0.4, 0.9].entries()) {
      const store = createWalletStore(database, tables.wallets, () => random);
      // A process learns of the items at its first call.
      await store.hold(accountId, { ...HOLD, id: `first_${index}`, amount: 0n });
      const { wallet } = await store.hold(accountId, { ...HOLD, id: `req_${index}`, amount: 100n });
      expect(wallet?.holds.find(({ id }) => id === `req_${index}`)?.walletId).toBe(shardId(accountId, index));
      const end = { ...HOLD, id: `req_${index}`, amount: 100n, cost: 0n };
      expect(await store.endHold(accountId, end)).toBeDefined();
      expect(await store.endHold(accountId, end)).toBeUndefined();
    }
    const { balance, holds } = (await wallets.read(accountId)) ?? {};
    expect([balance, holds?.filter(({ id }) => id.startsWith('req_'))]).toEqual([1_000n, []]);
  });

  it('takes holds until it is empty, and has nothing left over in any item', async () => {
    await setShardCount(database, tables.wallets, accountId, 3);
    const results = [];
    for (let call = 0; call < 11; call += 1) {
      results.push(await wallets.hold(accountId, { ...HOLD, id: `req_${call}`, amount: 100n }));
    }
    expect(results.map(({ granted }) => granted)).toEqual([...Array.from({ length: 10 }, () => true), false]);
    for (const held of results[10]?.wallet?.holds ?? [])
      await wallets.endHold(accountId, { ...held, cost: 30n });
    expect(await wallets.read(accountId)).toMatchObject({ balance: 700n, holds: [] });
    await setShardCount(database, tables.wallets, accountId, 1);
    expect(await wallets.hold(accountId, { ...HOLD, amount: 700n })).toMatchObject({ granted: true });
  });
});

describe('a request whose answer is lost, and which the SDK may repeat', () => {
  let repeated: WalletStore;
  let attempts: () => number;

  beforeEach(() => {
    const clients = engineClients(database.endpoint);
    loseFirstAnswers(clients.onceClient);
    attempts = loseFirstAnswers(clients.client).attempts;
    repeated = createWalletStore(clients, database.tables.wallets);
  });

  it.each([600n, 1_000n])(
    'takes a hold of %p of 1,000 once, and never says that it was refused',
    async (amount) => {
      const wanted = { ...HOLD, amount };
      const answer = await repeated.hold(accountId, wanted).catch(() => 'unclear');
      if (answer !== 'unclear') expect(answer).toMatchObject({ granted: true });
      expect(await wallets.read(accountId)).toMatchObject({ balance: 1_000n - amount, holds: [wanted] });
    },
  );

  it('takes a hold though the connection was reset while the function slept, before anything was sent', async () => {
    const clients = engineClients(database.endpoint);
    let resets = 1;
    for (const client of [clients.client, clients.onceClient]) {
      client.middlewareStack.add(
        (next) => async (args) => {
          resets -= 1;
          if (resets < 0) return next(args);
          throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        },
        { step: 'deserialize', priority: 'low', name: 'resetOnce' },
      );
    }
    const store = createWalletStore(clients, database.tables.wallets);
    expect(await store.hold(accountId, HOLD)).toMatchObject({ granted: true });
  });

  it('grows a hold once, and returns its new amount', async () => {
    const { wallet } = await wallets.hold(accountId, HOLD);
    const held = wallet?.holds[0] ?? HOLD;
    expect(await repeated.growHold(accountId, held, 700n)).toBe(700n);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 300n, holds: [{ amount: 700n }] });
    expect(attempts()).toBe(2);
  });

  it('grows a hold once where the balance gives only part', async () => {
    const { wallet } = await wallets.hold(accountId, HOLD);
    const held = wallet?.holds[0] ?? HOLD;
    expect(await repeated.growHold(accountId, held, 5_000n)).toBe(1_000n);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 0n, holds: [{ amount: 1_000n }] });
  });

  it('ends a hold once', async () => {
    await wallets.hold(accountId, HOLD);
    await repeated.endHold(accountId, { ...HOLD, cost: 100n });
    expect(attempts()).toBe(2);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 900n, holds: [] });
  });
});
