import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { engineClients, type TestDatabase } from '../../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../../tools/test-kit/lost-answers.ts';
import type { Item } from '../../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import type { KeyChange } from '../../core/keys/api-keys.ts';
import type { KeyCharge, KeyState } from '../../core/keys/key-state.ts';
import type { ChargeEnd, KeyStore } from '../../core/keys/key-store.ts';
import { windowsAt } from '../../core/keys/windows.ts';
import { decodeKey, encodeNewKey } from './key-item.ts';
import { DynamoKeyRegistry } from './key-registry.ts';
import { createKeyStore } from './key-store.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const NOW = windowsAt(NOW_MS);
const NOW_SECONDS = NOW_MS / 1000;
const MINUTE_MS = 60_000;
const POLICY = { daily_usd: 1_000n, monthly_usd: 10_000n, tpm: 100, rpm: 10 };

const database = fileDatabase();
let keys: KeyStore;
let keyId: string;
let createdCount = 0;
let nowMs = NOW_MS;

const storeOf = (clients: Pick<TestDatabase, 'client' | 'onceClient'>) =>
  createKeyStore({ clients, table: database.tables.keys, clock: () => nowMs });

const chargeOf = (changes: Partial<KeyCharge> = {}): KeyCharge => ({
  key: { accountId: 'acc_1', keyId, secretHash: 'hash' },
  windows: windowsAt(nowMs),
  tokens: 10,
  amount: 100n,
  ...changes,
});

const end = (changes: Partial<ChargeEnd> = {}): ChargeEnd => ({
  windows: NOW,
  repaired: undefined,
  unused: { requests: 0, tokens: 6, amount: 40n },
  cost: 60n,
  ...changes,
});

const change = (from: KeyState, changes: KeyChange) =>
  new DynamoKeyRegistry(database.client, database.tables, () => nowMs).change(from, changes);

async function read(): Promise<KeyState> {
  const state = await keys.read(keyId);
  if (state === undefined) throw new Error('the key is gone');
  return state;
}

async function itemOf(): Promise<Item> {
  const Key = { key_id: { S: keyId } };
  const { Item = {} } = await database.client.send(
    new GetItemCommand({ TableName: database.tables.keys, Key, ConsistentRead: true }),
  );
  return Item;
}

const namesIn = (item: Item): readonly string[] =>
  Object.keys(item)
    .filter((name) => /^[rtdm][0-9]+$/.test(name))
    .toSorted();

beforeAll(async () => {
  keys = storeOf(database);
});

beforeEach(async () => {
  nowMs = NOW_MS;
  createdCount += 1;
  keyId = `key_${createdCount}`;
  const key = { keyId, accountId: 'acc_1', secretHash: 'hash', name: 'test', policy: POLICY, created: 5 };
  await database.client.send(
    new PutItemCommand({ TableName: database.tables.keys, Item: encodeNewKey(key) }),
  );
});

describe('the key item', () => {
  it('reads back unchanged, whatever the policy sets', () => {
    const key = { keyId: 'key_x', accountId: 'acc_x', secretHash: 'h', name: 'n', created: 7 };
    for (const policy of [
      {},
      { rpm: 100 },
      { ...POLICY, allowed_models: ['a'], allowed_kinds: ['chat' as const] },
      { daily_usd: 0n, monthly_usd: 10n ** 18n },
      { allowed_kinds: [] },
    ]) {
      const state = decodeKey(encodeNewKey({ ...key, policy }), NOW);
      expect(state).toMatchObject({ ...key, status: 'active' });
      expect(state.policy).toEqual(policy);
    }
  });

  it('names the attribute that is not as it should be', () => {
    const item = encodeNewKey({ keyId, accountId: 'a', secretHash: 'h', name: 'n', created: 7, policy: {} });
    const decode = (changes: Item) => decodeKey({ ...item, ...changes }, NOW);
    expect(() => decode({ [`d${NOW.day}`]: { S: '1' } })).toThrow(`d${NOW.day}`);
    expect(() => decode({ monthly_usd: { N: '1.5' } })).toThrow('monthly_usd');
    expect(() => decode({ status: { S: 'asleep' } })).toThrow('status');
  });

  it('shows the full limits of a window that no call has charged', async () => {
    await keys.charge(chargeOf());
    nowMs += MINUTE_MS;
    expect(await read()).toMatchObject({ requestsLeft: 10, tokensLeft: 100n, dayLeft: 900n });
    nowMs = Date.UTC(2026, 6, 16);
    expect(await read()).toMatchObject({ dayLeft: 1_000n, monthLeft: 9_900n });
    nowMs = Date.UTC(2026, 7, 1);
    expect(await read()).toMatchObject({ dayLeft: 1_000n, monthLeft: 10_000n });
  });
});

