import { DeleteItemCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeKey } from '../../lambdas/access/core/keys/api-keys.ts';
import type { KeyState } from '../../lambdas/access/core/keys/key-state.ts';
import type { Policy } from '../../lambdas/access/core/keys/policy.ts';
import { DynamoAccountStore } from '../../lambdas/access/store/accounts/account-store.ts';
import { DynamoKeyRegistry } from '../../lambdas/access/store/keys/key-registry.ts';
import { DynamoSessionStore } from '../../lambdas/access/store/sessions/session-store.ts';
import type { Item } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { systemUlid } from '../../lambdas/platform/system/system.ts';
import type { Subscription } from '../../lambdas/webhooks/core/subscription.ts';
import { encodeReplaced, encodeSubscription } from '../../lambdas/webhooks/store/subscription-item.ts';
import { ensureTables } from '../../tools/local/dynamodb/tables.ts';
import { CONTRACT_TABLES } from '../../tools/test-kit/database.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { createOperatorAccounts } from '../customers/operator-accounts.ts';
import { ACCESS_TABLES, type AccessTableNames, reduceAccess } from './access.ts';

const NOW_MS = Date.parse('2026-11-26T12:00:00Z');
const NOW_SECONDS = NOW_MS / 1000;
const clock = () => NOW_MS;
const [FIRST, SECOND, THIRD] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];

const restoredNames = Object.fromEntries(
  ACCESS_TABLES.map((name) => [name, `restored-${name}`]),
) as unknown as AccessTableNames;

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
  const restored = CONTRACT_TABLES.map((table) => ({ ...table, name: `restored-${table.name}` }));
  await ensureTables(database.client, restored);
});
afterAll(() => database.stop());

async function itemsOf(table: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  const pages = paginateScan({ client: database.client }, { TableName: table });
  for await (const { Items: page = [] } of pages) items.push(...page);
  return items;
}

const put = (table: string, item: Item) =>
  database.client.send(new PutItemCommand({ TableName: table, Item: item }));

/** Restores the tables that grant access as they are now. */
async function restoreNow(): Promise<void> {
  for (const name of ACCESS_TABLES)
    for (const item of await itemsOf(database.tables[name])) await put(restoredNames[name], item);
}

const reduce = () =>
  reduceAccess({ client: database.client, current: database.tables, restored: restoredNames, clock });

const registryOf = (tables: AccessTableNames) => new DynamoKeyRegistry(database.client, tables, clock);
const current = () => registryOf(database.tables);

const openAccount = async (): Promise<string> => {
  const id = `acc_${systemUlid()}`;
  await new DynamoAccountStore(database.client, database.tables).open(
    { id, created: NOW_SECONDS },
    `of ${id}`,
  );
  return id;
};

async function createKey(policy: Policy = {}): Promise<KeyState> {
  const key = {
    keyId: `key_${systemUlid()}`,
    accountId: await openAccount(),
    secretHash: FIRST,
    name: 'key',
    policy,
    created: NOW_SECONDS,
  };
  return (await current().add(key, 100)) as KeyState;
}

const restoredKey = async ({ keyId }: KeyState) => (await registryOf(restoredNames).find(keyId)) as KeyState;
const changed = ({ accountId, keyId }: KeyState, change: Parameters<typeof changeKey>[3]) =>
  changeKey(current(), accountId, keyId, change);

