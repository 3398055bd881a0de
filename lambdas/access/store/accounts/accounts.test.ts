import { describe, expect, it } from '@jest/globals';
import { engineClients } from '../../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../../tools/test-kit/lost-answers.ts';
import { NOON_MS, openLedger } from '../../../ledger/testing/running-ledger.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { Accounts } from '../../core/accounts/accounts.ts';
import { DynamoAccountStore } from './account-store.ts';

const database = fileDatabase();
const accountsOn = (client = database.client) =>
  new Accounts({
    store: new DynamoAccountStore(client, database.tables),
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
    const hold = { id: 'req_1', keyId: 'key_1', kind: 'chat', amount: 0n, expires: 20 } as const;
    await openLedger({ clients: database, clock: () => NOON_MS }).wallets.hold(id, hold);
    await expect(store.open({ id, created: 0 })).rejects.toThrow();
    expect(await walletOf(id)).toMatchObject({ balance: 0n, holds: [{ id: 'req_1' }] });
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
