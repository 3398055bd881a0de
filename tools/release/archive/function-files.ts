/** The bundles of the functions in an archive. */
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundleFunctions } from '../../../lib/bundle.ts';
import { type ArchivedFile, filesIn } from './files.ts';

/** The folders of the bundles, and esbuild's metafile of those with the market. */
export interface FunctionBundles {
  readonly market: string;
  readonly withoutMarket: string;
  readonly metafile: Metafile;
}

export async function bundleBoth(folder: string): Promise<FunctionBundles> {
  const [market, withoutMarket] = [join(folder, 'market'), join(folder, 'without-market')];
  const metafile = await bundleFunctions(market);
  await bundleFunctions(withoutMarket, { market: false });
  return { market, withoutMarket, metafile };
}

/**
 * Returns the bundles with the market, and of those without it the ones that differ; `prebuilt-functions.ts` puts them
 * together. Source maps are not deployed. Throws if one of the two lacks a file of the other.
 */
export function functionFiles({
  market,
  withoutMarket,
}: Omit<FunctionBundles, 'metafile'>): readonly ArchivedFile[] {
  const bundlesIn = (folder: string) => filesIn(folder, '').filter(({ path }) => !path.endsWith('.map'));
  const bundles = bundlesIn(market);
  const byPath = new Map(bundles.map((file) => [file.path, file]));
  const others = bundlesIn(withoutMarket);
  if (others.length !== bundles.length || others.some(({ path }) => !byPath.has(path)))
    throw new Error('the bundles without the market are other files than those with it');
  const changed = others.filter(({ path, content }) => !byPath.get(path)?.content.equals(content));
  const at = (folder: string) => (file: ArchivedFile) => ({
    ...file,
    path: `bin/functions/${folder}/${file.path}`,
  });
  return [...bundles.map(at('market')), ...changed.map(at('without-market'))];
}
