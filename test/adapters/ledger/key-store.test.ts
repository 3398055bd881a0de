import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

const storeOf = ({ client }: Pick<TestDatabase, 'client'>) =>
  createKeyStore({ client, table: database.tables.keys, clock: () => NOW_MS });

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
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(client);
    expect(await storeOf({ client }).charge(chargeOf())).toMatchObject({ granted: true });
    expect(attempts()).toBe(2);
    const { requestsLeft, tokensLeft, dayLeft, monthLeft } = await read();
    expect(requestsLeft).toBeLessThanOrEqual(8);
    expect(tokensLeft <= 90n && dayLeft <= 900n && monthLeft <= 9_900n).toBe(true);
  });
});

describe('settling a charge', () => {
  const TAKEN = { tokens: 10, amount: 100n };
  const open = (id: string) => ({
    id,
    ...TAKEN,
    kind: 'chat' as const,
    created: NOW_MS / 1000,
    expires: 2e9,
  });
  const end = (id: string, windows = NOW): ChargeEnd => ({
    id,
    windows,
    taken: TAKEN,
    used: { tokens: 4, amount: 60n },
  });

  beforeEach(async () => {
    await keys.charge(chargeOf({ open: open('req_1') }));
  });

  it('is due from the charge on, and once', async () => {
    expect((await read()).charges).toEqual([open('req_1')]);
    await Promise.all([1, 2, 3].map(() => keys.settle(keyId, end('req_1'))));
    const settled = { tokensLeft: 96n, dayLeft: 940n, monthLeft: 9_940n, requestsLeft: 8, charges: [] };
    expect(await read()).toMatchObject(settled);
    await keys.settle(keyId, end('req_1'));
    await keys.settle(keyId, end('req_of_nobody'));
    expect(await read()).toMatchObject(settled);
  });

  it('takes what the call overran', async () => {
    await keys.settle(keyId, { ...end('req_1'), used: { tokens: 150, amount: 5_000n } });
    expect(await read()).toMatchObject({ tokensLeft: -50n, dayLeft: -4_000n, monthLeft: 5_000n });
  });

  it('gives back to the windows that still run, and to no other', async () => {
    const before = await read();
    await keys.settle(keyId, end('req_1', { ...NOW, minute: NOW.minute - 1 }));
    expect(await read()).toMatchObject({ tokensLeft: before.tokensLeft, dayLeft: 940n, monthLeft: 9_940n });
    await keys.charge(chargeOf({ open: open('req_2') }));
    await keys.settle(keyId, end('req_2', { ...NOW, minute: 0, day: NOW.day - 1 }));
    expect(await read()).toMatchObject({ dayLeft: 840n, monthLeft: 9_880n, charges: [] });
    await keys.charge(chargeOf({ open: open('req_3') }));
    await keys.settle(keyId, end('req_3', windowsAt(NOW_MS - 40 * 86_400_000)));
    expect(await read()).toMatchObject({ dayLeft: 740n, monthLeft: 9_780n, charges: [] });
  });

  it('reaches the windows that are left when one rolls between the reading of the clock and the write', async () => {
    const from = await read();
    const later = windowsAt(NOW_MS + 60_000);
    await keys.charge(chargeOf({ windows: later }), { from, to: rollWindows(from, later) });
    await keys.settle(keyId, end('req_1'));
    expect(await read()).toMatchObject({ tokensLeft: 90n, dayLeft: 840n, monthLeft: 9_840n, charges: [] });
  });

  it('gives back once when the SDK repeats a lost request', async () => {
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(client);
    await storeOf({ client }).settle(keyId, end('req_1'));
    expect(attempts()).toBe(2);
    expect(await read()).toMatchObject({ tokensLeft: 96n, dayLeft: 940n, monthLeft: 9_940n, charges: [] });
  });

  it('of a key that does not exist does nothing', async () => {
    await keys.settle('key_of_nobody', end('req_1'));
    expect(await keys.read('key_of_nobody')).toBeUndefined();
  });
});

describe('a charge that opens an entry', () => {
  const open = { id: 'req_1', tokens: 10, amount: 100n, kind: 'chat' as const, created: 1, expires: 2 };

  it('is taken once when the SDK repeats a lost request, and known for its own', async () => {
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstAnswers(client);
    expect(await storeOf({ client }).charge(chargeOf({ open }))).toMatchObject({ granted: true });
    expect(attempts()).toBe(2);
    expect(await read()).toMatchObject({ requestsLeft: 8, tokensLeft: 90n, dayLeft: 900n, charges: [open] });
  });

  it('is taken once when the SDK repeats a lost request that rolled the windows', async () => {
    const { client } = engineClients(database.endpoint);
    loseFirstAnswers(client);
    const from = await read();
    const windows = windowsAt(NOW_MS + 60_000);
    const rolled = { from, to: rollWindows(from, windows) };
    const result = await storeOf({ client }).charge(chargeOf({ open, windows }), rolled);
    expect(result).toMatchObject({ granted: true });
    expect(await read()).toMatchObject({ windows, requestsLeft: 9, tokensLeft: 90n, charges: [open] });
  });
});
