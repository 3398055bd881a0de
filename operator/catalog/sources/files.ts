/** Copies of the public lists of prices, as files that `--from` names. */
import { statSync } from 'node:fs';
import { readNamedFile } from '../../named-file.ts';
import { litellm } from './litellm.ts';
import { modelsDev } from './models-dev.ts';
import { type CatalogSourceList, SOURCE_NAMES, type SourceName } from './source.ts';

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

function listIn(from: string) {
  const [, name, file] = /^([^=]*)=(.+)$/s.exec(from) ?? [];
  const sourceName = SOURCE_NAMES.find((each) => each === name);
  if (sourceName === undefined || file === undefined)
    throw new Error(`--from must be models.dev=FILE or litellm=FILE, not ${from}`);
  const { read, url } = LISTS[sourceName];
  const text = readNamedFile(file);
  const as_of = statSync(file).mtime.toISOString().slice(0, 10);
  return { source: read(text), priceSource: { url, as_of } };
}

/** Reads the lists of `--from models.dev=FILE` and `--from litellm=FILE`. Throws if there is none, or one twice. */
export function listsIn(from: readonly string[]) {
  if (from.length === 0) throw new Error(`--from is required: ${SOURCE_NAMES.join(', ')}`);
  const lists = from.map(listIn);
  if (new Set(lists.map(({ source }) => source.name)).size < lists.length)
    throw new Error('--from must name each source once');
  return lists;
}
