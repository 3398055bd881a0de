/** `catalog import`: its arguments, the files that it reads, and what it prints. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseCatalog } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { type Outcome, ok } from '../arguments.ts';
import { importModels } from './import/import.ts';
import { markupOf } from './import/imported-model.ts';
import { genaiPrices } from './sources/genai-prices.ts';
import { knownProvider } from './sources/known-providers.ts';
import { litellm } from './sources/litellm.ts';
import { modelsDev } from './sources/models-dev.ts';
import { SOURCE_NAMES, type Source } from './sources/source.ts';

export const IMPORT_USAGE =
  '--from models.dev=FILE --from genai-prices [--from litellm=FILE] --providers P,Q --markup 5% [--only ID,ID] [--unconfirmed] [--secrets STAGE] [--out FILE]';

const DEFAULT_FILE = 'imported-catalog.json';

/** A source by what `--from` says: its name, and the file of it unless it is a package. */
function sourceOf(from: string, at: Date): Source {
  const [name = '', ...path] = from.split('=');
  const file = path.join('=');
  if (name === 'genai-prices' && file === '') return genaiPrices(at);
  if (name === 'models.dev' && file !== '') return modelsDev(readFileSync(file, 'utf8'));
  if (name === 'litellm' && file !== '') return litellm(readFileSync(file, 'utf8'));
  throw new Error(`--from must be models.dev=FILE, genai-prices or litellm=FILE, not ${from}`);
}

/** The lists that are files, which have a date: that of the copy. */
const URLS: readonly (readonly [name: string, url: string])[] = [
  ['models.dev', 'https://models.dev/api.json'],
  ['litellm', 'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json'],
];

/** Where the prices were read: the oldest of the files; undefined where all are in a package. */
function priceSourceOf(from: readonly string[]) {
  const files = URLS.flatMap(([name, url]) =>
    from.flatMap((each) =>
      each.startsWith(`${name}=`)
        ? [
            {
              url,
              as_of: statSync(each.slice(name.length + 1))
                .mtime.toISOString()
                .slice(0, 10),
            },
          ]
        : [],
    ),
  );
  return files.sort((a, b) => a.as_of.localeCompare(b.as_of))[0];
}

const listOf = (value: string): readonly string[] => value.split(',').filter((each) => each !== '');

const required = (name: string, value: string | undefined): string => {
  if (value === undefined || value === '') throw new Error(`--${name} is required`);
  return value;
};

/** Writes a catalog file; nothing goes live by it. Exits with 1, and writes nothing, when no model is left. */
export function importCatalog(args: readonly string[], now: Date): Outcome {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string', multiple: true, default: [] },
      providers: { type: 'string' },
      markup: { type: 'string' },
      only: { type: 'string' },
      unconfirmed: { type: 'boolean', default: false },
      secrets: { type: 'string' },
      out: { type: 'string', default: DEFAULT_FILE },
    },
  });
  const { from, unconfirmed, out } = values;
  if (from.length === 0) throw new Error(`--from is required: ${SOURCE_NAMES.join(', ')}`);
  const sources = from.map((each) => sourceOf(each, now));
  if (new Set(sources.map(({ name }) => name)).size < sources.length)
    throw new Error('--from must name each source once');
  const { models, leftOut, leftPrices } = importModels({
    sources,
    providers: listOf(required('providers', values.providers)).map(knownProvider),
    markup: markupOf(required('markup', values.markup)),
    only: values.only === undefined ? undefined : new Set(listOf(values.only)),
    unconfirmed,
    secretStage: values.secrets,
    priceSource: priceSourceOf(from),
  });
  const listed = {
    left_out: leftOut,
    left_prices: leftPrices,
  };
  const counts = { models: models.length, left_out: leftOut.length, left_prices: leftPrices.length };
  if (models.length === 0) return { output: { file: null, counts, ...listed }, exitCode: 1 };
  parseCatalog({ models });
  writeFileSync(out, `${JSON.stringify({ models }, null, 2)}\n`);
  return ok({ file: out, counts, ...listed });
}