describe('a charge', () => {
  it('takes one request, the tokens and the amount, and returns the state after it', async () => {
    for (const heldCount of [1, 2]) {
      const result = await keys.charge(chargeOf());
      const amount = BigInt(heldCount) * 100n;
      expect(result).toMatchObject({
        granted: true,
        state: {
          requestsLeft: 10 - heldCount,
          tokensLeft: 100n - BigInt(heldCount) * 10n,
          dayLeft: 1_000n - amount,
          monthLeft: 10_000n - amount,
          used: NOW_SECONDS,
        },
      });
      expect(result.state).toEqual(await read());
    }
  });

  it('sends one database request, also as the first of a minute, a day or a month', async () => {
    const clients = engineClients(database.endpoint);
    let sentCount = 0;
    clients.client.middlewareStack.add(
      (next) => (args) => {
        sentCount += 1;
        return next(args);
      },
      { step: 'finalizeRequest' },
    );
    const store = storeOf(clients);
    for (const ms of [NOW_MS, NOW_MS + MINUTE_MS, Date.UTC(2026, 6, 16), Date.UTC(2026, 7, 1)]) {
      nowMs = ms;
      sentCount = 0;
      expect(await store.charge(chargeOf())).toMatchObject({ granted: true });
      expect(sentCount).toBe(1);
    }
  });

  it.each([
    ['tokens', { tokens: 101 }],
    ['the day', { amount: 1_001n }],
    ['the secret', { key: { accountId: 'acc_1', keyId: 'key_1', secretHash: 'other' } }],
  ])('changes nothing and returns the stored state when rejected because of %s', async (_case, changes) => {
    for (const hasStart of [true, false]) {
      if (!hasStart) await keys.charge(chargeOf());
      const before = await read();
      const key = 'key' in changes ? { ...changes.key, keyId } : chargeOf().key;
      expect(await keys.charge({ ...chargeOf(changes as Partial<KeyCharge>), key })).toEqual({
        granted: false,
        state: before,
      });
      expect(await read()).toEqual(before);
    }
  });

  it('fails and creates no key if its key does not exist', async () => {
    const key = { accountId: 'acc_1', keyId: 'key_of_nobody', secretHash: 'hash' };
    expect(await keys.charge(chargeOf({ key }))).toEqual({ granted: false, state: undefined });
    expect(await keys.read('key_of_nobody')).toBeUndefined();
  });

  it('counts twice if the SDK repeats a lost request', async () => {
    const clients = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(clients.client);
    expect(await storeOf(clients).charge(chargeOf())).toMatchObject({ granted: true });
    expect(attempts()).toBe(2);
    expect(await read()).toMatchObject({ requestsLeft: 8, tokensLeft: 80n, dayLeft: 800n });
  });

  it('leaves the time of last use unset without an amount, so that a key that only reads its usage does not count as in use', async () => {
    await keys.charge(chargeOf({ tokens: 0, amount: 0n }));
    expect((await read()).used).toBeUndefined();
  });
});

