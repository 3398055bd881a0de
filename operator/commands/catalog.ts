/** The operator's commands for catalogs: applying, showing and comparing them, and making them from public lists of prices. */
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import type { StoredCatalog } from '../../lambdas/inference/store/catalog-store.ts';
import { readCatalogFile } from '../catalog/catalog-file.ts';
import { checkCatalog } from '../catalog/check.ts';
import { type AcceptedChanges, DIFF_RECORDS, diffCatalog, requireAccepted } from '../catalog/diff.ts';
import { mergeCatalogs } from '../catalog/merge.ts';
import { watchPrices } from '../catalog/watch-prices.ts';
import type { Operator } from '../operator.ts';
import { readOptions } from '../read-options.ts';
import { type Command, type CommandOutput, ok, options } from './arguments.ts';
import { BILL_COMMAND } from './bill.ts';
import { CATALOG_BEDROCK_COMMAND } from './catalog-bedrock.ts';
import { IMPORT_USAGE, importCatalog } from './catalog-import.ts';
import { forPeople } from './people.ts';

const count = (json: string) => (JSON.parse(json) as { models: unknown[] }).models.length;

/** Returns the secrets that the routes of a catalog need, each once. */
const secretsOf = (json: string) => [
  ...new Set(
    parseCatalog(JSON.parse(json)).models.flatMap(({ routes }) =>
      routes.flatMap(({ secret }) => secret ?? []),
    ),
  ),
];

async function storedVersion(operator: Operator, version: string): Promise<StoredCatalog> {
  const stored = await operator.catalogVersion(version);
  if (stored === undefined) throw new Error(`no catalog of version ${version} was applied`);
  return stored;
}

/** Reads the arguments that name a file or an earlier version, and accept its changes. */
function changeArguments(args: readonly string[]) {
  const { values, positionals } = readOptions(args, {
    allowPositionals: true,
    options: {
      accept: { type: 'string', multiple: true, default: [] },
      records: { type: 'string', default: String(DIFF_RECORDS) },
      remove: { type: 'boolean', default: false },
      version: { type: 'string' },
    },
  });
  const { version } = values;
  const [file, ...rest] = positionals;
  if ((file === undefined) === (version === undefined) || rest.length > 0)
    throw new Error('name one catalog file, or a --version that was applied');
  const records = Number(values.records);
  if (!Number.isSafeInteger(records) || records < 0)
    throw new Error('--records must be a whole number of usage records, 0 or more');
  return {
    read: async (operator: Operator): Promise<string> =>
      file === undefined
        ? (await storedVersion(operator, version ?? '')).json
        : readCatalogFile(operator, file),
    accepted: { prices: new Set(values.accept), canRemove: values.remove },
    records,
  };
}

/** Makes a catalog the current one if its changes are accepted; one that was merged, if the other one is still current. */
async function applyAccepted(
  operator: Operator,
  json: string,
  accepted: AcceptedChanges,
  mergedWith?: string,
): Promise<CommandOutput> {
  const change = await requireAccepted(operator, json, accepted, Date.now());
  const version = await operator.applyCatalog(json, mergedWith);
  return ok({ version, models: count(json), ...change, secrets: secretsOf(json) });
}

/** Returns the rates of a price that are plain amounts. */
const plainRates = (price: object) =>
  Object.fromEntries(Object.entries(price).filter(([, rate]) => typeof rate !== 'object'));

function shown({ version, json }: StoredCatalog): CommandOutput {
  const document = JSON.parse(json) as { readonly models: readonly ShownModel[] };
  const models = document.models.map(({ id, type, price, routes }) => ({
    model: id,
    type,
    routes: routes.map((route) => route.id),
    'price (USD)': plainRates(price),
  }));
  return {
    ...ok({ version, models: count(json), document }),
    text: `${forPeople({ version, models })}\n\nthe whole document: --json`,
  };
}

interface ShownModel {
  readonly id: string;
  readonly type: string;
  readonly price: object;
  readonly routes: readonly { readonly id: string }[];
}

export const CATALOG_COMMANDS: Readonly<Record<string, Command>> = {
  'catalog apply': {
    usage: 'FILE | --version V [--accept MODEL]... [--remove]',
    async run(operator, args) {
      const { read, accepted } = changeArguments(args);
      return applyAccepted(operator, await read(operator), accepted);
    },
  },
  'catalog add': {
    usage: 'FILE [--replace MODEL]... [--accept MODEL]...',
    async run(operator, args) {
      const { values, positionals } = readOptions(args, {
        allowPositionals: true,
        options: {
          accept: { type: 'string', multiple: true, default: [] },
          replace: { type: 'string', multiple: true, default: [] },
        },
      });
      const [file, ...rest] = positionals;
      if (file === undefined || rest.length > 0) throw new Error('name one catalog file');
      const current = await operator.catalog();
      if (current === undefined) throw new Error('no catalog has been applied: use "catalog apply"');
      const added = await readCatalogFile(operator, file);
      const json = mergeCatalogs(current.json, added, new Set(values.replace));
      const accepted = { prices: new Set(values.accept), canRemove: false };
      return applyAccepted(operator, json, accepted, current.version);
    },
  },
  'catalog show': {
    usage: '[--version V]',
    async run(operator, args) {
      const { version } = options(args, [], ['version']);
      if (version !== undefined) return shown(await storedVersion(operator, version));
      const current = await operator.catalog();
      if (current === undefined) throw new Error('no catalog has been applied');
      return shown(current);
    },
  },
  'catalog versions': {
    usage: '',
    async run(operator, args) {
      options(args, []);
      const versions = await operator.catalogVersions();
      return ok({
        versions: versions.toReversed().map(({ version, appliedMs }, at) => ({
          version,
          applied: new Date(appliedMs).toISOString(),
          current: at === 0,
        })),
      });
    },
  },
  'catalog diff': {
    usage: 'FILE | --version V [--accept MODEL]... [--records N]',
    async run(operator, args) {
      const { read, accepted, records } = changeArguments(args);
      const { output, forPerson, blocked } = await diffCatalog(operator, await read(operator), {
        accepted: accepted.prices,
        records,
        nowMs: Date.now(),
      });
      return { output, exitCode: blocked.length === 0 ? 0 : 1, text: forPeople(forPerson) };
    },
  },
  'catalog watch': {
    usage: 'FILE | --none',
    run: async (operator, args) => ok(await watchPrices(operator, args)),
  },
  'catalog check': {
    usage: '[--bedrock URL]',
    async run(operator, args) {
      const { bedrock } = options(args, [], ['bedrock']);
      const bedrockUrl = bedrock ?? (operator.isLocal ? null : undefined);
      const { output, endedCount } = await checkCatalog(operator, { fetch, bedrockUrl, now: new Date() });
      return { output, exitCode: endedCount === 0 ? 0 : 1 };
    },
  },
  'catalog bedrock': CATALOG_BEDROCK_COMMAND,
  bill: BILL_COMMAND,
  'catalog import': {
    usage: IMPORT_USAGE,
    alone: (args) => importCatalog(args),
    async run(_operator, args) {
      return importCatalog(args);
    },
  },
};
