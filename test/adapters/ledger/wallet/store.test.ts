import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactionConflictException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DynamoAccountStore } from '../../../../lambdas/adapters/access/account-store.ts';
import { MAX_HOLDS, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { createWalletStore } from '../../../../lambdas/adapters/ledger/wallet/store.ts';
import { WalletTransfers } from '../../../../lambdas/adapters/ledger/wallet/transfer.ts';
import { WalletUpkeep } from '../../../../lambdas/adapters/ledger/wallet/upkeep.ts';
import type { Hold, WalletStore } from '../../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import { DATABASE_TABLES, engineClients, startDatabase, type TestDatabase } from '../../engine.ts';
import { loseFirstAnswers } from '../../lost-answers.ts';
import { splitWallet } from '../../split-wallet.ts';

const HOLD: Hold = {
  id: 'req_1',
  keyId: 'key_1',
  kind: 'chat',
  amount: 600n,
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

  it('in one part refuses it with one request to the database', async () => {
    const sent: string[] = [];
    const noting = (client: DynamoDBClient) =>
      aroundSend(client, (command, send) => {
        sent.push((command as object).constructor.name);
        return send(command);
      });
    const clients = { client: noting(database.client), onceClient: noting(database.onceClient) };
    const { granted } = await createWalletStore(clients, database.tables.wallets).hold(accountId, {
      ...HOLD,
      amount: 1_001n,
    });
    expect([granted, sent]).toEqual([false, ['UpdateItemCommand']]);
  });

  it('refuses it in a process that has never met the wallet, too', async () => {
    const stranger = createWalletStore(database, database.tables.wallets);
    const refused = await stranger.hold(accountId, { ...HOLD, amount: 1_001n });
    expect(refused).toMatchObject({ granted: false, wallet: { balance: 1_000n, holds: [] } });
    expect(await stranger.hold(accountId, { ...HOLD, amount: 1_000n })).toMatchObject({ granted: true });
  });

  it('ends a hold only at its very amount', async () => {
    await wallets.hold(accountId, HOLD);
    expect(
      await wallets.endHold(accountId, { ...HOLD, amount: 599n, cost: 0n, recorded: 0 }),
    ).toBeUndefined();
    expect(await wallets.endHold(accountId, { ...HOLD, id: 'req_2', cost: 0n, recorded: 0 })).toBeUndefined();
    expect(await wallets.endHold('acc_of_nobody', { ...HOLD, cost: 0n, recorded: 0 })).toBeUndefined();
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n, holds: [HOLD] });
    expect(await wallets.endHold(accountId, { ...HOLD, cost: 250n, recorded: 0 })).toBe(750n);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 750n, holds: [] });
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
    await expect(patient.endHold(accountId, { ...HOLD, cost: 0n, recorded: 0 })).rejects.toThrow('conflict');
  });
});

