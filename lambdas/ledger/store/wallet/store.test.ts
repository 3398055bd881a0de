import {
  type DynamoDBClient,
  GetItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactionConflictException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DATABASE_TABLES, engineClients } from '../../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../../tools/test-kit/lost-answers.ts';
import { DynamoAccountStore } from '../../../access/store/accounts/account-store.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { type Hold, isCallHold, type WalletStore } from '../../core/ports.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { moveCredit, splitWallet } from '../../testing/split-wallet.ts';
import { DynamoCreditStore } from '../credit-store.ts';
import { MAX_HOLDS, shardId } from './item.ts';
import { WalletReads } from './reads.ts';
import { createWalletStore } from './store.ts';

const HOLD: Hold = {
  id: 'req_1',
  keyId: 'key_1',
  kind: 'chat',
  amount: 600n,
  expires: 20,
};

const database = fileDatabase();
let wallets: WalletStore;
let accountId: string;

beforeAll(async () => {
  wallets = createWalletStore(database, database.tables.wallets);
});

/** Takes a hold and returns it as the wallet has it. */
async function hold(holdRequest: Hold, store = wallets): Promise<Hold> {
  const { wallet } = await store.hold(accountId, holdRequest);
  const storedHold = wallet?.holds.filter(isCallHold).find(({ id }) => id === holdRequest.id);
  if (storedHold === undefined) throw new Error('the hold was refused');
  return storedHold;
}

beforeEach(async () => {
  ({ accountId } = await openAccount(database.client, 1_000n, {}));
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

  it('rejects a hold beyond its balance, changes nothing and returns its current state', async () => {
    await wallets.hold(accountId, HOLD);
    const rejectedHold = await wallets.hold(accountId, { ...HOLD, id: 'req_2', amount: 401n });
    expect(rejectedHold).toMatchObject({ granted: false, wallet: { balance: 400n, holds: [HOLD] } });
    expect(await wallets.hold('acc_of_nobody', HOLD)).toEqual({ granted: false, wallet: undefined });
  });

  it('rejects a hold above its balance with one database request if it has one shard', async () => {
    const sentRequests: string[] = [];
    const noting = (client: DynamoDBClient) =>
      aroundSend(client, (command, send) => {
        sentRequests.push((command as object).constructor.name);
        return send(command);
      });
    const clients = { client: noting(database.client), onceClient: noting(database.onceClient) };
    const { granted } = await createWalletStore(clients, database.tables.wallets).hold(accountId, {
      ...HOLD,
      amount: 1_001n,
    });
    expect([granted, sentRequests]).toEqual([false, ['UpdateItemCommand']]);
  });

  it('rejects such a hold also in a process that has not cached the wallet', async () => {
    const stranger = createWalletStore(database, database.tables.wallets);
    const rejectedHold = await stranger.hold(accountId, { ...HOLD, amount: 1_001n });
    expect(rejectedHold).toMatchObject({ granted: false, wallet: { balance: 1_000n, holds: [] } });
    expect(await stranger.hold(accountId, { ...HOLD, amount: 1_000n })).toMatchObject({ granted: true });
  });

  it('ends that very hold and no other', async () => {
    const placedHold = await hold(HOLD);
    const end = { cost: 0n, recorded: 0 };
    for (const other of [{ amount: 599n }, { attempt: '00000000' }, { id: 'req_2' }, { keyId: 'key_2' }])
      expect(await wallets.endHold(accountId, { ...placedHold, ...other, ...end })).toBeUndefined();
    const elsewhere = { ...placedHold, walletId: 'acc_of_nobody', ...end };
    expect(await wallets.endHold('acc_of_nobody', elsewhere)).toBeUndefined();
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n, holds: [placedHold] });
    expect(await wallets.endHold(accountId, { ...placedHold, ...end, cost: 250n })).toBe(750n);
    expect(await wallets.endHold(accountId, { ...placedHold, ...end, cost: 250n })).toBeUndefined();
    expect(await wallets.read(accountId)).toMatchObject({ balance: 750n, holds: [] });
  });

  it('identifies the hold that cannot be read', async () => {
    await wallets.hold(accountId, HOLD);
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.wallets,
        Key: { wallet_id: { S: accountId } },
        UpdateExpression: 'SET holds.req_1 = :entry',
        ExpressionAttributeValues: { ':entry': { S: 'key_1|chat|1.5|20|' } },
      }),
    );
    await expect(wallets.read(accountId)).rejects.toThrow('req_1');
  });

  it('stores amounts beyond the digits of a floating-point number exactly', async () => {
    const amount = 9_007_199_254_740_993n;
    await new DynamoCreditStore(database.client, database.tables).topUp({
      accountId,
      id: 'much',
      amount,
      created: 0,
      source: 'test',
    });
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
        if (!(command instanceof UpdateItemCommand)) return send(command);
        conflicts -= 1;
        if (conflicts < 0) return send(command);
        throw new TransactionConflictException({ message: 'conflict', $metadata: {} });
      });
    const clients = { client: conflicting(database.client), onceClient: conflicting(database.onceClient) };
    const waitingStore = createWalletStore(clients, database.tables.wallets);
    const placedHold = await hold(HOLD, waitingStore);
    conflicts = Number.POSITIVE_INFINITY;
    await expect(waitingStore.endHold(accountId, { ...placedHold, cost: 0n, recorded: 0 })).rejects.toThrow(
      'conflict',
    );
  });
});

