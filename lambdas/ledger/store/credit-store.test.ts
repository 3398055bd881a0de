import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../tools/test-kit/lost-answers.ts';
import { DynamoAccountStore } from '../../access/store/accounts/account-store.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { Credits } from '../core/credits.ts';
import { auditAll, NOON_MS, openLedger } from '../testing/running-ledger.ts';
import { DynamoCreditStore } from './credit-store.ts';

const database = fileDatabase();
/** Opens an account with an empty wallet. */
const openAccount = async () => {
  const id = `acc_${systemUlid()}`;
  await new DynamoAccountStore(database.client, database.tables).open({ id, created: 0 });
  return id;
};

const creditsOn = (client = database.client) =>
  new Credits({
    store: new DynamoCreditStore(client, database.tables),
    clock: () => NOON_MS,
    ulid: systemUlid,
  });

const walletOf = async (accountId: string) =>
  openLedger({ clients: database, clock: () => NOON_MS }).wallets.read(accountId);

describe('a top-up', () => {
  it('adds its amount once per id, for repeated and concurrent deliveries', async () => {
    const accountId = await openAccount();
    const topUp = { accountId, amount: 700n, source: 'test', id: 'order_1' };
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => creditsOn().topUp(topUp)));
    const credited = results.filter((result) => result.status === 'fulfilled' && result.value === 'credited');
    expect(credited).toHaveLength(1);
    expect(await creditsOn().topUp({ ...topUp, amount: 9n })).toBe('repeated');
    expect(await walletOf(accountId)).toMatchObject({ balance: 700n });
    expect(await creditsOn().topUp({ ...topUp, id: 'order_2' })).toBe('credited');
    expect(await walletOf(accountId)).toMatchObject({ balance: 1_400n });
  });

  it('adds its amount once if the SDK retries a lost request, and reports the credit', async () => {
    const accountId = await openAccount();
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(client);
    expect(await creditsOn(client).topUp({ accountId, amount: 300n, source: 'test' })).toBe('credited');
    expect(attempts()).toBe(2);
    expect(await walletOf(accountId)).toMatchObject({ balance: 300n });
  });

  it('fails and creates no wallet if its account does not exist', async () => {
    await expect(
      creditsOn().topUp({ accountId: 'acc_of_nobody', amount: 1n, source: 'test' }),
    ).rejects.toThrow('acc_of_nobody');
    expect(await walletOf('acc_of_nobody')).toBeUndefined();
  });
});

describe('a removal of free credit', () => {
  const note = { by: 'arn:aws:iam::123456789012:user/ada', reason: 'granted twice' };

  it('records who made it and why, and takes its amount once per id, also if less remains', async () => {
    const accountId = await openAccount();
    await creditsOn().topUp({ accountId, amount: 500n, source: 'grant' });
    const request = { accountId, amount: 300n, source: 'grant', id: 'take_1', note };
    expect(await creditsOn().takeFree(request)).toBe('taken');
    expect(await creditsOn().takeFree(request)).toBe('repeated');
    expect(await creditsOn().takeFree({ ...request, id: 'take_2' })).toBe('not covered');
    expect(await walletOf(accountId)).toMatchObject({ balance: 200n, debt: 0n });
    const key = { account_id: { S: accountId }, item: { S: 'refund#take_1' } };
    const { Item: item } = await database.client.send(
      new GetItemCommand({ TableName: database.tables.accounts, Key: key }),
    );
    expect(item).toMatchObject({ amount: { N: '300' }, by: { S: note.by }, reason: { S: note.reason } });
  });

  it('fails if its account does not exist, and for an amount that is not positive', async () => {
    const request = { accountId: 'acc_of_nobody', amount: 1n, source: 'grant', note };
    await expect(creditsOn().takeFree(request)).rejects.toThrow('there is no account acc_of_nobody');
    for (const amount of [0n, -1n])
      await expect(creditsOn().takeFree({ ...request, amount })).rejects.toThrow('amount must be');
  });
});

it('all top-ups and removals above leave an exact ledger', async () => {
  expect(await auditAll(database.client)).toMatchObject({
    exact: true,
    topUps: 2_200n,
    refunds: 300n,
    balances: 1_900n,
  });
});
