import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Item } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { ensureTables } from '../../tools/local/dynamodb/tables.ts';
import { CONTRACT_TABLES } from '../../tools/test-kit/database.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { restoreBuilds } from './builds.ts';
import { pagesOf } from './pairs.ts';

const RESTORED = 'restored-market';

interface Version {
  readonly id: string;
  readonly isMarker?: true;
}

/** The versions of each object, the latest first. */
const objects = new Map<string, Version[]>();

const respond = async (command: object): Promise<object> => {
  if (command instanceof ListObjectVersionsCommand) {
    expect(command.input.Bucket).toBe('builds');
    const versions = objects.get(command.input.Prefix ?? '') ?? [];
    const listed = versions.map(({ id, isMarker }, at) => ({ VersionId: id, isMarker, IsLatest: at === 0 }));
    return {
      Versions: listed.filter(({ isMarker }) => isMarker === undefined),
      DeleteMarkers: listed.filter(({ isMarker }) => isMarker === true),
    };
  }
  expect(command).toBeInstanceOf(DeleteObjectCommand);
  const { Key: key = '', VersionId: version } = (command as DeleteObjectCommand).input;
  const versions = objects.get(key) ?? [];
  // Without a version, S3 would hide the object once more.
  expect(versions.find(({ id }) => id === version)?.isMarker).toBe(true);
  objects.set(
    key,
    versions.filter(({ id }) => id !== version),
  );
  return {};
};

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
  const market = CONTRACT_TABLES.filter(({ name }) => name === 'market');
  await ensureTables(
    database.client,
    market.map((table) => ({ ...table, name: RESTORED })),
  );
});
afterAll(() => database.stop());

const build = (id: string, status: string): Item => ({
  owner_id: { S: 'lst_1' },
  item: { S: `build#${id}` },
  status: { S: status },
});

const put = (table: string, item: Item) =>
  database.client.send(new PutItemCommand({ TableName: table, Item: item }));

const run = () =>
  restoreBuilds({
    client: database.client,
    files: { send: respond } as unknown as S3Client,
    bucket: 'builds',
    current: database.tables.market,
    restored: RESTORED,
  });

describe('the builds of a restored table', () => {
  it('get their artifacts back, unless they were found infected since or are unknown, and appear as missing without one', async () => {
    const current = database.tables.market;
    for (const id of ['kept', 'removed', 'lost', 'infected', 'unknown'])
      await put(RESTORED, build(id, 'clean'));
    await put(RESTORED, build('waiting', 'scanning'));
    await put(RESTORED, { owner_id: { S: 'lst_1' }, item: { S: 'balance' }, status: { S: 'clean' } });
    await put(current, build('kept', 'clean'));
    await put(current, build('removed', 'expired'));
    await put(current, build('lost', 'clean'));
    await put(current, build('infected', 'infected'));
    objects.set('artifacts/lst_1/kept', [{ id: 'k1' }]);
    objects.set('artifacts/lst_1/removed', [
      { id: 'r3', isMarker: true },
      { id: 'r2', isMarker: true },
      { id: 'r1' },
    ]);
    for (const id of ['infected', 'unknown'])
      objects.set(`artifacts/lst_1/${id}`, [{ id: 'i2', isMarker: true }, { id: 'i1' }]);
    const missing = ['artifacts/lst_1/lost'];
    expect(await run()).toEqual({ clean: 3, brought_back: 1, quarantined: 2, missing });
    expect(objects.get('artifacts/lst_1/removed')).toEqual([{ id: 'r1' }]);
    for (const id of ['infected', 'unknown']) expect(objects.get(`artifacts/lst_1/${id}`)).toHaveLength(2);
    const statuses: Record<string, string | undefined> = {};
    for await (const page of pagesOf(database.client, RESTORED))
      for (const item of page) statuses[item.item?.S ?? ''] = item.status?.S;
    expect(statuses).toMatchObject({
      'build#infected': 'infected',
      'build#unknown': 'failed',
      'build#removed': 'clean',
    });
    // The command may be repeated.
    expect(await run()).toEqual({ clean: 3, brought_back: 0, quarantined: 0, missing });
  });
});
