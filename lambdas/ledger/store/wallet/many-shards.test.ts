import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import type { Hold } from '../../core/ports.ts';
import { aroundSend } from '../../testing/failing-process.ts';
import { openAccount } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';
import { brokenShards } from '../../testing/stored-shards.ts';
import { WalletReads } from './reads.ts';
import { createWalletStore } from './store.ts';

const SHARDS = 120;
const SHARE = 10n;
const CREDIT = BigInt(SHARDS) * SHARE;
/** All but what a few shards have: more than those of one transaction can give. */
const AMOUNT = CREDIT - 30n;

const HOLD: Hold = {
  id: 'req_1',
  keyId: 'key_1',
  kind: 'chat',
  amount: AMOUNT,
  expires: 20,
};

const database = fileDatabase();
let accountId: string;

beforeAll(async () => {
  ({ accountId } = await openAccount(database.client, CREDIT, {}));
  await splitWallet(database, accountId, Array<bigint>(SHARDS - 1).fill(SHARE));
});

const readAll = () => new WalletReads(database.client, database.tables.wallets).readAll(accountId);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

/** A process whose first transaction is noted, and fails if it shall. */
function processThat(fails: boolean) {
  const transactions: number[] = [];
  const client = aroundSend(database.client, (command, send) => {
    if (command instanceof TransactWriteItemsCommand) {
      transactions.push(command.input.TransactItems?.length ?? 0);
      if (fails && transactions.length === 1) throw new Error('the database does not answer');
    }
    return send(command);
  });
  return {
    wallets: createWalletStore({ ...database, client }, database.tables.wallets),
    transactions,
  };
}

// The credit lies in all of the shards only before the first hold: the tests are in this order.
describe('a hold that needs more shards than one transaction can update', () => {
  it('fails where the credit cannot be gathered, and moves nothing', async () => {
    const { wallets, transactions } = processThat(true);
    await expect(wallets.hold(accountId, HOLD)).rejects.toThrow('the database does not answer');
    expect(transactions).toEqual([91]);
    const shards = await readAll();
    expect(shards.map(({ balance }) => balance)).toEqual(Array.from({ length: SHARDS }, () => SHARE));
    expect(shards.flatMap(({ holds }) => holds)).toEqual([]);
  });

  it('succeeds after most of the credit is consolidated in one shard, and loses no credit', async () => {
    const { wallets, transactions } = processThat(false);
    expect(await wallets.hold(accountId, HOLD)).toMatchObject({ granted: true });
    expect(transactions).toHaveLength(2);
    const shards = await readAll();
    expect(shards.flatMap(({ holds }) => holds)).toMatchObject([{ id: 'req_1', amount: AMOUNT }]);
    expect(sum(shards.map(({ balance }) => balance))).toBe(CREDIT - AMOUNT);
    expect(await brokenShards(database)).toEqual([]);
  });
});
