/** `catalog bedrock`: writes a catalog of the models that the account may call on Bedrock. Nothing goes live by it. */
import { writeFileSync } from 'node:fs';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { readAccountCatalog } from '../catalog/bedrock/account-catalog.ts';
import { RESIDENCIES } from '../catalog/bedrock/discover.ts';
import { markupOf } from '../catalog/import/imported-model.ts';
import { catalogWithout, readModelAccess } from '../catalog/model-access.ts';
import { watchReference } from '../catalog/watch-prices.ts';
import { readOptions } from '../read-options.ts';
import { type Command, ok } from './arguments.ts';

const DEFAULT_FILE = 'bedrock-catalog.json';

const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

function bedrockOptions(args: readonly string[]) {
  const { values } = readOptions(args, {
    options: {
      region: { type: 'string', multiple: true },
      residency: { type: 'string' },
      markup: { type: 'string', default: '0%' },
      prices: { type: 'string' },
      out: { type: 'string', default: DEFAULT_FILE },
      watch: { type: 'boolean', default: false },
    },
  });
  const residency = RESIDENCIES.find((name) => name === values.residency);
  if (values.residency !== undefined && residency === undefined)
    throw new Error(`--residency must be ${RESIDENCIES.join(', ')}`);
  for (const region of values.region ?? [])
    if (!REGION.test(region)) throw new Error('--region must be a region such as us-west-2');
  if (residency === 'region' && values.region !== undefined)
    throw new Error('--region must be absent with --residency region');
  return { ...values, residency };
}

export const CATALOG_BEDROCK_COMMAND: Command = {
  usage:
    '[--region R]... [--residency global|geography|region] [--markup 0%] [--prices FILE] [--out FILE | --watch]',
  async run(operator, args) {
    const { region, residency, markup, prices, out, watch } = bedrockOptions(args);
    if (operator.isLocal)
      throw new Error('the local service has no AWS account, and so no models of Bedrock: name a --stage');
    const found = await readAccountCatalog(operator.routes, {
      ...(region === undefined ? {} : { regions: region }),
      residency,
      markup: markupOf(markup),
      pricesFile: prices,
      now: new Date(),
    });
    if (watch) return ok(await watchReference(operator, found.json));
    const { denied, unknown } = await readModelAccess(parseCatalog(JSON.parse(found.json)), operator.routes);
    const json = catalogWithout(found.json, denied);
    writeFileSync(out, json);
    const leftOut = [...found.leftOut, ...denied.map(({ id, remedy }) => ({ model: id, reason: remedy }))];
    const notChecked = unknown.map(({ id, reason }) => ({ model: id, reason }));
    const models = (JSON.parse(json) as { models: unknown[] }).models.length;
    return {
      output: {
        file: out,
        residency: found.residency,
        regions: found.regions,
        regions_not_read: found.unread,
        counts: { models, left_out: leftOut.length },
        left_out: leftOut,
        not_checked: notChecked,
      },
      text: [
        `${out}: ${models} models, ${leftOut.length} left out; residency ${found.residency}, from ${found.regions.join(', ')}`,
        ...found.unread.map((line) => `not read: ${line}`),
        ...leftOut.map(({ model, reason }) => `left out: ${model}: ${reason}`),
        ...notChecked.map(({ model, reason }) => `not checked: ${model}: ${reason}`),
      ].join('\n'),
      exitCode: 0,
    };
  },
};
