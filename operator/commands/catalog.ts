/** The operator's commands for catalogs: applying, showing and comparing them, and making them from public lists of prices. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { checkCatalog } from '../catalog/check.ts';
import { DIFF_RECORDS, diffCatalog, requireAccepted } from '../catalog/diff.ts';
import { watchPrices } from '../catalog/watch-prices.ts';
import { type Command, ok, options } from './arguments.ts';
import { BILL_COMMAND } from './bill.ts';
import { CATALOG_BEDROCK_COMMAND } from './catalog-bedrock.ts';
import { IMPORT_USAGE, importCatalog } from './catalog-import.ts';

const count = (json: string) => (JSON.parse(json) as { models: unknown[] }).models.length;

/** Returns the secrets that the routes of a catalog need, each once. */
const secretsOf = (json: string) => [
  ...new Set(
    parseCatalog(JSON.parse(json)).models.flatMap(({ routes }) =>
      routes.flatMap(({ secret }) => secret ?? []),
    ),
  ),
];

/** One file, and what is accepted of its changes. */
function fileAndAccepted(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      accept: { type: 'string', multiple: true, default: [] },
      records: { type: 'string', default: String(DIFF_RECORDS) },
      remove: { type: 'boolean', default: false },
    },
  });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new Error('name one catalog file');
  const records = Number(values.records);
  if (!Number.isSafeInteger(records) || records < 0)
    throw new Error('--records must be a whole number of usage records, 0 or more');
  return {
    json: readFileSync(file, 'utf8'),
    accepted: new Set(values.accept),
    canRemove: values.remove,
    records,
  };
}

export const CATALOG_COMMANDS: Readonly<Record<string, Command>> = {
  'catalog apply': {
    usage: 'FILE [--accept MODEL]... [--remove]',
    async run(operator, args) {
      const { json, accepted, canRemove } = fileAndAccepted(args);
      const removed = await requireAccepted(operator, json, { prices: accepted, canRemove }, Date.now());
      const version = await operator.applyCatalog(json);
      return ok({ version, models: count(json), removed, secrets: secretsOf(json) });
    },
  },
  'catalog show': {
    usage: '[--version V]',
    async run(operator, args) {
      const { version } = options(args, [], ['version']);
      const stored =
        version === undefined ? await operator.catalog() : await operator.catalogVersion(version);
      if (stored === undefined)
        throw new Error(
          version === undefined
            ? 'no catalog has been applied'
            : `no catalog of version ${version} was applied`,
        );
      return ok({ version: stored.version, models: count(stored.json), document: JSON.parse(stored.json) });
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
    usage: 'FILE [--accept MODEL]... [--records N]',
    async run(operator, args) {
      const { json, accepted, records } = fileAndAccepted(args);
      const { output, blocked } = await diffCatalog(operator, json, { accepted, records, nowMs: Date.now() });
      return { output, exitCode: blocked.length === 0 ? 0 : 1 };
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
