/** The keys that an account has or had: the live ones by its item, all of them by the index of the keys. */
import { type DynamoDBClient, paginateQuery, QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../../platform/contract/tables.ts';
import { readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import type { AccountKeys } from '../../core/usage/ports.ts';

/** The most items of one read. */
const MAX_BATCH = 100;

const INDEX = TABLES.keys.indexes[0].name;

/** The index has a key within moments of its making, the account's item at once. */
export function createAccountKeys(
  client: DynamoDBClient,
  tables: { readonly accounts: string; readonly keys: string },
): AccountKeys {
  async function live(accountId: string): Promise<readonly string[]> {
    const key = { account_id: text(accountId), item: text('account') };
    const item = await readItem(client, { TableName: tables.accounts, Key: key });
    return item?.live_keys?.SS ?? [];
  }

  /** At most `maxKeys` keys: the newest, or the first ones after an id. */
  async function indexed(accountId: string, maxKeys: number, after?: string): Promise<readonly string[]> {
    const keyIds: string[] = [];
    const input = {
      TableName: tables.keys,
      IndexName: INDEX,
      KeyConditionExpression: after ? 'account_id = :account AND key_id > :after' : 'account_id = :account',
      ExpressionAttributeValues: {
        ':account': text(accountId),
        ...(after ? { ':after': text(after) } : {}),
      },
      ScanIndexForward: after !== undefined,
      ...(Number.isFinite(maxKeys) ? { Limit: maxKeys } : {}),
    };
    for await (const { Items: items = [] } of paginateQuery({ client }, input)) {
      keyIds.push(...items.map((item) => readText(item, 'key_id')));
      if (keyIds.length >= maxKeys) break;
    }
    return keyIds;
  }

  return {
    async some(accountId, maxKeys) {
      const [first, indexedIds] = await Promise.all([live(accountId), indexed(accountId, maxKeys)]);
      return [...new Set([...first, ...indexedIds])].slice(0, maxKeys);
    },
    async since(accountId, after, maxKeys) {
      const [first, later] = await Promise.all([live(accountId), indexed(accountId, maxKeys, after)]);
      return { live: first, later };
    },
    async has(accountId, keyId) {
      const { Items: items = [] } = await client.send(
        new QueryCommand({
          TableName: tables.keys,
          IndexName: INDEX,
          KeyConditionExpression: 'account_id = :account AND key_id = :key',
          ExpressionAttributeValues: { ':account': text(accountId), ':key': text(keyId) },
        }),
      );
      return items.length > 0 || (await live(accountId)).includes(keyId);
    },
    async names(keyIds) {
      const names = new Map<string, string>();
      for (let at = 0; at < keyIds.length; at += MAX_BATCH) {
        const keys = keyIds.slice(at, at + MAX_BATCH).map((id) => ({ key_id: text(id) }));
        for (const item of await readMany(client, tables.keys, keys, false))
          names.set(readText(item, 'key_id'), readText(item, 'name'));
      }
      return names;
    },
  };
}
