import { randomBytes } from 'node:crypto';
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../tools/test-kit/seed.ts';
import { aroundSend } from '../../ledger/testing/failing-process.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import { getHealth } from '../../operations/endpoints/get-health/endpoint.ts';
import { TABLES } from '../../platform/contract/tables.ts';
import type { Log } from '../../platform/core/ports.ts';
import { writeParts } from '../../platform/dynamodb/parts.ts';
import { writeCatalog } from './catalog-history.ts';
import {
  createCatalogProbe,
  createCatalogSource,
  partsOf,
  readCatalog,
  readPointer,
} from './catalog-store.ts';

/** A document of `models` models; `noise` makes it as long compressed as it is plain. */
function documentOf(name: string, models: number, noise = 0): string {
  const chat = (index: number) => ({
    id: `${name}/${index}`,
    type: 'chat',
    owned_by: name,
    created: 0,
    display_name: noise === 0 ? 'A model' : randomBytes(noise).toString('base64').slice(0, 128),
    price: { unit: 'per_million_tokens', input: 0.15, output: 0.6 },
    routes: [
      { id: `${name}-${index}`, protocol: 'openai', base_url: 'http://127.0.0.1:1/v1', upstream_model: 'm' },
    ],
  });
  return JSON.stringify({ models: Array.from({ length: models }, (_, index) => chat(index)) });
}

const settled = async () => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
};

let database: TestDatabase;
let table: string;

beforeAll(async () => {
  database = await startDatabase();
  table = database.tables.catalog;
});
afterAll(() => database.stop());

async function storedParts(): Promise<readonly string[]> {
  const scan = { TableName: table, ProjectionExpression: 'part' };
  const parts: string[] = [];
  for await (const { Items: items = [] } of paginateScan({ client: database.client }, scan))
    parts.push(...items.map(({ part }) => String(part?.S)));
  return parts;
}

const deleteParts = (parts: readonly string[]) =>
  Promise.all(
    parts.map((part) =>
      database.client.send(new DeleteItemCommand({ TableName: table, Key: { part: { S: part } } })),
    ),
  );

const deleteAll = async () => deleteParts(await storedParts());

beforeEach(deleteAll);

describe('the catalog in the database', () => {
  it('reads back as it was applied, in one part or in several', async () => {
    expect(await readCatalog(database.client, table)).toBeUndefined();
    for (const [json, parts] of [
      [documentOf('small', 3), 1],
      [documentOf('large', 6_000, 96), 2],
    ] as const) {
      const version = await writeCatalog(database.client, table, json);
      expect(await readCatalog(database.client, table)).toEqual({ version, json });
      expect((await readPointer(database.client, table))?.parts).toBeGreaterThanOrEqual(parts);
    }
  });

  it('receives one version for one content, at any time and after any number of writes', async () => {
    const [first, second] = [documentOf('one', 2), documentOf('two', 2)];
    const version = await writeCatalog(database.client, table, first);
    expect(await writeCatalog(database.client, table, first)).toBe(version);
    expect(await writeCatalog(database.client, table, second)).not.toBe(version);
    expect(await writeCatalog(database.client, table, first)).toBe(version);
    expect(await readCatalog(database.client, table)).toEqual({ version, json: first });
  });

  it('accepts no invalid document, and retains the current one', async () => {
    const version = await writeCatalog(database.client, table, documentOf('good', 1));
    for (const bad of ['{', '{}', '{"models":[]}', documentOf('bad', 2).replaceAll('bad/1', 'bad/0')]) {
      await expect(writeCatalog(database.client, table, bad)).rejects.toThrow();
    }
    expect((await readCatalog(database.client, table))?.version).toBe(version);
  });

  it('appears complete to a reader at any moment of a write, either old or new', async () => {
    const [old, next] = [documentOf('old', 2_000, 96), documentOf('new', 6_000, 96)];
    await writeCatalog(database.client, table, old);
    const observed: string[] = [];
    const client = aroundSend(database.client, async (command, send) => {
      const reading = readCatalog(database.client, table);
      const output = await send(command);
      for (const catalog of [await reading, await readCatalog(database.client, table)])
        observed.push(catalog?.json ?? '');
      return output;
    });
    await writeCatalog(client, table, next);
    expect(observed.length).toBeGreaterThan(4);
    expect(observed.every((json) => json === old || json === next)).toBe(true);
    expect(observed.at(-1)).toBe(next);
  });

  it('appears complete to a reader whose eventually consistent reads lag behind a write', async () => {
    await writeCatalog(database.client, table, documentOf('fresh', 2));
    const lagging = aroundSend(database.client, async (command, send) => {
      if (command instanceof GetItemCommand && command.input.ConsistentRead !== true)
        return { $metadata: {} };
      return send(command);
    });
    expect((await readCatalog(lagging, table))?.json).toBe(documentOf('fresh', 2));
  });
});

