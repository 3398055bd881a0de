import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { number } from '../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { decodeKey, encodeNewKey } from '../../../lambdas/adapters/ledger/key-item.ts';
import { createKeyStore } from '../../../lambdas/adapters/ledger/key-store.ts';
import { type KeyCharge, type KeyState, rollWindows } from '../../../lambdas/core/access/key-state.ts';
import { windowsAt } from '../../../lambdas/core/access/windows.ts';
import type { ChargeEnd, KeyStore } from '../../../lambdas/core/ledger/ports.ts';
import { engineClients, startDatabase, type TestDatabase } from '../engine.ts';
import { loseFirstAnswers } from '../lost-answers.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const NOW = windowsAt(NOW_MS);
const POLICY = { daily_usd: 1_000n, monthly_usd: 10_000n, tpm: 100, rpm: 10 };

let database: TestDatabase;
let keys: KeyStore;
let keyId: string;
let made = 0;

const storeOf = (clients: Pick<TestDatabase, 'client' | 'onceClient'>) =>
  createKeyStore({ clients, table: database.tables.keys, clock: () => NOW_MS });

const chargeOf = (changes: Partial<KeyCharge> = {}): KeyCharge => ({
  key: { accountId: 'acc_1', keyId, secretHash: 'hash' },
  windows: NOW,
  tokens: 10,
  amount: 100n,
  ...changes,
});

async function read(): Promise<KeyState> {
  const state = await keys.read(keyId);
  if (state === undefined) throw new Error('the key is gone');
  return state;
}

beforeAll(async () => {
  database = await startDatabase();
  keys = storeOf(database);
});
afterAll(() => database.stop());

beforeEach(async () => {
  made += 1;
  keyId = `key_${made}`;
  const key = { keyId, accountId: 'acc_1', secretHash: 'hash', name: 'test', policy: POLICY, created: 5 };
  await database.client.send(
    new PutItemCommand({ TableName: database.tables.keys, Item: encodeNewKey(key) }),
  );
  const from = await read();
  await keys.charge(chargeOf({ tokens: 0, amount: 0n }), { from, to: rollWindows(from, NOW) });
});

describe('the key item', () => {
  it('reads back what it was written with, whatever the policy sets', () => {
    const key = { keyId: 'key_x', accountId: 'acc_x', secretHash: 'h', name: 'n', created: 7 };
    for (const policy of [
      {},
      { ...POLICY, allowed_models: ['a'], allowed_kinds: ['chat' as const] },
      { daily_usd: 0n, monthly_usd: 10n ** 18n },
    ]) {
      expect(decodeKey(encodeNewKey({ ...key, policy }))).toMatchObject({ ...key, policy, status: 'active' });
    }
  });

  it('names the attribute that is not as it should be', () => {
    const item = encodeNewKey({ keyId, accountId: 'a', secretHash: 'h', name: 'n', created: 7, policy: {} });
    expect(() => decodeKey({ ...item, day_left: { S: '1' } })).toThrow('day_left');
    expect(() => decodeKey({ ...item, month_left: { N: '1.5' } })).toThrow('month_left');
    expect(() => decodeKey({ ...item, status: { S: 'asleep' } })).toThrow('status');
  });
});