describe('the names of windows', () => {
  it('stay as many as two windows have for a key in steady use', async () => {
    for (let minutes = 0; minutes < 10; minutes += 1) {
      nowMs = NOW_MS + minutes * MINUTE_MS;
      await keys.charge(chargeOf({ tokens: 1, amount: 1n }));
    }
    const { minute } = windowsAt(nowMs);
    const names = [`r${minute - 1}`, `r${minute}`, `t${minute - 1}`, `t${minute}`];
    expect(namesIn(await itemOf())).toEqual([`d${NOW.day}`, `m${NOW.month}`, ...names].toSorted());
  });

  it('stay few, and the item under 1 KB, for a key that a new process uses every 20 minutes', async () => {
    for (let calls = 0; calls < 100; calls += 1) {
      nowMs = NOW_MS + calls * 20 * MINUTE_MS;
      await storeOf(database).charge(chargeOf({ tokens: 1, amount: 1n }));
      const item = await itemOf();
      expect(namesIn(item).length).toBeLessThanOrEqual(8);
      expect(JSON.stringify(item).length).toBeLessThan(1_024);
    }
  });
});

describe('a change of policy', () => {
  const windows = () => [nowMs - MINUTE_MS, nowMs, nowMs + MINUTE_MS].map(windowsAt);

  it('leaves no window of the old policy that any clock is in, started or not', async () => {
    await keys.charge(chargeOf({ amount: 300n }));
    expect(await change(await read(), { policy: { ...POLICY, rpm: 4, daily_usd: 500n } })).toBeDefined();
    const item = await itemOf();
    expect(windows().map((each) => decodeKey(item, each).requestsLeft)).toEqual([4, 3, 4]);
    expect(decodeKey(item, NOW)).toMatchObject({ dayLeft: 200n, monthLeft: 9_700n, tokensLeft: 90n });
    expect(decodeKey(item, windowsAt(nowMs + 2 * MINUTE_MS)).requestsLeft).toBe(4);
  });

  it('counts the first charge of a window that it races with, whichever comes first', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [policy, cap] = round % 2 === 0 ? [{ daily_usd: 150n }, 150n] : [{ daily_usd: 1_000n }, 1_000n];
      nowMs += 24 * 60 * MINUTE_MS;
      const before = await read();
      const [charged, changed] = await Promise.all([keys.charge(chargeOf()), change(before, { policy })]);
      expect([charged.granted, changed === undefined]).toEqual([true, false]);
      expect((await read()).dayLeft).toBe(cap - 100n);
    }
  });
});

