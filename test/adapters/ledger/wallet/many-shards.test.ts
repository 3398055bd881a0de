import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DynamoAccountStore } from '../../../../lambdas/adapters/access/account-store.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { createWalletStore } from '../../../../lambdas/adapters/ledger/wallet/store.ts';
import type { Hold } from '../../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import { startDatabase, type TestDatabase } from '../../engine.ts';
import { splitWallet } from '../../split-wallet.ts';
import { brokenParts } from '../../stored-parts.ts';

const ACCOUNT_ID = 'acc_1';
const PARTS = 120;
const SHARE = 10n;
const CREDIT = BigInt(PARTS) * SHARE;
/** All but what a few parts have: more than the parts of one transaction can give. */
const AMOUNT = CREDIT - 30n;

const HOLD: Hold = {
  ...{ id: 'req_1', keyId: 'key_1', tokens: 0, kind: 'chat', amount: AMOUNT },
  ...{ created: 10, expires: 20 },
};

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
  const store = new DynamoAccountStore(database.client, database.tables);
  await store.open({ id: ACCOUNT_ID, created: 0 });
  await store.topUp({ accountId: ACCOUNT_ID, id: 'first', amount: CREDIT, created: 0, source: 'test' });
  await splitWallet(
    database,
    ACCOUNT_ID,
    Array.from({ length: PARTS - 1 }, () => SHARE),
  );
});
afterAll(() => database.stop());

const readAll = () => new WalletReads(database.client, database.tables.wallets).readAll(ACCOUNT_ID);
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

// The money lies in all of the parts only before the first hold: the tests are in this order.
describe('a hold of money that lies in more parts than one transaction may take from', () => {
  it('fails where the money cannot be gathered, and moves nothing', async () => {
    const { wallets, transactions } = processThat(true);
    await expect(wallets.hold(ACCOUNT_ID, HOLD)).rejects.toThrow('the database does not answer');
    expect(transactions).toEqual([91]);
    const parts = await readAll();
    expect(parts.map(({ balance }) => balance)).toEqual(Array.from({ length: PARTS }, () => SHARE));
    expect(parts.flatMap(({ holds }) => holds)).toEqual([]);
  });

  it('is granted after most of it was gathered in one part, and no money is lost', async () => {
    const { wallets, transactions } = processThat(false);
    expect(await wallets.hold(ACCOUNT_ID, HOLD)).toMatchObject({ granted: true });
    expect(transactions).toHaveLength(2);
    const parts = await readAll();
    expect(parts.flatMap(({ holds }) => holds)).toMatchObject([{ id: 'req_1', amount: AMOUNT }]);
    expect(sum(parts.map(({ balance }) => balance))).toBe(CREDIT - AMOUNT);
    expect(await brokenParts(database)).toEqual([]);
  });
});
