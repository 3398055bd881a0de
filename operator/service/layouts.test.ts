import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { finishedLayouts, LAYOUTS, type StageLayouts } from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { STAGE_ITEM } from '../../lambdas/platform/contract/stage.ts';
import { text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { readItem } from '../../lambdas/platform/dynamodb/reads.ts';
import { fileDatabase } from '../../lambdas/platform/testing/file-database.ts';
import { recordLayouts } from '../../lambdas/platform/testing/record-layouts.ts';
import { createLayouts } from './layouts.ts';
import { createMaintenance, type Maintenance } from './maintenance.ts';

const database = fileDatabase();

let served = RELEASE;
let layouts: ReturnType<typeof createLayouts>;
let maintenance: Maintenance;

beforeAll(() => {
  const { client, environment, tables } = database;
  const servedRelease = async () => served;
  layouts = createLayouts({ client, table: () => tables.catalog, servedRelease });
  maintenance = createMaintenance({ environment }, client, Date.now);
});

const record = (stored: StageLayouts) => recordLayouts(database.client, database.tables.catalog, stored);

describe('the layouts of a stage', () => {
  beforeEach(async () => {
    served = RELEASE;
    await record({});
  });

  it('become the newest that this version writes when it has finished, and stay so', async () => {
    expect(await layouts.read()).toEqual({});
    for (let times = 0; times < 2; times += 1) expect(await layouts.finish()).toEqual(finishedLayouts({}));
    expect(await layouts.read()).toEqual(finishedLayouts({}));
  });

  it('list as pending what the finish changes', async () => {
    const { keys: _, ...others } = finishedLayouts({});
    await record(others);
    expect(await layouts.pending()).toEqual(['keys']);
    await record(finishedLayouts({}));
    expect(await layouts.pending()).toEqual([]);
    await record({});
    expect(await layouts.pending()).toEqual(Object.keys(finishedLayouts({})));
  });

  it('do not fall if a later version had finished', async () => {
    await record({ keys: LAYOUTS.keys.reads });
    expect(await layouts.finish()).toMatchObject({ keys: LAYOUTS.keys.reads });
  });

  it('stay as they are if the stage serves with another version than that of the command', async () => {
    served = '0.9.0';
    await expect(layouts.finish()).rejects.toThrow(`the stage serves version 0.9.0, and this is ${RELEASE}`);
    expect(await layouts.read()).toEqual({});
  });

  it('stop the commands of a version that does not read them', async () => {
    await record({ 'wallets/later': 2 });
    for (const run of [() => layouts.requireReadable(), () => layouts.finish()])
      await expect(run()).rejects.toThrow(`newer than version ${RELEASE} (wallets/later)`);
  });

  it('survive that the service is closed and opened', async () => {
    await record({ keys: LAYOUTS.keys.reads });
    const first = await maintenance.close('a drill');
    expect(await maintenance.close('another')).toEqual({ ...first, repeated: true });
    expect(await maintenance.show()).toEqual({ closed: true, since: first.since, reason: 'a drill' });
    await maintenance.open();
    await maintenance.open();
    expect(await maintenance.show()).toEqual({ closed: false });
    expect(await layouts.read()).toEqual({ keys: LAYOUTS.keys.reads });
  });

  describe('of a stage that never had a catalog', () => {
    const item = () => ({ TableName: database.tables.catalog, Key: { part: text(STAGE_ITEM) } });
    const isRecorded = async () => (await readItem(database.client, item()))?.layouts !== undefined;

    beforeEach(async () => {
      await database.client.send(new DeleteItemCommand(item()));
    });

    it('begin as the newest if it serves this version', async () => {
      await layouts.begin();
      expect(await isRecorded()).toBe(true);
      expect(await layouts.read()).toEqual(finishedLayouts({}));
      expect(await layouts.pending()).toEqual([]);
    });

    it('stay the first ones if it serves another version', async () => {
      served = '1.0.0';
      await layouts.begin();
      expect(await isRecorded()).toBe(false);
    });

    it('stay what is recorded already', async () => {
      await layouts.beginUnfinished();
      await layouts.begin();
      expect(await layouts.read()).toEqual({});
    });
  });
});
