import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { replacedVariable, TABLES, type TableName } from '../../lambdas/platform/contract/tables.ts';
import type { Item } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { ensureTables } from '../../tools/local/dynamodb/tables.ts';
import { CONTRACT_TABLES } from '../../tools/test-kit/database.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { copyBack } from './copy-back.ts';
import { keyIn, pagesOf } from './pairs.ts';

const NAMES = ['keys', 'wallets', 'usage'] as const satisfies readonly TableName[];
const restoredName = (name: TableName) => `restored-${name}`;

let database: TestDatabase;
let closings: string[] = [];

beforeAll(async () => {
  database = await startDatabase();
  const restored = CONTRACT_TABLES.map((table) => ({
    ...table,
    name: restoredName(table.name as TableName),
  }));
  await ensureTables(database.client, restored);
});
afterAll(() => database.stop());

beforeEach(async () => {
  closings = [];
  for (const name of NAMES)
    for (const table of [database.tables[name], restoredName(name)])
      for await (const page of pagesOf(database.client, table))
        for (const item of page)
          await database.client.send(
            new DeleteItemCommand({ TableName: table, Key: keyIn(TABLES[name], item) }),
          );
});

/** Runs the command of a deployment in which these tables are restored. */
function run(names: readonly TableName[] = NAMES, client: DynamoDBClient = database.client) {
  const environment = { ...database.environment };
  for (const name of names) {
    environment[TABLES[name].variable] = restoredName(name);
    environment[replacedVariable(TABLES[name].variable)] = database.tables[name];
  }
  const maintenance = {
    close: async (reason: string) => {
      closings.push(reason);
      return { closed: true as const, since: new Date(0).toISOString(), reason, repeated: false };
    },
  };
  return copyBack({
    client,
    target: { environment, client: {} },
    maintenance,
    clock: () => 0,
    sleep: async (ms) => closings.push(`${ms} ms`),
  });
}

const put = (table: string, item: Item) =>
  database.client.send(new PutItemCommand({ TableName: table, Item: item }));

async function itemsOf(table: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pagesOf(database.client, table)) items.push(...page);
  return items;
}

const wallet = (id: string, balance: string): Item => ({ wallet_id: { S: id }, balance: { N: balance } });

describe('the copy of restored tables into those of the stack', () => {
  it('adds, changes and deletes items until both tables are equal, and leaves the restored one', async () => {
    const { wallets } = database.tables;
    const restored = [wallet('same', '1'), wallet('changed', '2'), wallet('lost', '3')];
    for (const item of restored) await put(restoredName('wallets'), item);
    for (const item of [wallet('same', '1'), wallet('changed', '9'), wallet('later', '4')])
      await put(wallets, item);
    expect(await run()).toEqual({ tables: [...NAMES], changes: 3 });
    for (const table of [wallets, restoredName('wallets')]) {
      const items = await itemsOf(table);
      expect(items).toHaveLength(restored.length);
      expect(items).toEqual(expect.arrayContaining(restored));
    }
    expect(await run()).toEqual({ tables: [...NAMES], changes: 0 });
  });

  it('closes the service before it reads, and waits until every process knows that', async () => {
    await run();
    expect(closings).toEqual(['copy back', '10000 ms']);
  });

  it('covers more items than one request can contain, also with sort keys', async () => {
    const item = (at: number): Item => ({ key_id: { S: `key_${at % 7}` }, request_id: { S: `req_${at}` } });
    for (let at = 0; at < 130; at += 1) await put(restoredName('usage'), item(at));
    for (let at = 200; at < 260; at += 1) await put(database.tables.usage, item(at));
    expect(await run()).toMatchObject({ changes: 190 });
    expect(await itemsOf(database.tables.usage)).toHaveLength(130);
  });

  it('sees no difference in the order of a set', async () => {
    const key = (values: string[]): Item => ({ key_id: { S: 'key_1' }, allowed_models: { SS: values } });
    await put(restoredName('keys'), key(['a', 'b', 'c']));
    await put(database.tables.keys, key(['c', 'a', 'b']));
    expect(await run()).toMatchObject({ changes: 0 });
  });

  it('changes no table that is not restored', async () => {
    await put(database.tables.wallets, wallet('kept', '1'));
    await put(restoredName('wallets'), wallet('other', '2'));
    expect(await run(['keys'])).toEqual({ tables: ['keys'], changes: 0 });
    expect(await itemsOf(database.tables.wallets)).toEqual([wallet('kept', '1')]);
  });

  it('fails if no table is restored, without closing the service', async () => {
    await expect(run([])).rejects.toThrow('the deployment uses no restored table');
    expect(closings).toEqual([]);
  });

  it('fails while calls are open, and names an account, although nothing changes', async () => {
    const open = { M: { hold_1: { S: 'an open stream' } } };
    await put(restoredName('wallets'), { ...wallet('acc_open#1', '1'), holds: open });
    await put(restoredName('wallets'), { ...wallet('acc_done', '1'), holds: { M: {} } });
    await expect(run()).rejects.toThrow(
      'calls are open, such as of acc_open: wait until they end, run "sweep", and repeat the command',
    );
    expect(closings).toEqual(['copy back', '10000 ms']);
    expect(await itemsOf(database.tables.wallets)).toEqual([]);
  });

  it('fails while the restored tables change', async () => {
    const { wallets } = database.tables;
    let passes = 0;
    const send = async (command: PutItemCommand) => {
      // The first read of a pass is of the table of the stack.
      const isFirst = command.constructor.name === 'ScanCommand' && command.input.TableName === wallets;
      if (isFirst) {
        passes += 1;
        await put(restoredName('wallets'), wallet('busy', String(passes)));
      }
      return database.client.send(command);
    };
    const changing: DynamoDBClient = Object.create(database.client, { send: { value: send } });
    await expect(run(['wallets'], changing)).rejects.toThrow('the restored tables still change');
    expect(passes).toBe(5);
  });
});
