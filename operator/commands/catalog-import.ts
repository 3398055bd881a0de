/** `catalog import`: its arguments, the files that it reads, and what it prints. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { importModels } from '../catalog/import/import.ts';
import { markupOf } from '../catalog/import/imported-model.ts';
import { knownProvider } from '../catalog/sources/known-providers.ts';
import { litellm } from '../catalog/sources/litellm.ts';
import { modelsDev } from '../catalog/sources/models-dev.ts';
import { type CatalogSourceList, SOURCE_NAMES, type SourceName } from '../catalog/sources/source.ts';
import type { CommandOutput } from './arguments.ts';

export const IMPORT_USAGE =
  '--from models.dev=FILE --from litellm=FILE --providers P,Q --markup 5% [--only ID,ID] [--unconfirmed] [--secrets STAGE] [--out FILE]';

const DEFAULT_FILE = 'imported-catalog.json';

/** The lists, which are files: how each is read, and where copies of it come from. */
const LISTS: Readonly<
  Record<SourceName, { readonly read: (json: string) => CatalogSourceList; readonly url: string }>
> = {
  'models.dev': { read: modelsDev, url: 'https://models.dev/api.json' },
  litellm: {
    read: litellm,
    url: 'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json',
  },
};

/** The list and the file that `--from` names. */
function listIn(from: string) {
  const [, name, file] = /^([^=]*)=(.+)$/s.exec(from) ?? [];
  const sourceName = SOURCE_NAMES.find((each) => each === name);
  if (sourceName === undefined || file === undefined)
    throw new Error(`--from must be models.dev=FILE or litellm=FILE, not ${from}`);
  const { read, url } = LISTS[sourceName];
  const as_of = statSync(file).mtime.toISOString().slice(0, 10);
  return { source: read(readFileSync(file, 'utf8')), priceSource: { url, as_of } };
}

const listOf = (value: string): readonly string[] => value.split(',').filter((each) => each !== '');

const required = (name: string, value: string | undefined): string => {
  if (value === undefined || value === '') throw new Error(`--${name} is required`);
  return value;
};

/** Writes a catalog file; nothing goes live by it. Exits with 1, and writes nothing, when no model is left. */
export function importCatalog(args: readonly string[]): CommandOutput {
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
  const lists = from.map(listIn);
  const sources = lists.map(({ source }) => source);
  if (new Set(sources.map(({ name }) => name)).size < sources.length)
    throw new Error('--from must name each source once');
  const { models, leftOut, leftPrices } = importModels({
    sources,
    providers: listOf(required('providers', values.providers)).map(knownProvider),
    markup: markupOf(required('markup', values.markup)),
    only: values.only === undefined ? undefined : new Set(listOf(values.only)),
    unconfirmed,
    secretStage: values.secrets,
    // The older copy: what was read there may have changed since.
    priceSource: lists
      .map(({ priceSource }) => priceSource)
      .sort((a, b) => a.as_of.localeCompare(b.as_of))[0],
  });
  const listed = {
    left_out: leftOut,
    left_prices: leftPrices,
  };
  const counts = { models: models.length, left_out: leftOut.length, left_prices: leftPrices.length };
  const isWritten = models.length > 0;
  if (isWritten) {
    parseCatalog({ models });
    writeFileSync(out, `${JSON.stringify({ models }, null, 2)}\n`);
  }
  const advice = unconfirmed
    ? undefined
    : adviceFor(
        sources.map(({ name }) => name),
        leftOut,
      );
  const file = isWritten ? out : null;
  return {
    output: { file, counts, ...listed, ...(advice === undefined ? {} : { advice }) },
    text: [
      `${file ?? 'no file'}: ${models.length} models, ${leftOut.length} left out, ${leftPrices.length} prices left out`,
      ...countsOf(leftOut.map(({ reason }) => reason)),
      ...(advice === undefined ? [] : [advice]),
      'all models and prices that were left out: --json',
    ].join('\n'),
    exitCode: isWritten ? 0 : 1,
  };
}

/** Returns what to do about models that one source alone has. */
function adviceFor(
  names: readonly SourceName[],
  leftOut: readonly { readonly reason: string }[],
): string | undefined {
  if (!leftOut.some(({ reason }) => reason.startsWith('only '))) return undefined;
  const missing = SOURCE_NAMES.filter((name) => !names.includes(name)).map((name) => `--from ${name}=FILE`);
  return ['two sources must agree: add', [...missing, '--unconfirmed'].join(', or ')].join(' ');
}

/** Returns each reason once with its number, the most frequent first. */
const countsOf = (reasons: readonly string[]): readonly string[] =>
  [...Map.groupBy(reasons, (reason) => reason)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, { length }]) => `${String(length).padStart(6)} ${reason}`);
