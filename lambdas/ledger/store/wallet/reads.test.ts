import {
  BatchGetItemCommand,
  type DynamoDBClient,
  TransactGetItemsCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { moveCredit, splitWallet } from '../../testing/split-wallet.ts';
import { growShards } from './growth.ts';
import { shardId } from './item.ts';
import { WalletReads } from './reads.ts';

const database = fileDatabase();
let accountId: string;

beforeEach(async () => {
  ({ accountId } = await openAccount(database.client, 1_000n, {}));
});

const reads = (client = database.client) => new WalletReads(client, database.tables.wallets);
const readAll = (client = database.client) => reads(client).readAll(accountId);

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

const moveBack = (amount: bigint) =>
  moveCredit(database, { from: shardId(accountId, 1), to: accountId, amount });

describe('all shards of a wallet', () => {
  it('load in their order, the first one first', async () => {
    expect(await readAll(database.client)).toMatchObject([{ walletId: accountId, shards: 1 }]);
    await splitWallet(database, accountId, [100n, 200n]);
    expect(await readAll()).toMatchObject([
      { walletId: accountId, shards: 3, balance: 700n },
      { walletId: shardId(accountId, 1), balance: 100n },
      { walletId: shardId(accountId, 2), balance: 200n },
    ]);
    expect(await reads().readAll('acc_of_nobody')).toEqual([]);
  });

  it('load again if more of them exist by then', async () => {
    await splitWallet(database, accountId, [100n]);
    let isMet = false;
    const client = aroundSend(database.client, async (command, send) => {
      if (command instanceof TransactGetItemsCommand && !isMet) {
        isMet = true;
        await growShards(database.client, database.tables.wallets, accountId, 2);
      }
      return send(command);
    });
    const shards = await readAll(client);
    expect(shards).toHaveLength(5);
    expect(shards.reduce((sum, { balance }) => sum + balance, 0n)).toBe(1_000n);
  });

  it('load separately, until two reads agree, if writes keep canceling the transaction', async () => {
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

  it('load as of the last reading if two readings never agree', async () => {
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

  it('load without those that do not exist in a rough reading', async () => {
    await splitWallet(database, accountId, [300n]);
    const snapshot = await reads().readRoughly(accountId, 4);
    expect(snapshot.map(({ balance }) => balance)).toEqual([700n, 300n]);
    expect(await reads().readRoughly(accountId, 1)).toHaveLength(1);
  });

  it('fail to load, without separate reads, after another failure', async () => {
    await splitWallet(database, accountId, [300n]);
    const client = aroundSend(database.client, (command, send) => {
      if (command instanceof TransactGetItemsCommand) throw new Error('no answer');
      return send(command);
    });
    await expect(readAll(client)).rejects.toThrow('no answer');
  });
});