describe('a key after a restore', () => {
  it('stays revoked if it was revoked since, and leaves the keys of its account', async () => {
    const key = await createKey();
    await restoreNow();
    await current().revoke(key);
    expect(await reduce()).toMatchObject({ keys_revoked: 1 });
    expect(await restoredKey(key)).toMatchObject({ status: 'revoked' });
    expect(await registryOf(restoredNames).list(key.accountId)).toEqual([]);
  });

  it('becomes revoked if the current table does not contain it, or contains it for another account', async () => {
    const [missing, other] = [await createKey(), await createKey()];
    await restoreNow();
    const Key = { key_id: { S: missing.keyId } };
    await database.client.send(new DeleteItemCommand({ TableName: database.tables.keys, Key }));
    const item = (await itemsOf(database.tables.keys)).find(({ key_id: id }) => id?.S === other.keyId);
    await put(database.tables.keys, { ...item, account_id: { S: missing.accountId } });
    await reduce();
    for (const key of [missing, other]) expect((await restoredKey(key)).status).toBe('revoked');
    await current().revoke({ ...other, accountId: missing.accountId });
  });

  it('accepts the current secret after a rotation since the restore point, and the previous one until the overlap ends', async () => {
    const [overlap, twice, noOverlap] = [await createKey(), await createKey(), await createKey()];
    await restoreNow();
    const until = NOW_SECONDS + 600;
    await current().rotate(overlap.keyId, SECOND, until);
    await current().rotate(twice.keyId, SECOND, until);
    await current().rotate(twice.keyId, THIRD, until);
    await current().rotate(noOverlap.keyId, SECOND, undefined);
    expect(await reduce()).toMatchObject({ keys_rotated: 3 });
    expect(await restoredKey(overlap)).toMatchObject({
      secretHash: SECOND,
      previous: { secretHash: FIRST, until },
    });
    for (const [key, secretHash] of [
      [twice, THIRD],
      [noOverlap, SECOND],
    ] as const) {
      const state = await restoredKey(key);
      expect([state.secretHash, state.previous]).toEqual([secretHash, undefined]);
    }
  });

  it('allows the lower of two limits, and the models and kinds that both policies allow', async () => {
    const before: Policy = {
      allowed_models: ['a', 'b'],
      daily_usd: 10n,
      tpm: 100,
      rpm: 50,
    };
    const key = await createKey(before);
    await restoreNow();
    const after: Policy = {
      allowed_models: ['b', 'c'],
      allowed_kinds: ['chat'],
      daily_usd: 20n,
      monthly_usd: 7n,
      rpm: 40,
    };
    await changed(key, { policy: after });
    expect(await reduce()).toMatchObject({ keys_limited: 1 });
    const state = await restoredKey(key);
    expect(state.policy).toEqual({
      allowed_models: ['b'],
      allowed_kinds: ['chat'],
      daily_usd: 10n,
      monthly_usd: 7n,
      tpm: 100,
      rpm: 40,
    });
    expect([state.status, state.monthLeft]).toEqual(['active', 7n]);
  });

  it('allows no kind if it did so at either time, or if the policies have none in common', async () => {
    const keys = [
      await createKey({ allowed_kinds: [] }),
      await createKey(),
      await createKey({ allowed_kinds: ['chat'] }),
    ] as const;
    const [, since, other] = keys;
    await restoreNow();
    await changed(since, { policy: { allowed_kinds: [] } });
    await changed(other, { policy: { allowed_kinds: ['image'] } });
    expect(await reduce()).toMatchObject({ keys_limited: 2 });
    for (const key of keys) {
      const { status, policy } = await restoredKey(key);
      expect([status, policy]).toEqual(['active', { allowed_kinds: [] }]);
    }
  });

  it('becomes disabled if the policies have no model in common, or if it was disabled at either time', async () => {
    const keys = [await createKey({ allowed_models: ['a'] }), await createKey(), await createKey()] as const;
    const [models, since, before] = keys;
    await changed(before, { disabled: true });
    await restoreNow();
    await changed(models, { policy: { allowed_models: ['b'] } });
    await changed(since, { disabled: true });
    await changed(before, { disabled: false });
    await reduce();
    for (const key of keys) expect((await restoredKey(key)).status).toBe('disabled');
  });

  it('remains unchanged if the owner reduced nothing since, or raised a limit', async () => {
    const [same, raised] = [await createKey({ daily_usd: 5n }), await createKey({ daily_usd: 5n })];
    await restoreNow();
    await changed(raised, { policy: { daily_usd: 50n }, name: 'raised' });
    expect(await reduce()).toMatchObject({ keys_revoked: 0, keys_rotated: 0, keys_limited: 0 });
    for (const key of [same, raised]) {
      const state = await restoredKey(key);
      expect([state.policy, state.status, state.secretHash]).toEqual([{ daily_usd: 5n }, 'active', FIRST]);
    }
  });
});

