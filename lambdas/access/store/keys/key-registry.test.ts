import { randomBytes } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { engineClients } from '../../../../tools/test-kit/engine.ts';
import { loseFirstResponses } from '../../../../tools/test-kit/lost-answers.ts';
import { NOON_MS, openLedger } from '../../../ledger/testing/running-ledger.ts';
import { QUOTAS } from '../../../platform/core/api/quotas.ts';
import { text } from '../../../platform/dynamodb/attribute-values.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { SECRET_BYTES, type VerifiedKey, verifyKey } from '../../core/keys/api-key.ts';
import { changeKey, keyEntry, ownKey } from '../../core/keys/api-keys.ts';
import { KeyIssuer } from '../../core/keys/key-issuer.ts';
import type { Policy } from '../../core/keys/policy.ts';
import { windowsAt } from '../../core/keys/windows.ts';
import { DynamoAccountStore } from '../accounts/account-store.ts';
import { DynamoKeyRegistry } from './key-registry.ts';

const PEPPERS = { current: 'the pepper of this test' };

const database = fileDatabase();
let accountId: string;
let nowMs = NOON_MS;

beforeEach(async () => {
  nowMs = NOON_MS;
  accountId = `acc_${systemUlid()}`;
  await new DynamoAccountStore(database.client, database.tables).open({
    id: accountId,
    created: 0,
  });
});

const registryOn = (client = database.client) => new DynamoKeyRegistry(client, database.tables, () => nowMs);
const issuerOn = (client = database.client) =>
  new KeyIssuer({
    registry: registryOn(client),
    peppers: async () => PEPPERS,
    clock: () => nowMs,
    ulid: systemUlid,
    randomHex: () => randomBytes(SECRET_BYTES).toString('hex'),
  });
const revokeKey = async (accountId: string, keyId: string) =>
  registryOn().revoke(await ownKey(registryOn(), accountId, keyId));
const ledger = () => openLedger({ clients: database, clock: () => nowMs });
const gate = () => ledger().gate;

function verified(key: string): VerifiedKey {
  const verifiedKey = verifyKey(key, PEPPERS);
  if (verifiedKey === undefined) throw new Error('the key does not verify');
  return verifiedKey;
}

/** The code of the refusal, or `ok`. */
const statusOfKey = async (key: string): Promise<string> =>
  gate()
    .touch(verified(key))
    .then(
      () => 'ok',
      (failure: { code: string }) => failure.code,
    );

describe('a policy of layout 2', () => {
  it('survives every change that does not replace it, and its owner sees it', async () => {
    const { state } = await issuerOn().create(accountId, 'reader', { reads: 'account', rpm: 5 });
    const { keyId } = state;
    const change = (changed: Parameters<typeof changeKey>[3]) =>
      changeKey(registryOn(), accountId, keyId, changed);
    await change({ name: 'renamed' });
    await change({ disabled: true });
    await change({ disabled: false });
    const { state: rotated } = await issuerOn().rotate(accountId, keyId, 0);
    expect(keyEntry(rotated, nowMs).policy).toEqual({ reads: 'account', rpm: 5 });
    expect((await change({ policy: { rpm: 5 } })).policy).toEqual({ rpm: 5 });
  });
});