describe('a wallet in several shards', () => {
  const tables = DATABASE_TABLES;
  const second = () => shardId(accountId, 1);
  const shardsOf = () => new WalletReads(database.client, tables.wallets).readAll(accountId);

  it('returns the balance of all of them after it ends a hold that was placed before sharding', async () => {
    const placedHold = await hold(HOLD);
    await splitWallet(database, accountId, [300n]);
    expect((await shardsOf()).map(({ balance }) => balance)).toEqual([100n, 300n]);
    expect(await wallets.endHold(accountId, { ...placedHold, cost: 250n, recorded: 0 })).toBe(750n);
  });

  it('rejects no hold that it covers while credit moves from one of them to another', async () => {
    await splitWallet(database, accountId, [1_000n]);
    let moved = false;
    const client = aroundSend(database.client, async (command, send) => {
      const output = await send(command);
      const first = command instanceof GetItemCommand && command.input.Key?.wallet_id?.S === accountId;
      if (first && !moved) {
        moved = true;
        await moveCredit(database, { from: shardId(accountId, 1), to: accountId, amount: 1_000n });
      }
      return output;
    });
    const store = createWalletStore({ ...database, client }, tables.wallets, { random: () => 0 });
    expect(await store.hold(accountId, HOLD)).toMatchObject({ granted: true });
    expect(moved).toBe(true);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 400n });
  });

  it('accepts a hold although one shard changes while all are read', async () => {
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

  it('takes the credit that one shard lacks from the others with the hold, to the last cent', async () => {
    await splitWallet(database, accountId, [300n, 300n]);
    expect(await wallets.hold(accountId, { ...HOLD, amount: 1_001n })).toMatchObject({ granted: false });
    expect(await wallets.hold(accountId, { ...HOLD, amount: 1_000n })).toMatchObject({ granted: true });
    expect(await wallets.read(accountId)).toMatchObject({ balance: 0n, holds: [{ amount: 1_000n }] });
  });

  it('stores each item in less than 1 KB, with the maximum number of holds of the largest type', async () => {
    const holdRequest = (n: number) => ({
      id: `req_${'0'.repeat(25)}${n}`,
      keyId: `key_${'0'.repeat(26)}`,
      kind: 'embeddings' as const,
      amount: 99_999_999_999n,
      expires: 1_800_001_200,
    });
    accountId = 'acc_1';
    await new DynamoAccountStore(database.client, tables).open({ id: accountId, created: 0 });
    await new DynamoCreditStore(database.client, tables).topUp({
      accountId,
      id: 'much',
      amount: 10n ** 15n,
      created: 0,
      source: 'test',
    });
    for (const [n, recorded] of [1_800_000_000, 1_800_086_400].entries())
      await wallets.endHold(accountId, { ...(await hold(holdRequest(n))), cost: 77_777_777_777n, recorded });
    await splitWallet(database, accountId, Array<bigint>(8).fill(1n));
    const store0 = createWalletStore(database, tables.wallets, { random: () => 0 });
    for (let n = 0; n < MAX_HOLDS; n += 1) await hold(holdRequest(n), store0);
    await wallets.balance(accountId);
    const { ConsumedCapacity: used } = await database.client.send(
      new UpdateItemCommand({
        TableName: tables.wallets,
        Key: { wallet_id: { S: accountId } },
        UpdateExpression: 'SET entries = :more',
        ExpressionAttributeValues: { ':more': { N: '99999' } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(used?.CapacityUnits).toBe(1);
    expect((await shardsOf())[0]).toMatchObject({
      total: { atMs: expect.any(Number) },
      holds: { length: MAX_HOLDS },
    });
  });

  it('ends a hold once if its response was lost, on any of them', async () => {
    await splitWallet(database, accountId, [400n, 400n]);
    for (const random of [0, 0.4, 0.9]) {
      const clients = engineClients(database.endpoint);
      const store = createWalletStore(clients, tables.wallets, { random: () => random });
      await store.read(accountId);
      loseFirstResponses(clients.onceClient);
      const holdRequest = { ...HOLD, id: `req_${random}`, amount: 100n };
      await store.hold(accountId, holdRequest).catch(() => {});
      const { walletId: _unknown, ...end } = { ...holdRequest, walletId: undefined, cost: 0n, recorded: 0 };
      await store.endHold(accountId, end);
      expect(await store.endHold(accountId, end)).toBeUndefined();
    }
    expect(await wallets.read(accountId)).toMatchObject({ balance: 1_000n, holds: [] });
    expect((await shardsOf()).map(({ walletId }) => walletId)).toContain(second());
  });
});

describe('a request whose response is lost, and which the SDK may retry', () => {
  let repeated: WalletStore;
  let attempts: () => number;

  beforeEach(() => {
    const clients = engineClients(database.endpoint);
    loseFirstResponses(clients.onceClient);
    attempts = loseFirstResponses(clients.client).attempts;
    repeated = createWalletStore(clients, database.tables.wallets);
  });

  it.each([600n, 1_000n])(
    'places a hold of %p of 1,000 once, and never reports a rejection',
    async (amount) => {
      const holdRequest = { ...HOLD, amount };
      const result = await repeated.hold(accountId, holdRequest).catch(() => 'unclear');
      if (result !== 'unclear') expect(result).toMatchObject({ granted: true });
      expect(await wallets.read(accountId)).toMatchObject({ balance: 1_000n - amount, holds: [holdRequest] });
    },
  );

  it('places a hold although the connection was reset while the function was frozen, before it sent anything', async () => {
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
    await repeated.endHold(accountId, { ...(await hold(HOLD)), cost: 100n, recorded: 0 });
    expect(attempts()).toBe(2);
    expect(await wallets.read(accountId)).toMatchObject({ balance: 900n, holds: [] });
  });
});

describe('a shard that does not add up', () => {
  it('causes a report by each operation that reads it, and still accepts holds', async () => {
    const reports: [string, bigint][] = [];
    const verified = createWalletStore(database, database.tables.wallets, {
      onDrift: (id, drift) => reports.push([id, drift]),
    });
    const placedHold = await hold(HOLD, verified);
    await verified.read(accountId);
    expect(reports).toEqual([]);
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.wallets,
        Key: { wallet_id: { S: accountId } },
        UpdateExpression: 'SET balance = balance + :stray',
        ExpressionAttributeValues: { ':stray': { N: '7' } },
      }),
    );
    await verified.read(accountId);
    await hold({ ...HOLD, id: 'req_2', amount: 1n }, verified);
    expect(await verified.endHold(accountId, { ...placedHold, cost: 0n, recorded: 0 })).toBe(1_006n);
    expect(reports).toEqual(Array.from({ length: 3 }, () => [accountId, 7n]));
  });
});