describe('a wallet in parts', () => {
  const tables = DATABASE_TABLES;
  const second = () => partId(accountId, 1);
  const partsOf = () => new WalletReads(database.client, tables.wallets).readAll(accountId);

  it('says the balance of all its parts when a hold ends that was taken before there were any', async () => {
    const { wallet } = await wallets.hold(accountId, HOLD);
    const held = wallet?.holds[0] ?? HOLD;
    await splitWallet(database, accountId, [300n]);
    expect((await partsOf()).map(({ balance }) => balance)).toEqual([100n, 300n]);
    expect(await wallets.endHold(accountId, { ...held, cost: 250n, recorded: 0 })).toBe(750n);
  });

  it('refuses no hold that it covers while money is on its way from one of its parts to another', async () => {
    await splitWallet(database, accountId, [1_000n]);
    const transfers = new WalletTransfers(database.client, tables.wallets);
    let moved = false;
    const client = aroundSend(database.client, async (command, send) => {
      const output = await send(command);
      const first = command instanceof GetItemCommand && command.input.Key?.wallet_id?.S === accountId;
      if (first && !moved) {
        moved = true;
        const [to, from] = await partsOf();
        if (to === undefined || from === undefined) throw new Error('the wallet has not two parts');
        expect(await transfers.move([{ part: from, amount: 1_000n }], to)).toBe(true);
      }
      return output;
    });
    const store = createWalletStore({ ...database, client }, tables.wallets, { random: () => 0 });
    expect(await store.hold(accountId, HOLD)).toMatchObject({ granted: true });
    expect(moved).toBe(true);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n });
  });

  it('takes a hold though its reading of all parts meets a write to one of them', async () => {
    await splitWallet(database, accountId, [500n]);
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
    const store = createWalletStore({ ...database, client }, tables.wallets);
    expect(await store.hold(accountId, HOLD)).toMatchObject({ granted: true });
    expect(conflicts).toBe(0);
  });

  it('takes what a part lacks from the others with the hold, to the last cent', async () => {
    await splitWallet(database, accountId, [300n, 300n]);
    expect(await wallets.hold(accountId, { ...HOLD, amount: 1_001n })).toMatchObject({ granted: false });
    expect(await wallets.hold(accountId, { ...HOLD, amount: 1_000n })).toMatchObject({ granted: true });
    expect(await wallets.read(accountId)).toMatchObject({ balance: 0n, holds: [{ amount: 1_000n }] });
  });

  it('has more parts when every place is taken, each of them within its places, and fewer when they are idle', async () => {
    const calls = 5 * MAX_HOLDS + 1;
    const held = [];
    for (let call = 0; call < calls; call += 1) {
      const result = await wallets.hold(accountId, { ...HOLD, id: `req_${call}`, amount: 10n });
      expect(result.granted).toBe(true);
      held.push(...(result.wallet?.holds ?? []).filter(({ id }) => id === `req_${call}`));
    }
    const parts = await partsOf();
    expect(parts.length).toBeGreaterThanOrEqual(6);
    for (const { holds } of parts) expect(holds.length).toBeLessThanOrEqual(MAX_HOLDS);
    expect(parts.flatMap(({ holds }) => holds)).toHaveLength(calls);
    for (const hold of held) await wallets.endHold(accountId, { ...hold, cost: 3n, recorded: 0 });
    const upkeep = (seconds: number) =>
      new WalletUpkeep(database.client, tables.wallets, () => (HOLD.created + seconds) * 1000);
    await upkeep(60).tidy(accountId);
    expect(await partsOf()).toHaveLength(parts.length);
    await upkeep(3_600).tidy(accountId);
    const [left, ...rest] = await partsOf();
    expect([left?.parts, rest]).toEqual([1, []]);
    expect(left).toMatchObject({
      balance: 1_000n - 3n * BigInt(calls),
      spent: 3n * BigInt(calls),
      received: 1_000n,
    });
    expect(await wallets.hold(accountId, { ...HOLD, amount: 900n })).toMatchObject({ granted: true });
  });

  it('keeps each item under 1 KB, with a part full of holds of the largest kind', async () => {
    const long = (n: number) => `req_${'0'.repeat(25)}${n}`;
    const hold = {
      keyId: `key_${'0'.repeat(26)}`,
      kind: 'embeddings' as const,
      amount: 99_999_999_999n,
      tokens: 1_000_000,
      created: 1_800_000_000,
      expires: 1_800_001_200,
    };
    await new DynamoAccountStore(database.client, tables).topUp({
      accountId,
      id: 'much',
      amount: 10n ** 15n,
      created: 0,
      source: 'test',
    });
    const id = long(9);
    const { wallet } = await wallets.hold(accountId, { ...hold, id });
    await wallets.endHold(accountId, {
      ...hold,
      id,
      ...wallet?.holds[0],
      cost: 77_777_777_777n,
      recorded: 1_800_000_000,
    });
    for (let n = 0; n < MAX_HOLDS; n += 1) {
      await wallets.hold(accountId, { ...hold, id: long(n) });
    }
    await splitWallet(database, accountId, [1n]);
    await wallets.balance(accountId);
    const { ConsumedCapacity: used } = await database.client.send(
      new UpdateItemCommand({
        TableName: tables.wallets,
        Key: { wallet_id: { S: accountId } },
        UpdateExpression: 'SET used = :now',
        ExpressionAttributeValues: { ':now': { N: '1800000000' } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(used?.CapacityUnits).toBe(1);
    expect((await partsOf())[0]?.holds).toHaveLength(MAX_HOLDS);
  });

  it('ends a hold whose answer was lost, on whichever part it is, and once', async () => {
    await splitWallet(database, accountId, [400n, 400n]);
    for (const random of [0, 0.4, 0.9]) {
      const clients = engineClients(database.endpoint);
      const store = createWalletStore(clients, tables.wallets, { random: () => random });
      await store.read(accountId);
      loseFirstAnswers(clients.onceClient);
      const wanted = { ...HOLD, id: `req_${random}`, amount: 100n };
      await store.hold(accountId, wanted).catch(() => {});
      const { walletId: _unknown, ...end } = { ...wanted, walletId: undefined, cost: 0n, recorded: 0 };
      await store.endHold(accountId, end);
      expect(await store.endHold(accountId, end)).toBeUndefined();
    }
    expect(await wallets.read(accountId)).toMatchObject({ balance: 1_000n, holds: [] });
    expect((await partsOf()).map(({ walletId }) => walletId)).toContain(second());
  });

  it('takes holds until it is empty, and has nothing left over in any part', async () => {
    await splitWallet(database, accountId, [300n, 300n]);
    const results = [];
    for (let call = 0; call < 11; call += 1) {
      results.push(await wallets.hold(accountId, { ...HOLD, id: `req_${call}`, amount: 100n }));
    }
    expect(results.map(({ granted }) => granted)).toEqual([...Array.from({ length: 10 }, () => true), false]);
    const { holds = [] } = (await wallets.read(accountId)) ?? {};
    expect(holds).toHaveLength(10);
    for (const held of holds) await wallets.endHold(accountId, { ...held, cost: 30n, recorded: 0 });
    expect(await wallets.read(accountId)).toMatchObject({ balance: 700n, holds: [] });
    expect(await wallets.hold(accountId, { ...HOLD, amount: 700n })).toMatchObject({ granted: true });
  });

  it('shows a balance that is at most 2 s old, and does not read its parts for every answer', async () => {
    await splitWallet(database, accountId, [500n]);
    let nowMs = 1_000_000;
    let reads = 0;
    const client = aroundSend(database.client, (command, send) => {
      if (command instanceof BatchGetItemCommand) reads += 1;
      return send(command);
    });
    const open = () => createWalletStore({ ...database, client }, tables.wallets, { clock: () => nowMs });
    const [one, other] = [open(), open()];
    expect(await one.balance(accountId)).toBe(1_000n);
    await wallets.hold(accountId, HOLD);
    expect([await one.balance(accountId), await other.balance(accountId)]).toEqual([1_000n, 1_000n]);
    expect(reads).toBe(1);
    nowMs += 1_500;
    expect([await one.balance(accountId), await other.balance(accountId)]).toEqual([400n, 400n]);
    expect(reads).toBe(2);
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

  it('ends a hold once', async () => {
    await wallets.hold(accountId, HOLD);
    await repeated.endHold(accountId, { ...HOLD, cost: 100n, recorded: 0 });
    expect(attempts()).toBe(2);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 900n, holds: [] });
  });
});