describe('creating a key', () => {
  it('yields a key that verifies offline and passes the gate, and stores its secret nowhere', async () => {
    const { state, key } = await issuerOn().create(accountId, 'first', { rpm: 1 });
    expect(verified(key)).toMatchObject({ accountId, keyId: state.keyId });
    expect((await gate().touch(verified(key))).state).toMatchObject({ name: 'first', policy: { rpm: 1 } });
    const { Item: item } = await database.client.send(
      new GetItemCommand({ TableName: database.tables.keys, Key: { key_id: text(state.keyId) } }),
    );
    expect(JSON.stringify(item)).not.toContain(key.slice(56, 96));
    expect(JSON.stringify(keyEntry(state, nowMs))).not.toContain(key.slice(56, 96));
  });

  it('yields a key that bills only its own account, even if its text is signed for another', async () => {
    const { key } = await issuerOn().create(accountId, 'mine', {});
    const another = { ...verified(key), accountId: `acc_${systemUlid()}` };
    await expect(gate().touch(another)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect((await gate().touch(verified(key))).state.accountId).toBe(accountId);
  });

  it('yields one key if the SDK repeats a lost request', async () => {
    const { client } = engineClients(database.endpoint);
    const { attempts } = loseFirstResponses(client);
    const { state } = await issuerOn(client).create(accountId, 'first', {});
    expect(attempts()).toBe(2);
    expect((await registryOn().list(accountId)).map(({ keyId }) => keyId)).toEqual([state.keyId]);
  });

  it('never replaces another key: an existing id causes an error', async () => {
    const key = { keyId: 'key_taken', accountId, secretHash: 'h', name: 'n', policy: {}, created: 0 };
    await registryOn().add(key, 10);
    await expect(registryOn().add(key, 10)).rejects.toThrow('key_taken');
  });

  it('causes an error and stores nothing if the account does not exist', async () => {
    const key = { keyId: 'key_x', accountId: 'nobody', secretHash: 'h', name: 'n', policy: {}, created: 0 };
    await expect(registryOn().add(key, 10)).rejects.toThrow('nobody');
    expect(await registryOn().find('key_x')).toBeUndefined();
  });
});

describe('an account', () => {
  it(`creates at most ${QUOTAS.api_keys_per_account} keys under concurrent requests, and one more after a deletion`, async () => {
    const keyCount = QUOTAS.api_keys_per_account + 15;
    const results = await Promise.allSettled(
      Array.from({ length: keyCount }, (_, index) => issuerOn().create(accountId, `k${index}`, {})),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(QUOTAS.api_keys_per_account);
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(['key_quota']));
    const listed = await registryOn().list(accountId);
    expect(listed).toHaveLength(QUOTAS.api_keys_per_account);
    expect(listed.map(({ keyId }) => keyId)).toEqual(listed.map(({ keyId }) => keyId).toSorted());
    await revokeKey(accountId, listed[0]?.keyId ?? '');
    await issuerOn().create(accountId, 'one more', {});
    expect(await registryOn().list(accountId)).toHaveLength(QUOTAS.api_keys_per_account);
  });

  it('receives not_found when it reads, changes, rotates or revokes another’s key, as for a key that does not exist', async () => {
    const { state, key } = await issuerOn().create(accountId, 'mine', {});
    const other = `acc_${systemUlid()}`;
    const nowhere = `key_${systemUlid()}`;
    for (const id of [state.keyId, nowhere, 'key_', '', 'x'.repeat(3000)]) {
      const attempts = [
        ownKey(registryOn(), other, id),
        changeKey(registryOn(), other, id, { disabled: true }),
        revokeKey(other, id),
        issuerOn().rotate(other, id, 0),
      ];
      for (const result of await Promise.allSettled(attempts)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'not_found', param: 'id' } });
      }
    }
    expect(await statusOfKey(key)).toBe('ok');
    expect(await registryOn().list(other)).toEqual([]);
  });
});

describe('a change of a key', () => {
  it('applies to the next call: disabled, enabled, revoked', async () => {
    const { state, key } = await issuerOn().create(accountId, 'k', {});
    const { keyId } = state;
    await changeKey(registryOn(), accountId, keyId, { disabled: true });
    expect(await statusOfKey(key)).toBe('invalid_api_key');
    await changeKey(registryOn(), accountId, keyId, { disabled: false });
    expect(await statusOfKey(key)).toBe('ok');
    await revokeKey(accountId, keyId);
    expect(await statusOfKey(key)).toBe('invalid_api_key');
    await expect(changeKey(registryOn(), accountId, keyId, { disabled: false })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await registryOn().list(accountId)).toEqual([]);
  });

  it('never reactivates a key that is revoked during the change', async () => {
    const { state, key } = await issuerOn().create(accountId, 'k', {});
    const before = await ownKey(registryOn(), accountId, state.keyId);
    await revokeKey(accountId, state.keyId);
    expect(await registryOn().change(before, { disabled: false })).toBeUndefined();
    expect(await registryOn().rotate(state.keyId, 'another', undefined)).toBeUndefined();
    expect(await statusOfKey(key)).toBe('invalid_api_key');
  });

  it('retains the spend of a window when the policy is replaced, and removes the windows that the new policy omits', async () => {
    const { state, key } = await issuerOn().create(accountId, 'k', { rpm: 10, allowed_models: ['a'] });
    for (let call = 0; call < 3; call += 1) await gate().touch(verified(key));
    const changed = await changeKey(registryOn(), accountId, state.keyId, {
      policy: { rpm: 5 },
      name: 'renamed',
    });
    expect(changed).toMatchObject({ name: 'renamed', policy: { rpm: 5 }, requestsLeft: 2 });
    expect(changed.policy).not.toHaveProperty('allowed_models');
    expect(await statusOfKey(key)).toBe('ok');
    expect(await statusOfKey(key)).toBe('ok');
    expect(await statusOfKey(key)).toBe('requests_per_minute');
  });

  it('changes the remainder of each window by as much as its limit, below zero if more is used', async () => {
    const before = { rpm: 10, tpm: 1_000, daily_usd: 500n, monthly_usd: 900n };
    const { state, key } = await issuerOn().create(accountId, 'k', before);
    const windows = windowsAt(nowMs);
    await ledger().keys.charge({ key: verified(key), windows, tokens: 300, amount: 200n });
    const change = (policy: Policy) => changeKey(registryOn(), accountId, state.keyId, { policy });
    expect(await change({ rpm: 12, tpm: 2_000, daily_usd: 501n, monthly_usd: 1_000n })).toMatchObject({
      requestsLeft: 11,
      tokensLeft: 1_700n,
      dayLeft: 301n,
      monthLeft: 800n,
    });
    expect(await change({ rpm: 1, tpm: 100, daily_usd: 150n, monthly_usd: 0n })).toMatchObject({
      requestsLeft: 0,
      tokensLeft: -200n,
      dayLeft: -50n,
      monthLeft: -200n,
    });
    await change({});
    expect(await change(before)).toMatchObject({
      requestsLeft: 9,
      tokensLeft: 700n,
      dayLeft: 300n,
      monthLeft: 700n,
    });
  });

  it('survives concurrent changes of the same key', async () => {
    const { state } = await issuerOn().create(accountId, 'k', {});
    await Promise.all([
      changeKey(registryOn(), accountId, state.keyId, { name: 'new name' }),
      changeKey(registryOn(), accountId, state.keyId, { disabled: true }),
      changeKey(registryOn(), accountId, state.keyId, { policy: { tpm: 7 } }),
    ]);
    expect(await registryOn().find(state.keyId)).toMatchObject({
      name: 'new name',
      status: 'disabled',
      policy: { tpm: 7 },
    });
  });

  it('leaves the visible fields of the key unchanged if it is empty', async () => {
    const { state } = await issuerOn().create(accountId, 'k', { tpm: 7 });
    const changed = await changeKey(registryOn(), accountId, state.keyId, {});
    expect(keyEntry(changed, nowMs)).toEqual(keyEntry(state, nowMs));
  });
});