describe('other access after a restore', () => {
  it('excludes every session, even one that is still live', async () => {
    const accountId = await openAccount();
    const sessions = new DynamoSessionStore(database.client, database.tables.sessions);
    const expires = NOW_SECONDS + 3_600;
    const session = { id: 'ses_1', accountId, expires, authTime: NOW_SECONDS, role: 'owner' as const };
    await sessions.start(session, 5, NOW_SECONDS);
    await restoreNow();
    expect(await reduce()).toMatchObject({ accounts_signed_out: 1 });
    expect(await new DynamoSessionStore(database.client, restoredNames.sessions).isLive(session)).toBe(false);
    expect(await sessions.isLive(session)).toBe(true);
  });

  it('excludes operators that were removed since, and those that were added since', async () => {
    const [kept, removed, added] = [await openAccount(), await openAccount(), await openAccount()];
    const operators = createOperatorAccounts(database.client, database.tables.accounts, clock);
    for (const id of [kept, removed]) await operators.add(id);
    await restoreNow();
    await operators.remove(removed);
    await operators.add(added);
    expect(await reduce()).toMatchObject({ operators_removed: 1 });
    const restored = await createOperatorAccounts(database.client, restoredNames.accounts, clock).list();
    expect(restored.map(({ id }) => id)).toEqual([kept]);
  });

  it('excludes identities that were deleted or given to another account since', async () => {
    const [kept, deleted, moved] = [await openAccount(), await openAccount(), await openAccount()];
    await restoreNow();
    const TableName = database.tables.identities;
    await database.client.send(
      new DeleteItemCommand({ TableName, Key: { identity: { S: `of ${deleted}` } } }),
    );
    await put(TableName, { identity: { S: `of ${moved}` }, account_id: { S: kept } });
    expect(await reduce()).toMatchObject({ identities_removed: 2 });
    const identities = (await itemsOf(restoredNames.identities)).map(({ identity }) => identity?.S);
    expect(identities).toContain(`of ${kept}`);
    for (const id of [deleted, moved]) expect(identities).not.toContain(`of ${id}`);
  });

  it('excludes webhooks that were deleted, disabled or changed since, and includes replaced secrets', async () => {
    const accountId = await openAccount();
    const webhook = (id: string, fields: Partial<Subscription> = {}, secret = 'one'): Item => ({
      ...encodeSubscription({
        accountId,
        id,
        url: 'https://receiver.example/',
        events: [],
        status: 'active',
        created: NOW_SECONDS,
        ...fields,
      } as Subscription),
      secret: { B: Buffer.from(secret) },
    });
    const { webhooks } = database.tables;
    for (const id of ['same', 'deleted', 'disabled', 'moved', 'rotated']) await put(webhooks, webhook(id));
    await put(webhooks, { account_id: { S: `counts#${accountId}` }, webhook_id: { S: 'webhooks' } });
    await restoreNow();
    const Key = { account_id: { S: accountId }, webhook_id: { S: 'deleted' } };
    await database.client.send(new DeleteItemCommand({ TableName: webhooks, Key }));
    await put(webhooks, webhook('disabled', { status: 'disabled' }));
    await put(webhooks, webhook('moved', { url: 'https://elsewhere.example/' }));
    const rotated = {
      ...webhook('rotated', {}, 'two'),
      replaced: encodeReplaced([{ sealed: Buffer.from('one'), until: NOW_SECONDS }]),
    };
    await put(webhooks, rotated);
    expect(await reduce()).toMatchObject({ webhooks_disabled: 3 });
    const active = (await itemsOf(restoredNames.webhooks)).filter(({ status }) => status?.S === 'active');
    const byId = new Map(active.map((item) => [item.webhook_id?.S, item]));
    expect([...byId.keys()].sort()).toEqual(['rotated', 'same']);
    expect(byId.get('rotated')).toEqual(rotated);
  });

  it('remains as it is if the command is repeated', async () => {
    expect(Object.values(await reduce()).every((count) => count === 0)).toBe(true);
  });
});
