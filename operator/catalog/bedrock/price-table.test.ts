import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import { priceValuesOf } from '../../../lambdas/inference/core/catalog/price-values.ts';
import { prices } from '../../../lambdas/inference/core/pricing/prices.ts';
import { listsIn } from '../sources/files.ts';
import { foundationModelOf } from './ids.ts';
import { makePriceTable } from './make-price-table.ts';
import { PRICE_TABLE, readPriceTable } from './price-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'price-table-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, day: string, document: object): string {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(document));
  utimesSync(file, new Date(day), new Date(day));
  return `${name}=${file}`;
}

const chat = (input: number, output: number) => ({
  litellm_provider: 'bedrock_converse',
  mode: 'chat',
  input_cost_per_token: input / 1e6,
  output_cost_per_token: output / 1e6,
  max_output_tokens: 8192,
  supports_function_calling: true,
});

function tableOf(litellm: Readonly<Record<string, object>>) {
  const model = (id: string, input: number, output: number) => [
    id,
    { id, name: `Name of ${id}`, tool_call: true, cost: { input, output } },
  ];
  const models = Object.fromEntries([model('vendor.same-v1:0', 1, 2), model('vendor.other-v1:0', 1, 2)]);
  const from = [
    write('models.dev', '2026-10-01', { 'amazon-bedrock': { id: 'amazon-bedrock', models } }),
    write('litellm', '2026-11-01', litellm),
  ];
  return makePriceTable(listsIn(from));
}

describe('the table of Bedrock’s prices', () => {
  const table = tableOf({
    'vendor.same-v1:0': chat(1, 2),
    'vendor.other-v1:0': chat(1, 3),
    'vendor.alone-v1:0': chat(1, 2),
    'bedrock/eu-west-1/vendor.same-v1:0': { ...chat(1.2, 2.4), litellm_provider: 'bedrock' },
    'bedrock/eu-west-1/vendor.other-v1:0': { ...chat(1.2, 2.4), litellm_provider: 'bedrock' },
    'bedrock/eu-west-1/1-month-commitment/vendor.same-v1:0': { ...chat(1, 2), litellm_provider: 'bedrock' },
  });

  it('contains the prices that both lists have, and those of regions for these models alone', () => {
    expect(Object.keys(table.models)).toEqual(['eu-west-1/vendor.same-v1:0', 'vendor.same-v1:0']);
    expect(table.models['vendor.same-v1:0']).toMatchObject({
      display_name: 'Name of vendor.same-v1:0',
      max_output_tokens: 8192,
      clamp_max_tokens: true,
      price: { unit: 'per_million_tokens', input: '1', output: '2' },
    });
    expect(table.models['eu-west-1/vendor.same-v1:0']?.price).toMatchObject({ input: '1.2', output: '2.4' });
  });

  it('states each list with its day, and the reason of each id without a price', () => {
    expect(table.sources.map(({ name, as_of }) => [name, as_of])).toEqual([
      ['models.dev', '2026-10-01'],
      ['litellm', '2026-11-01'],
    ]);
    expect(table.left_out).toEqual({
      'vendor.alone-v1:0': 'only litellm has it',
      'vendor.other-v1:0': 'the sources differ',
    });
  });

  it('throws an error that names the file and what is wrong with it', () => {
    const file = join(folder, 'bad.json');
    writeFileSync(file, JSON.stringify({ sources: [], models: { 'a.b': { price: {} } }, left_out: {} }));
    expect(() => readPriceTable(file)).toThrow(/bad\.json is no table of prices:[\s\S]*a\.b/);
  });
});

describe('the committed table', () => {
  const table = readPriceTable();

  it('contains prices of a hundred models and profiles from two lists', () => {
    expect(table.sources.map(({ name }) => name)).toEqual(['models.dev', 'litellm']);
    const ids = Object.keys(table.models).filter((id) => !id.includes('/'));
    expect(ids.length).toBeGreaterThan(100);
    expect(new Set(ids.map(foundationModelOf)).size).toBeGreaterThan(60);
  });

  it('precedes the release that contains it by at most 60 days', () => {
    const [, day = ''] = /^## \S+ \((\d{4}-\d\d-\d\d)\)/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    const releasedMs = Date.parse(day);
    const newest = Math.max(...table.sources.map(({ as_of }) => Date.parse(as_of)));
    expect((releasedMs - newest) / 86_400_000).toBeLessThanOrEqual(60);
  });

  it('equals the shipped catalog in each rate that both have', () => {
    const { models } = parseCatalog(JSON.parse(readFileSync('catalogs/bedrock.json', 'utf8')));
    const differences: string[] = [];
    let compared = 0;
    for (const { price, routes } of models)
      for (const { upstream_model: id } of routes) {
        const entry = table.models[id];
        if (entry === undefined) continue;
        const own = priceValuesOf(price);
        for (const [name, amount] of priceValuesOf(prices.parse(entry.price))) {
          compared += 1;
          if (own.get(name) !== amount) differences.push(`${id} ${name}`);
        }
      }
    expect(compared).toBeGreaterThan(10);
    expect(differences).toEqual([]);
  });

  it('stays as the script writes it: models in the order of their ids', () => {
    const text = JSON.parse(readFileSync(PRICE_TABLE, 'utf8')) as { readonly models: object };
    const ids = Object.keys(text.models);
    expect(ids).toEqual(ids.toSorted());
  });
});
