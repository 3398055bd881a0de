import { describe, expect, it } from '@jest/globals';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../tools/test-kit/lost-answers.ts';
import { Accounts } from '../../access/core/accounts.ts';
import { DynamoAccountStore } from '../../access/store/account-store.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { Credits, MAX_TOP_UP } from '../core/credits.ts';
import { auditAll, NOON_MS, openLedger } from '../testing/running-ledger.ts';
import { DynamoCreditStore } from './credit-store.ts';

const database = fileDatabase();
const accountsOn = (client = database.client) =>
  new Accounts({
    store: new DynamoAccountStore(client, database.tables),
    clock: () => NOON_MS,
    ulid: systemUlid,
  });

const creditsOn = (client = database.client) =>
  new Credits({
    store: new DynamoCreditStore(client, database.tables),
    clock: () => NOON_MS,
    ulid: systemUlid,
  });

const walletOf = async (accountId: string) =>
  openLedger({ clients: database, clock: () => NOON_MS }).wallets.read(accountId);

describe('accounts', () => {
  it('open with an empty wallet, once', async () => {
    const store = new DynamoAccountStore(database.client, database.tables);
    const id = await accountsOn().open('someone@example.com');
    expect(await walletOf(id)).toMatchObject({ balance: 0n, holds: [] });
    await creditsOn().topUp({ accountId: id, amount: 5n, source: 'test' });
    await expect(store.open({ id, created: 0 })).rejects.toThrow();
    expect(await walletOf(id)).toMatchObject({ balance: 5n });
  });

  it('take an identity that has none, and leave one that has its own', async () => {
    const [mine, theirs] = [await accountsOn().open(), await accountsOn().open()];
    await accountsOn().bind('identity-bound', mine);
    await accountsOn().bind('identity-bound', mine);
    await accountsOn().bind('identity-bound', theirs);
    expect((await accountsOn().openFor('identity-bound')).id).toBe(mine);
    const { id } = await accountsOn().openFor('identity-of-its-own');
    await accountsOn().bind('identity-of-its-own', mine);
    expect((await accountsOn().openFor('identity-of-its-own')).id).toBe(id);
  });

  it('open once for each identity, for any number of concurrent first sign-ins', async () => {
    const opened = await Promise.all(
      Array.from({ length: 12 }, (_, index) => accountsOn().openFor('identity-1', `${index}@example.com`)),
    );
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    const again = await accountsOn().openFor('identity-1');
    expect(again).toEqual(opened[0]);
    expect((await accountsOn().openFor('identity-2')).id).not.toBe(again.id);
    expect(await walletOf(again.id)).toMatchObject({ balance: 0n, holds: [] });
  });

  it('open once if the SDK repeats a lost opening', async () => {
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(client);
    const { id } = await accountsOn(client).openFor('identity-lost');
    expect(attempts()).toBe(4);
    expect(await accountsOn().openFor('identity-lost')).toMatchObject({ id });
  });
});

describe('a top-up', () => {
  it('lands once per id, however often and however much at once it is delivered', async () => {
    const accountId = await accountsOn().open();
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
    const accountId = await accountsOn().open();
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

  it.each([0n, -1n, MAX_TOP_UP + 1n])('fails for an amount of %p', async (amount) => {
    const accountId = await accountsOn().open();
    await expect(creditsOn().topUp({ accountId, amount, source: 'test' })).rejects.toThrow('amount');
    expect(await walletOf(accountId)).toMatchObject({ balance: 0n });
  });
});

it('leaves an exact ledger', async () => {
  expect(await auditAll(database.client)).toMatchObject({ exact: true, topUps: 1_705n, balances: 1_705n });
});