describe('a charge', () => {
  it('takes one request, the tokens and the amount, and returns the state after it', async () => {
    const result = await keys.charge(chargeOf());
    expect(result).toMatchObject({
      granted: true,
      state: { requestsLeft: 8, tokensLeft: 90n, dayLeft: 900n, monthLeft: 9_900n },
    });
    expect(result.state).toEqual(await read());
  });

  it.each([
    ['tokens', { tokens: 101 }],
    ['the day', { amount: 1_001n }],
    ['an older window', { windows: { ...NOW, minute: NOW.minute + 1 } }],
    ['the secret', { key: { accountId: 'acc_1', keyId: 'key_1', secretHash: 'other' } }],
  ])('that %s does not allow changes nothing and returns what was found', async (_case, changes) => {
    const before = await read();
    const key = 'key' in changes ? { ...changes.key, keyId } : chargeOf().key;
    expect(await keys.charge({ ...chargeOf(changes as Partial<KeyCharge>), key })).toEqual({
      granted: false,
      state: before,
    });
    expect(await read()).toEqual(before);
  });

  it('of a key that does not exist is refused and makes none', async () => {
    const key = { accountId: 'acc_1', keyId: 'key_of_nobody', secretHash: 'hash' };
    expect(await keys.charge(chargeOf({ key }))).toEqual({ granted: false, state: undefined });
    expect(await keys.read('key_of_nobody')).toBeUndefined();
  });

  it('rolls windows only from the state it was given, under the policy it was read with', async () => {
    const from = await read();
    const later = windowsAt(NOW_MS + 60_000);
    const rolled = { from, to: rollWindows(from, later) };
    const charge = chargeOf({ windows: later });
    expect(await keys.charge(charge, { ...rolled, from: { ...from, version: 2 } })).toMatchObject({
      granted: false,
    });
    expect(await keys.charge(charge, rolled)).toMatchObject({ granted: true });
    expect(await keys.charge(charge, rolled)).toMatchObject({ granted: false });
    expect(await read()).toMatchObject({ windows: later, requestsLeft: 9, tokensLeft: 90n, dayLeft: 900n });
  });

  it('that the SDK repeats errs to the strict side at most', async () => {
    const clients = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(clients.client);
    expect(await storeOf(clients).charge(chargeOf())).toMatchObject({ granted: true });
    expect(attempts()).toBe(2);
    const { requestsLeft, tokensLeft, dayLeft, monthLeft } = await read();
    expect(requestsLeft).toBeLessThanOrEqual(8);
    expect(tokensLeft <= 90n && dayLeft <= 900n && monthLeft <= 9_900n).toBe(true);
  });
});

describe('settling a charge', () => {
  const TAKEN = { tokens: 10, amount: 100n };
  const end = (changes: Partial<ChargeEnd> = {}): ChargeEnd => ({
    windows: NOW,
    taken: TAKEN,
    used: { tokens: 4, amount: 60n },
    ...changes,
  });

  beforeEach(async () => {
    await keys.charge(chargeOf({ call: 'req_1' }));
  });

  it('gives back what was not used', async () => {
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({
      tokensLeft: 96n,
      dayLeft: 940n,
      monthLeft: 9_940n,
      requestsLeft: 8,
    });
  });

  it('takes what the call overran', async () => {
    await keys.settle(keyId, end({ used: { tokens: 150, amount: 5_000n } }));
    expect(await read()).toMatchObject({ tokensLeft: -50n, dayLeft: -4_000n, monthLeft: 5_000n });
  });

  it('gives the one and takes the other', async () => {
    await keys.settle(keyId, end({ used: { tokens: 4, amount: 150n } }));
    expect(await read()).toMatchObject({ tokensLeft: 96n, dayLeft: 850n, monthLeft: 9_850n });
    await keys.settle(keyId, end({ used: { tokens: 14, amount: 50n } }));
    expect(await read()).toMatchObject({ tokensLeft: 92n, dayLeft: 900n, monthLeft: 9_900n });
  });

  it('gives back to the windows that still run, and to no other', async () => {
    await keys.settle(keyId, end({ windows: { ...NOW, minute: NOW.minute - 1 } }));
    expect(await read()).toMatchObject({ tokensLeft: 90n, dayLeft: 940n, monthLeft: 9_940n });
    await keys.settle(keyId, end({ windows: { ...NOW, minute: 0, day: NOW.day - 1 } }));
    expect(await read()).toMatchObject({ tokensLeft: 90n, dayLeft: 940n, monthLeft: 9_980n });
    await keys.settle(keyId, end({ windows: windowsAt(NOW_MS - 40 * 86_400_000) }));
    expect(await read()).toMatchObject({ tokensLeft: 90n, dayLeft: 940n, monthLeft: 9_980n });
  });

  it('reaches the windows that are left when one rolls between the reading of the clock and the write', async () => {
    const from = await read();
    const later = windowsAt(NOW_MS + 60_000);
    await keys.charge(chargeOf({ windows: later }), { from, to: rollWindows(from, later) });
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({ tokensLeft: 90n, dayLeft: 840n, monthLeft: 9_840n });
  });

  it('whose answer was lost never gives back twice, and says that it is not known', async () => {
    const clients = engineClients(database.endpoint);
    const given = loseFirstAnswers(clients.onceClient);
    loseFirstAnswers(clients.client);
    await expect(storeOf(clients).settle(keyId, end())).rejects.toThrow('lost');
    expect(given.attempts()).toBe(1);
    expect(await read()).toMatchObject({ tokensLeft: 96n, dayLeft: 940n, monthLeft: 9_940n });
  });

  it('whose answer was lost takes at least once', async () => {
    const clients = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(clients.client);
    await storeOf(clients).settle(keyId, end({ used: { tokens: 10, amount: 150n } }));
    expect(attempts()).toBe(2);
    expect((await read()).dayLeft).toBeLessThanOrEqual(850n);
  });

  it('of a charge that may not have been made gives back if it is the newest one, and else nothing', async () => {
    await keys.settle(keyId, end({ unsure: { newest: 'req_of_nobody' } }));
    expect(await read()).toMatchObject({ tokensLeft: 90n, dayLeft: 900n });
    await keys.settle(keyId, end({ unsure: { newest: 'req_1' } }));
    expect(await read()).toMatchObject({ tokensLeft: 96n, dayLeft: 940n });
  });

  it.each([
    [{ daily_usd: 1_000n }, 0n],
    [{ monthly_usd: 1_000n }, 0n],
    [{ tpm: 50 }, 40n],
    [{}, 40n],
  ])(
    'that may not have been made gives the key of the policy %j back %p of its spend',
    async (policy, given) => {
      const key = { keyId, accountId: 'acc_1', secretHash: 'hash', name: 'test', policy, created: 5 };
      const now = { minute: number(NOW.minute), day: number(NOW.day), month: number(NOW.month) };
      const item = { ...encodeNewKey(key), ...now };
      await database.client.send(new PutItemCommand({ TableName: database.tables.keys, Item: item }));
      const before = await read();
      await keys.settle(keyId, end({ unsure: 'uncapped' }));
      const after = await read();
      expect([after.dayLeft - before.dayLeft, after.monthLeft - before.monthLeft]).toEqual([given, given]);
    },
  );

  it('of a key that does not exist does nothing', async () => {
    await keys.settle('key_of_nobody', end());
    expect(await keys.read('key_of_nobody')).toBeUndefined();
  });
});

