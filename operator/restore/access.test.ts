import { BatchWriteItemCommand, paginateScan, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { changeKey } from '../../lambdas/access/core/api-keys.ts';
import type { Policy } from '../../lambdas/access/core/policy.ts';
import { encodeAccount, OPERATOR_SINCE } from '../../lambdas/access/store/account-item.ts';
import { DynamoKeyRegistry } from '../../lambdas/access/store/key-registry.ts';
import { DynamoSessionStore } from '../../lambdas/access/store/session-store.ts';
import { type Item, number, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { encodeSubscription } from '../../lambdas/webhooks/store/subscription-item.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { ACCESS_TABLES, type AccessTableNames, reduceAccess } from './access.ts';

const NOW_MS = Date.parse('2026-11-26T12:00:00Z');
const NOW_SECONDS = NOW_MS / 1000;
const clock = () => NOW_MS;
const OWNER = `acc_${'0'.repeat(26)}`;
const KEY = `key_${'0'.repeat(26)}`;
const HASH = 'a'.repeat(64);

/** The current tables in one database, the restored ones in another. */
let current: TestDatabase;
let restored: TestDatabase;

beforeAll(async () => {
  [current, restored] = await Promise.all([startDatabase(), startDatabase()]);
});
afterAll(async () => {
  await Promise.all([current, restored].map((database) => database.stop()));
});

async function itemsOf({ client }: TestDatabase, table: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const { Items: page = [] } of paginateScan({ client }, { TableName: table })) items.push(...page);
  return items;
}