describe('a rotation', () => {
  it('leaves both secrets valid until the second its overlap ends, then only the new one', async () => {
    const { state, key: old } = await issuerOn().create(accountId, 'k', {});
    const { key: fresh, state: rotated } = await issuerOn().rotate(accountId, state.keyId, 60);
    expect(keyEntry(rotated, nowMs)).toMatchObject({ previous_secret_expires: NOON_MS / 1000 + 60 });
    expect([await statusOfKey(old), await statusOfKey(fresh)]).toEqual(['ok', 'ok']);
    nowMs = NOON_MS + 59_999;
    expect([await statusOfKey(old), await statusOfKey(fresh)]).toEqual(['ok', 'ok']);
    nowMs = NOON_MS + 60_000;
    expect([await statusOfKey(old), await statusOfKey(fresh)]).toEqual(['invalid_api_key', 'ok']);
    expect(keyEntry(rotated, nowMs)).toMatchObject({ previous_secret_expires: null });
  });

  it.each([
    [
      'ends every earlier secret at once if it has no overlap',
      0,
      ['invalid_api_key', 'invalid_api_key', 'ok'],
    ],
    [
      'leaves the last two secrets valid if it repeats during the overlap',
      600,
      ['invalid_api_key', 'ok', 'ok'],
    ],
  ])('%s', async (_what, overlap, statuses) => {
    const { state, key: first } = await issuerOn().create(accountId, 'k', {});
    const { key: second } = await issuerOn().rotate(accountId, state.keyId, 600);
    const { key: third } = await issuerOn().rotate(accountId, state.keyId, overlap);
    expect(await Promise.all([first, second, third].map(statusOfKey))).toEqual(statuses);
  });

  it('leaves the old secret valid if the response is lost and the SDK retries', async () => {
    const { state, key: old } = await issuerOn().create(accountId, 'k', {});
    const { client } = engineClients(database.endpoint);
    loseFirstResponses(client);
    const { key: fresh } = await issuerOn(client).rotate(accountId, state.keyId, 60);
    expect([await statusOfKey(old), await statusOfKey(fresh)]).toEqual(['ok', 'ok']);
  });

  it('leaves the windows and the policy unchanged', async () => {
    const { state, key } = await issuerOn().create(accountId, 'k', { rpm: 5 });
    await gate().touch(verified(key));
    await issuerOn().rotate(accountId, state.keyId, 60);
    expect(await registryOn().find(state.keyId)).toMatchObject({ requestsLeft: 4, policy: { rpm: 5 } });
  });
});