describe('a charge of a call', () => {
  const call = 'req_1';

  it('is taken once when the SDK repeats a lost request, and known for its own', async () => {
    const clients = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(clients.client);
    expect(await storeOf(clients).charge(chargeOf({ call }))).toMatchObject({ granted: true });
    expect(attempts()).toBe(2);
    expect(await read()).toMatchObject({ requestsLeft: 8, tokensLeft: 90n, dayLeft: 900n });
  });

  it('is taken once when the SDK repeats a lost request that rolled the windows', async () => {
    const clients = engineClients(database.endpoint);
    loseFirstAnswers(clients.client);
    const from = await read();
    const windows = windowsAt(NOW_MS + 60_000);
    const rolled = { from, to: rollWindows(from, windows) };
    const result = await storeOf(clients).charge(chargeOf({ call, windows }), rolled);
    expect(result).toMatchObject({ granted: true });
    expect(await read()).toMatchObject({ windows, requestsLeft: 9, tokensLeft: 90n });
  });

  it('leaves an item of the same size however many are open', async () => {
    const sizeOf = async () => {
      const Key = { key_id: { S: keyId } };
      const { Item } = await database.client.send(
        new GetItemCommand({ TableName: database.tables.keys, Key }),
      );
      return JSON.stringify(Item).length;
    };
    const policy = { keyId, accountId: 'acc_1', secretHash: 'hash', name: 'test', policy: {}, created: 5 };
    const item = { ...encodeNewKey(policy), requests_left: { N: '1000' } };
    const windows = { minute: 0, day: 0, month: 0 };
    await database.client.send(new PutItemCommand({ TableName: database.tables.keys, Item: item }));
    await keys.charge(chargeOf({ windows, call: 'req_00' }));
    const before = await sizeOf();
    for (let open = 10; open < 60; open += 1) await keys.charge(chargeOf({ windows, call: `req_${open}` }));
    expect(await sizeOf()).toBeLessThanOrEqual(before);
  });
});