describe('the catalog in memory', () => {
  let nowMs = 0;
  const sourceOf = (client: DynamoDBClient = database.client, random = () => 0, log: Log = SILENT) =>
    createCatalogSource({ client, table, clock: () => nowMs, random, log });
  /** A database client that counts its requests, and fails while the test requires it. */
  function failingClient() {
    const state = { isFailing: false, requests: 0 };
    const client = aroundSend(database.client, async (command, send) => {
      state.requests += 1;
      if (state.isFailing) throw new Error('no database');
      return send(command);
    });
    return { client, state };
  }
  const models = async (source: ReturnType<typeof sourceOf>) => (await source()).models.length;

  beforeEach(async () => {
    nowMs = 1_000_000;
    await writeCatalog(database.client, table, documentOf('first', 1));
  });

  it('changes within seconds of a write, without a delay for a call', async () => {
    const source = sourceOf();
    expect(await models(source)).toBe(1);
    await writeCatalog(database.client, table, documentOf('second', 2));
    nowMs += 1_999;
    expect(await models(source)).toBe(1);
    nowMs += 1;
    expect(await models(source)).toBe(1);
    await settled();
    expect(await models(source)).toBe(2);
  });

  it('serves the other models of a document that a later version has applied, and logs the one that it cannot read', async () => {
    const document = JSON.parse(documentOf('later', 2)) as { models: object[] };
    Object.assign(document.models[1] ?? {}, { field_of_a_later_version: true });
    const version = await writeCatalog(database.client, table, documentOf('later', 2));
    await writeParts(partsOf(database.client, table, version), JSON.stringify(document));
    const warnings: unknown[] = [];
    const log: Log = { ...SILENT, warn: (_, fields) => warnings.push(fields) };
    const source = sourceOf(database.client, () => 0, log);
    expect(await models(source)).toBe(1);
    expect(await models(source)).toBe(1);
    expect((await source()).find('later/0')).toBeDefined();
    expect(warnings).toEqual([{ failure: expect.stringContaining('field_of_a_later_version') }]);
  });

  it('stays whole for a call that has it while another takes its place', async () => {
    await writeCatalog(database.client, table, documentOf('first', 5_000));
    const source = sourceOf();
    const first = await source();
    await writeCatalog(database.client, table, documentOf('second', 5_000));
    nowMs += 10_000;
    const second = await source();
    for (const [catalog, ownCatalog, other] of [
      [first, 'first', 'second'],
      [second, 'second', 'first'],
    ] as const) {
      expect(catalog.find(`${ownCatalog}/4999`)?.id).toBe(`${ownCatalog}/4999`);
      expect(catalog.find(`${other}/4999`)).toBeUndefined();
    }
  });

  it('costs one eventually consistent read of its pointer per refresh while its version is current', async () => {
    const reads: { readonly part: string; readonly isConsistent: boolean }[] = [];
    const client = aroundSend(database.client, (command, send) => {
      const { Key, ConsistentRead: isConsistent = false } = (command as GetItemCommand).input;
      reads.push({ part: String(Key?.part?.S), isConsistent });
      return send(command);
    });
    const source = sourceOf(client);
    await source();
    reads.length = 0;
    nowMs += 10_000;
    await source();
    expect(reads).toEqual([{ part: 'current', isConsistent: false }]);
  });

  it('refreshes every two to four seconds in a busy process, at random times', async () => {
    const times: number[] = [];
    const client = aroundSend(database.client, (command, send) => {
      times.push(nowMs);
      return send(command);
    });
    const source = sourceOf(client, drawsOf('looks of a busy process'));
    await source();
    times.splice(0, times.length, nowMs);
    for (let call = 0; call < 600; call += 1) {
      nowMs += 100;
      await source();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const gaps = times.slice(1).map((timeMs, index) => timeMs - Number(times[index]));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000);
    expect(gaps.length).toBeGreaterThan(12);
    expect(new Set(gaps).size).toBeGreaterThan(3);
  });

  it('ignores an outdated read', async () => {
    await writeCatalog(database.client, table, documentOf('second', 2));
    const old = await database.client.send(
      new GetItemCommand({ TableName: table, Key: { part: { S: 'current' } } }),
    );
    await writeCatalog(database.client, table, documentOf('third', 3));
    const lagging = aroundSend(database.client, async (command, send) => {
      const { Key, ConsistentRead } = (command as GetItemCommand).input;
      return ConsistentRead !== true && Key?.part?.S === 'current' ? old : send(command);
    });
    const source = sourceOf(lagging);
    expect(await models(source)).toBe(3);
    nowMs += 10_000;
    expect(await models(source)).toBe(3);
  });

  it('refreshes seldom and logs one error while the database fails', async () => {
    const { client, state } = failingClient();
    const errors: string[] = [];
    const source = sourceOf(client, () => 0.5, { ...SILENT, error: (message) => void errors.push(message) });
    await source();
    Object.assign(state, { isFailing: true, requests: 0 });
    for (let call = 0; call < 600; call += 1) {
      nowMs += 100;
      await source();
    }
    expect(state.requests).toBeLessThanOrEqual(9);
    expect(errors).toEqual(['catalog refresh failed']);
  });

  it('refreshes at the first call after a sleep of 10 s', async () => {
    const source = sourceOf();
    await source();
    await writeCatalog(database.client, table, documentOf('second', 2));
    nowMs += 10_000;
    expect(await models(source)).toBe(2);
  });

  it('serves from memory at once while a refresh hangs', async () => {
    let hang = false;
    const client = aroundSend(database.client, (command, send) =>
      hang ? new Promise(() => {}) : send(command),
    );
    const source = sourceOf(client);
    await source();
    hang = true;
    nowMs += 5_000;
    expect(await models(source)).toBe(1);
    expect(await models(source)).toBe(1);
  });

  it('serves the last cached version if the database fails, and the new one after it recovers', async () => {
    const { client, state } = failingClient();
    const source = sourceOf(client);
    await source();
    await writeCatalog(database.client, table, documentOf('second', 2));
    state.isFailing = true;
    nowMs += 60_000;
    expect(await models(source)).toBe(1);
    state.isFailing = false;
    nowMs += 5_000;
    expect(await models(source)).toBe(2);
  });

  it('leaves the health check to report a database failure', async () => {
    const { client, state } = failingClient();
    const probe = createCatalogProbe({ client, environment: { [TABLES.catalog.variable]: table } });
    const health = getHealth({ catalog: sourceOf(client), probe, version: '1' });
    const statusOf = async () =>
      (
        await health(new Request('http://localhost/health'), {
          requestId: 'req_1',
          remainingTimeMs: () => 1_000,
          pathParameters: {},
          log: SILENT,
        })
      ).status;
    expect(await statusOf()).toBe(200);
    state.isFailing = true;
    expect(await statusOf()).toBe(503);
    state.isFailing = false;
    expect(await statusOf()).toBe(200);
  });

  it('fails the first call when there is no catalog, and not the next once there is one', async () => {
    await deleteAll();
    const source = sourceOf();
    await expect(source()).rejects.toThrow('no catalog');
    await writeCatalog(database.client, table, documentOf('second', 2));
    expect(await models(source)).toBe(2);
  });

  it('shares one read among concurrent calls, and reads no document again while its version is current', async () => {
    const { client, state } = failingClient();
    const source = sourceOf(client);
    const [first] = await Promise.all(Array.from({ length: 20 }, () => source()));
    expect(state.requests).toBeLessThanOrEqual(3);
    nowMs += 3_000;
    await source();
    await settled();
    expect(await source()).toBe(first);
  });
});
