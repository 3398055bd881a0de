/**
 * `npm run prices`: writes the table of Bedrock's prices from copies of two public lists. A price is in the table if both
 * lists have the same. Only LiteLLM has the prices of single regions, which are those of the regions outside the US: they
 * are taken for models whose price in the US both lists agree on.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { importModels } from '../import/import.ts';
import { markupOf } from '../import/imported-model.ts';
import { listsIn } from '../sources/files.ts';
import { knownProvider } from '../sources/known-providers.ts';
import { PRICE_TABLE, type PriceTable, type TableEntry, tableEntry } from './price-table.ts';

/** A price of a single region, as LiteLLM names it: `eu-west-1/qwen.qwen3-next-80b-a3b`. */
const REGIONAL = /^[a-z]{2}(?:-[a-z]+)+-\d\/([^/]+)$/;

const idOf = (name: string): string => name.slice(name.indexOf('/') + 1);

function entryOf(model: JsonObject): TableEntry {
  const { id: _id, owned_by: _owner, aliases: _aliases, price_source: _source, routes, ...fields } = model;
  const [{ reasoning, capabilities }] = routes as [JsonObject];
  return tableEntry.parse({ ...fields, ...(reasoning === undefined ? {} : { reasoning }), capabilities });
}

/** Makes the table of lists, each with its address and the day of its copy. */
export function makePriceTable(lists: ReturnType<typeof listsIn>): PriceTable {
  const options = { providers: [knownProvider('amazon-bedrock')], markup: markupOf('0%') };
  const { models: agreed, leftOut } = importModels({
    ...options,
    sources: lists.map(({ source }) => source),
  });
  const models = new Map(agreed.map((model) => [idOf(String(model.id)), entryOf(model)]));
  const litellm = lists.filter(({ source }) => source.name === 'litellm').map(({ source }) => source);
  for (const model of importModels({ ...options, sources: litellm, unconfirmed: true }).models) {
    const id = idOf(String(model.id));
    const known = models.get(REGIONAL.exec(id)?.[1] ?? '');
    if (known !== undefined) models.set(id, { ...known, price: entryOf(model).price });
  }
  const reasons = leftOut.map(({ model, reason }) => [idOf(model), reason] as const);
  return {
    sources: lists.map(({ source: { name }, priceSource }) => ({ name, ...priceSource })),
    models: sorted([...models]),
    left_out: sorted(reasons.filter(([id]) => /^[a-z0-9-]+\.[^/]+$/.test(id))),
  };
}

const sorted = <Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      from: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: PRICE_TABLE },
    },
  });
  const made = makePriceTable(listsIn(values.from));
  writeFileSync(values.out, `${JSON.stringify(made, null, 2)}\n`);
  const [priced, rest] = [Object.keys(made.models).length, Object.keys(made.left_out).length];
  process.stdout.write(`${values.out}: ${priced} prices, ${rest} ids left out\n`);
}
