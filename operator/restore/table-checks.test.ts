import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { TABLES, type Table, type TableName } from '../../lambdas/platform/contract/tables.ts';
import { fileDatabase } from '../../lambdas/platform/testing/file-database.ts';
import { tablesCheck } from '../smoke/tables.ts';
import { checkRestoredTables, checkTables } from './table-checks.ts';

const database = fileDatabase();
const endpoint = { client: { endpoint: 'http://127.0.0.1:1' } };
const deployed = { client: {} };

/** A client of a deployment whose tables are complete but for the changes. */
function deployment(
  changes: {
    readonly table?: (name: TableName, table: TableDescription) => TableDescription;
    readonly expiry?: object;
    readonly recovery?: string;
  } = {},
): DynamoDBClient {
  const nameOf = (table: string) =>
    (Object.keys(TABLES) as TableName[]).find((name) => database.tables[name] === table) ?? 'accounts';
  const respond = async (command: { readonly input: { readonly TableName?: string } }) => {
    const { TableName: table = '' } = command.input;
    const name = nameOf(table);
    if (command instanceof DescribeTableCommand) {
      const { Table: live = {} } = await database.client.send(new DescribeTableCommand({ TableName: table }));
      // The engine of the tests has no streams.
      const stream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const };
      const complete = { ...live, DeletionProtectionEnabled: true, StreamSpecification: stream };
      return { Table: changes.table?.(name, complete) ?? complete };
    }
    if (command instanceof DescribeTimeToLiveCommand) {
      const { ttl }: Table = TABLES[name];
      const expiry = { TimeToLiveStatus: 'ENABLED', AttributeName: ttl, ...changes.expiry };
      return { TimeToLiveDescription: expiry };
    }
    expect(command).toBeInstanceOf(DescribeContinuousBackupsCommand);
    const status = { PointInTimeRecoveryStatus: changes.recovery ?? 'ENABLED' };
    return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: status } };
  };
  return { send: respond } as unknown as DynamoDBClient;
}

const check = (client: DynamoDBClient) =>
  checkTables(client, { environment: database.environment, ...deployed });

describe('the check of tables', () => {
  it('finds nothing if they are as the code needs them', async () => {
    expect(await check(deployment())).toEqual([]);
  });

  it('names a missing index, another key, and a stream that is off', async () => {
    const different = await check(
      deployment({
        table: (name, table) =>
          name === 'listings'
            ? {
                ...table,
                GlobalSecondaryIndexes: table.GlobalSecondaryIndexes?.slice(1),
                StreamSpecification: undefined,
              }
            : name === 'wallets'
              ? { ...table, KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] }
              : table,
      }),
    );
    expect(different.map(({ table, differences }) => [table, differences])).toEqual([
      ['wallets', ['the key is id HASH, not wallet_id HASH']],
      [
        'listings',
        [expect.stringMatching(/^the index by-\w+ is missing$/), 'the stream is off, not NEW_AND_OLD_IMAGES'],
      ],
    ]);
  });

  it('names expiry, recovery and protection that are off', async () => {
    const off = await check(deployment({ expiry: { TimeToLiveStatus: 'DISABLED' } }));
    const expiring = (Object.keys(TABLES) as TableName[]).filter((name) => 'ttl' in TABLES[name]);
    expect(off.map(({ table }) => table)).toEqual(expiring);
    expect(off[0]?.differences).toEqual(['expiry is off, not by expires']);
    const unsafe = await check(
      deployment({
        recovery: 'DISABLED',
        table: (_name, table) => ({ ...table, DeletionProtectionEnabled: false }),
      }),
    );
    expect(unsafe).toHaveLength(Object.keys(TABLES).length);
    expect(unsafe[0]?.differences).toEqual(['point-in-time recovery is off', 'deletion protection is off']);
  });

  it('covers those of the setting `restoredTables` alone before a deployment', async () => {
    const client = deployment({ recovery: 'DISABLED' });
    expect(await checkRestoredTables(client, { wallets: { name: database.tables.wallets } })).toEqual([
      `restored table wallets (${database.tables.wallets}): point-in-time recovery is off`,
    ]);
    expect(await checkRestoredTables(client, {})).toEqual([]);
    expect(await checkRestoredTables(deployment(), { keys: { name: database.tables.keys } })).toEqual([]);
  });

  it('names a table that does not exist, and leaves out what the local service does not have', async () => {
    const environment = { ...database.environment, WALLETS_TABLE: 'Inference-prod-data-nowhere' };
    const different = await checkTables(database.client, { environment, ...endpoint });
    // The engine of the tests has no streams.
    expect(different.map(({ table, differences }) => [table, differences])).toEqual([
      ['wallets', ['does not exist']],
      ['usage', ['the stream is off, not NEW_AND_OLD_IMAGES']],
      ['listings', ['the stream is off, not NEW_AND_OLD_IMAGES']],
    ]);
  });
});

describe('the smoke test', () => {
  it('fails with the differences of the tables', async () => {
    const different = [
      { table: 'keys' as const, name: 'k', differences: ['the index by-account is missing'] },
    ];
    const check = (found: typeof different) => tablesCheck({ checkTables: async () => found }).run();
    await expect(check(different)).rejects.toThrow('keys: the index by-account is missing');
    expect(await check([])).toEqual({ note: 'as this version needs them' });
  });
});
