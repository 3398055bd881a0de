/** `catalog import`: its arguments, the files that it reads, and what it prints. */
import { writeFileSync } from 'node:fs';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { importModels } from '../catalog/import/import.ts';
import { markupOf } from '../catalog/import/imported-model.ts';
import { listsIn } from '../catalog/sources/files.ts';
import { knownProvider } from '../catalog/sources/known-providers.ts';
import { SOURCE_NAMES, type SourceName } from '../catalog/sources/source.ts';
import { readOptions } from '../read-options.ts';
import type { CommandOutput } from './arguments.ts';

export const IMPORT_USAGE =
  '--from models.dev=FILE --from litellm=FILE --providers P,Q --markup 5% [--only ID,ID] [--unconfirmed] [--secrets STAGE] [--out FILE]';

const DEFAULT_FILE = 'imported-catalog.json';

const listOf = (value: string): readonly string[] => value.split(',').filter((each) => each !== '');

const required = (name: string, value: string | undefined): string => {
  if (value === undefined || value === '') throw new Error(`--${name} is required`);
  return value;
};

/** Writes a catalog file; nothing goes live by it. Exits with 1, and writes nothing, when no model is left. */
export function importCatalog(args: readonly string[]): CommandOutput {
  const { values } = readOptions(args, {
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
  const lists = listsIn(from);
  const sources = lists.map(({ source }) => source);
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
