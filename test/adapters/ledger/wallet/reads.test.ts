import {
  BatchGetItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { number } from '../../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { encodeNewWallet, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { WalletTransfers } from '../../../../lambdas/adapters/ledger/wallet/transfer.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import { openAccount } from '../../../core/ledger/running-ledger.ts';
import { startDatabase, type TestDatabase } from '../../engine.ts';
import { countParts, splitWallet } from '../../split-wallet.ts';

let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

beforeEach(async () => {
  ({ accountId } = await openAccount(database.client, 1_000n, {}));
});

const reads = (client = database.client) => new WalletReads(client, database.tables.wallets);
const readAll = (client = database.client) => reads(client).readAll(accountId);
const idsOf = async (client?: DynamoDBClient) => (await readAll(client)).map(({ walletId }) => walletId);

/** A client whose readings of several items as of one instant are cancelled. */
const cancelling = (client: DynamoDBClient) => {
  let cancelled = 0;
  const wrapped = aroundSend(client, (command, send) => {
    if (!(command instanceof TransactGetItemsCommand)) return send(command);
    cancelled += 1;
    throw new TransactionCanceledException({ message: 'conflict', $metadata: {} });
  });
  return { client: wrapped, cancelled: () => cancelled };
};

const moveBack = async (amount: bigint) => {
  const [first, second] = await readAll();
  if (first === undefined || second === undefined) throw new Error('the wallet has not two parts');
  const transfers = new WalletTransfers(database.client, database.tables.wallets);
  expect(await transfers.move([{ part: second, amount }], first)).toBe(true);
};

describe('all parts of a wallet', () => {
  it('are those that exist, the first one first', async () => {
    expect(await readAll(database.client)).toMatchObject([{ walletId: accountId, parts: 1 }]);
    await splitWallet(database, accountId, [100n, 200n]);
    await countParts(database, accountId, 8);
    expect(await readAll()).toMatchObject([
      { walletId: accountId, parts: 8, balance: 700n },
      { walletId: partId(accountId, 1), balance: 100n },
      { walletId: partId(accountId, 2), balance: 200n },
    ]);
    expect(await reads().readAll('acc_of_nobody')).toEqual([]);
  });

  it('are read again where there are more by the time they are read', async () => {
    await splitWallet(database, accountId, [100n]);
    let met = false;
    const client = aroundSend(database.client, async (command, send) => {
      if (command instanceof TransactGetItemsCommand && !met) {
        met = true;
        await countParts(database, accountId, 4);
        const [first] = await readAll();
        if (first === undefined) throw new Error('the wallet is gone');
        const hold = {
          id: 'req_1',
          keyId: 'k',
          kind: 'chat',
          amount: 0n,
          created: 0,
          expires: 1,
        } as const;
        const target = { walletId: partId(accountId, 3), part: undefined };
        const transfers = new WalletTransfers(database.client, database.tables.wallets);
        expect(await transfers.hold(target, hold, [{ part: first, amount: 250n }])).toBe(true);
      }
      return send(command);
    });
    const parts = await readAll(client);
    expect(parts.map(({ walletId }) => walletId)).toContain(partId(accountId, 3));
    expect(parts.reduce((sum, { balance }) => sum + balance, 0n)).toBe(1_000n);
  });

  it('are read one by one where writes keep cancelling the reading, until two readings agree', async () => {
    await splitWallet(database, accountId, [300n]);
    const { client, cancelled } = cancelling(database.client);
    let batches = 0;
    const moving = aroundSend(client, async (command, send) => {
      const output = await send(command);
      if (!(command instanceof BatchGetItemCommand)) return output;
      batches += 1;
      if (batches === 1) await moveBack(120n);
      return output;
    });
    expect((await readAll(moving)).map(({ balance }) => balance)).toEqual([820n, 180n]);
    expect([cancelled(), batches]).toEqual([3, 3]);
  });

  it('are what was read last where they never agree', async () => {
    await splitWallet(database, accountId, [300n]);
    let batches = 0;
    const moving = aroundSend(cancelling(database.client).client, async (command, send) => {
      const output = await send(command);
      if (command instanceof BatchGetItemCommand) {
        batches += 1;
        await moveBack(1n);
      }
      return output;
    });
    expect((await readAll(moving)).map(({ balance }) => balance)).toEqual([703n, 297n]);
    expect(batches).toBe(4);
  });

  it('may be read roughly, without those that do not exist', async () => {
    await splitWallet(database, accountId, [300n]);
    const found = await reads().readRoughly(accountId, 120);
    expect(found.map(({ balance }) => balance)).toEqual([700n, 300n]);
    expect(await reads().readRoughly(accountId, 1)).toHaveLength(1);
  });

  it('are not read one by one for another failure', async () => {
    await splitWallet(database, accountId, [300n]);
    const client = aroundSend(database.client, (command, send) => {
      if (command instanceof TransactGetItemsCommand) throw new Error('no answer');
      return send(command);
    });
    await expect(readAll(client)).rejects.toThrow('no answer');
  });

  it('may be more than one request can read', async () => {
    await countParts(database, accountId, 256);
    for (const index of [1, 99, 100, 101, 199, 200, 255])
      await database.client.send(
        new PutItemCommand({
          TableName: database.tables.wallets,
          Item: { ...encodeNewWallet(partId(accountId, index)), balance: number(index) },
        }),
      );
    expect(await idsOf()).toEqual(
      [0, 1, 99, 100, 101, 199, 200, 255].map((index) => partId(accountId, index)),
    );
  });
});
