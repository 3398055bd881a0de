/** Bundles the shared host as it deploys, and the same with one thing changed for a measurement. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { BUNDLING } from '../../../lib/bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The program in the folder. */
export const PROGRAM = 'host.mjs';

export interface BundleVariant {
  /** False puts a ledger in place that grants everything and writes nothing. */
  readonly money: boolean;
  /** Further changes, such as those of a later version. */
  readonly plugins?: readonly Plugin[];
}

const LEDGER = join(ROOT, 'lambdas', 'ledger', 'store', 'create-ledger.ts');

/** Writes `<folder>/host.mjs`. */
export async function bundleHost(folder: string, { money, plugins = [] }: BundleVariant): Promise<void> {
  let replaced = 0;
  /** Everything that imports the ledger on DynamoDB gets the one that does nothing. */
  const withoutMoney: Plugin = {
    name: 'without-money',
    setup({ onResolve }) {
      onResolve({ filter: /\/create-ledger\.ts$/ }, ({ path, resolveDir }) => {
        if (join(resolveDir, path) !== LEDGER) return undefined;
        replaced += 1;
        return { path: join(import.meta.dirname, 'no-ledger.ts') };
      });
    },
  };
  await build({
    ...BUNDLING,
    entryPoints: [{ in: join(ROOT, 'lambdas', 'servers', 'inference.ts'), out: 'host' }],
    outdir: folder,
    plugins: money ? [...plugins] : [withoutMoney, ...plugins],
  });
  if (!money && replaced === 0)
    throw new Error('the ledger was not left out: nothing imports it by that name');
}
