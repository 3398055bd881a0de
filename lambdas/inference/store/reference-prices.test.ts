import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { aroundSend } from '../../ledger/testing/failing-process.ts';
import { type PriceCheck, watchPrices } from '../../operations/consumers/watch-prices/consumer.ts';
import { writeCatalog } from './catalog-history.ts';
import { readCatalog } from './catalog-store.ts';
import { deleteReferencePrices, readReferencePrices, writeReferencePrices } from './reference-prices.ts';

const READ_AT = 1_790_000_000;
const DAY = 24 * 3600;

/** A catalog of one model, sold at these USD for a million tokens of input. */
const documentOf = (input: number, cost?: number) =>
  JSON.stringify({
    models: [
      {
        id: 'a/b',
        type: 'chat',
        owned_by: 'a',
        created: 0,
        price: { unit: 'per_million_tokens', input, output: 4 },
        routes: [
          {
            id: 'r',
            protocol: 'openai',
            base_url: 'https://a.example/v1',
            upstream_model: 'up',
            ...(cost === undefined ? {} : { cost: { unit: 'per_million_tokens', input: cost, output: 4 } }),
          },
        ],
      },
    ],
  });

let database: TestDatabase;
let table: string;

beforeAll(async () => {
  database = await startDatabase();
  table = database.tables.catalog;
});
afterAll(() => database.stop());
beforeEach(() => deleteReferencePrices(database.client, table));

const give = (json: string) => writeReferencePrices(database.client, table, { json, given: READ_AT });

/** One look at the tables, a number of days after the reference prices were given, with what it logged and measured. */
async function checkReferencePrices(days = 1, client = database.client) {
  const lines: (readonly [string, unknown])[] = [];
  const line = (message: string, fields?: object) => void lines.push([message, fields]);
  const measured: PriceCheck[] = [];
  const result = await watchPrices({
    readCatalog: () => readCatalog(client, table),
    readReference: () => readReferencePrices(client, table),
    onChecked: (found) => measured.push(found),
    clock: () => (READ_AT + days * DAY) * 1000,
    log: { info: line, warn: line, error: line },
  })();
  return { result, measured, lines };
}

describe('the reference prices in the database', () => {
  it('read back unchanged with their time, and replace the previous ones', async () => {
    expect(await readReferencePrices(database.client, table)).toBeUndefined();
    const version = await give(documentOf(1));
    expect(await readReferencePrices(database.client, table)).toEqual({
      version,
      json: documentOf(1),
      given: READ_AT,
    });
    expect(await give(documentOf(2))).not.toBe(version);
    expect((await readReferencePrices(database.client, table))?.json).toBe(documentOf(2));
    await deleteReferencePrices(database.client, table);
    expect(await readReferencePrices(database.client, table)).toBeUndefined();
  });

  it('leave the catalog unchanged, whatever their document contains', async () => {
    const version = await writeCatalog(database.client, table, documentOf(3));
    await give(documentOf(3));
    await give(documentOf(4));
    await deleteReferencePrices(database.client, table);
    expect(await readCatalog(database.client, table)).toEqual({ version, json: documentOf(3) });
  });

  it('accept a valid catalog only, and store nothing of any other document', async () => {
    await give(documentOf(1));
    for (const bad of ['{', '{}', '{"models":[]}', documentOf(-1)]) await expect(give(bad)).rejects.toThrow();
    expect((await readReferencePrices(database.client, table))?.json).toBe(documentOf(1));
  });
});

describe('the watch of prices', () => {
  it('compares nothing and logs the reason if there are no reference prices', async () => {
    await writeCatalog(database.client, table, documentOf(3));
    expect(await checkReferencePrices()).toEqual({
      result: null,
      measured: [],
      lines: [['prices are not watched', { reason: 'no reference prices' }]],
    });
  });

  it('detects nothing if no price exceeds its reference, and records that as a metric', async () => {
    await writeCatalog(database.client, table, documentOf(3, 2));
    await give(documentOf(3, 2));
    const { result, measured, lines } = await checkReferencePrices();
    expect(result).toEqual({ compared: 1, notCompared: 0, passed: 0, outdated: 0, isOld: false });
    expect(measured).toEqual([result]);
    expect(lines).toEqual([
      ['prices are watched', expect.objectContaining({ compared: 1, read: '2026-09-21T14:13:20.000Z' })],
    ]);
  });

  it('names the model, the route, the rate and both values if a price exceeds its reference', async () => {
    await writeCatalog(database.client, table, documentOf(1, 0.5));
    await give(documentOf(9, 1.25));
    const { measured, lines } = await checkReferencePrices();
    expect(measured).toMatchObject([{ passed: 1, outdated: 1 }]);
    const rate = { rate: 'input', reference: '1.25 per 1000000' };
    expect(lines).toContainEqual([
      'prices passed',
      { model: 'a/b', route: 'r', rates: [{ ...rate, catalog: '1 per 1000000' }] },
    ]);
    expect(lines).toContainEqual([
      'costs out of date',
      { model: 'a/b', route: 'r', rates: [{ ...rate, catalog: '0.5 per 1000000' }] },
    ]);
  });

  it('reports the reference prices as old after 30 days, and still compares with them', async () => {
    await writeCatalog(database.client, table, documentOf(1));
    await give(documentOf(2));
    expect((await checkReferencePrices(30)).result).toMatchObject({ isOld: false, passed: 1 });
    const { result, lines } = await checkReferencePrices(30.1);
    expect(result).toMatchObject({ isOld: true, passed: 1 });
    expect(lines.map(([message]) => message)).toContain('the reference prices are old');
  });

  it('reads item by item, and writes nothing', async () => {
    await writeCatalog(database.client, table, documentOf(1));
    await give(documentOf(2));
    const commands = new Set<unknown>();
    const client = aroundSend(database.client, (command, send) => {
      commands.add((command as object).constructor);
      return send(command);
    });
    await checkReferencePrices(1, client);
    expect([...commands]).toEqual([GetItemCommand]);
  });
});