describe('settling a charge', () => {
  beforeEach(async () => {
    await keys.charge(chargeOf());
  });

  it('refunds the unused amount', async () => {
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({
      tokensLeft: 96n,
      dayLeft: 940n,
      monthLeft: 9_940n,
      requestsLeft: 9,
    });
    await keys.settle(keyId, end({ unused: { requests: 1, tokens: 0, amount: 0n } }));
    expect((await read()).requestsLeft).toBe(10);
  });

  it('takes the tokens that the call used beyond what it took, also where it took none', async () => {
    await keys.settle(keyId, end({ unused: { requests: 0, tokens: -140, amount: 40n } }));
    expect(await read()).toMatchObject({ tokensLeft: -50n, dayLeft: 940n });
    nowMs += MINUTE_MS;
    const windows = windowsAt(nowMs);
    await keys.charge(chargeOf({ tokens: 0 }));
    await keys.settle(keyId, end({ windows, unused: { requests: 0, tokens: -30, amount: 40n } }));
    expect(await read()).toMatchObject({ tokensLeft: 70n, dayLeft: 880n });
  });

  it('refunds the windows that still run, and no others', async () => {
    nowMs = NOW_MS + MINUTE_MS;
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({ tokensLeft: 100n, dayLeft: 940n, monthLeft: 9_940n });
    nowMs = Date.UTC(2026, 6, 16);
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({ dayLeft: 1_000n, monthLeft: 9_980n });
    nowMs = Date.UTC(2026, 7, 1);
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({ dayLeft: 1_000n, monthLeft: 10_000n });
  });

  it('starts no window, because a window without a name may exceed its cap', async () => {
    nowMs += MINUTE_MS;
    const { minute } = windowsAt(nowMs);
    await keys.settle(
      keyId,
      end({ windows: { ...NOW, minute }, unused: { requests: 1, tokens: 6, amount: 0n } }),
    );
    expect(namesIn(await itemOf())).not.toContain(`t${minute}`);
  });

  it('never refunds twice if a response is lost, and fails instead', async () => {
    const clients = engineClients(database.endpoint);
    const attempts = loseFirstResponses(clients.onceClient);
    await expect(storeOf(clients).settle(keyId, end())).rejects.toThrow('lost');
    expect(attempts.attempts()).toBe(1);
    expect(await read()).toMatchObject({ tokensLeft: 96n, dayLeft: 940n, monthLeft: 9_940n });
  });

  it('does nothing if the key does not exist', async () => {
    await keys.settle('key_of_nobody', end());
    expect(await keys.read('key_of_nobody')).toBeUndefined();
  });

  it('refunds nothing after a repair and charges the cost, which marks the key as in use', async () => {
    expect(await keys.repair(await read(), NOW, { dayLeft: 1_000n, monthLeft: 10_000n })).toBe(true);
    nowMs += MINUTE_MS;
    await keys.settle(keyId, end());
    expect(await read()).toMatchObject({ dayLeft: 940n, monthLeft: 9_940n, used: nowMs / 1000 });
    await keys.settle(keyId, end({ cost: 0n }));
    expect((await read()).dayLeft).toBe(940n);
    await keys.settle(keyId, end({ repaired: NOW_SECONDS }));
    expect((await read()).dayLeft).toBe(980n);
  });
});

describe('a repair', () => {
  const REMAINDER = { dayLeft: 940n, monthLeft: 9_840n };

  it('sets the remaining amounts of all caps, including full ones, and records when the key was used', async () => {
    await keys.charge(chargeOf());
    nowMs = Date.UTC(2026, 6, 16);
    expect(await keys.repair(await read(), windowsAt(nowMs), REMAINDER)).toBe(true);
    expect(await read()).toMatchObject({ ...REMAINDER, used: NOW_SECONDS, repaired: NOW_SECONDS });
  });

  it.each<readonly [string, () => Promise<unknown>]>([
    [
      'charged',
      () => {
        nowMs += 1_000;
        return keys.charge(chargeOf());
      },
    ],
    ['charged in the same second', () => keys.charge(chargeOf())],
    ['given back', () => keys.settle(keyId, end({ unused: { requests: 0, tokens: 0, amount: 40n } }))],
    ['changed', async () => change(await read(), { policy: {} })],
  ])('changes nothing of a key that was %s since it was read', async (_what, happen) => {
    await keys.charge(chargeOf());
    const from = await read();
    await happen();
    const before = await read();
    expect(await keys.repair(from, NOW, REMAINDER)).toBe(false);
    expect(await read()).toEqual(before);
  });

  it('races with charges, of which it loses none', async () => {
    for (let round = 0; round < 20; round += 1) {
      nowMs += 24 * 60 * MINUTE_MS;
      await keys.charge(chargeOf());
      const from = await read();
      nowMs += 30 * MINUTE_MS;
      // The call before died: its records come to nothing.
      const remainders = { dayLeft: 1_000n, monthLeft: 10_000n };
      const [repaired] = await Promise.all([
        keys.repair(from, windowsAt(nowMs), remainders),
        keys.charge(chargeOf({ amount: 50n })),
      ]);
      expect((await read()).dayLeft).toBe(repaired ? 950n : 850n);
    }
  });
});
