/** Bundles the two conversational functions as they deploy, and the same with one thing changed for a measurement. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { BUNDLING } from '../../lib/bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export const HOSTED = ['create-chat-completion', 'create-message'] as const;

export type HostedFunction = (typeof HOSTED)[number];

export interface BundleVariant {
  /** False puts a ledger in place that grants everything and writes nothing. */
  readonly money: boolean;
  /** Names as they are in the sources, for a profile. */
  readonly readable?: boolean;
}

/** Everything that imports the ledger on DynamoDB gets the one that does nothing. */
const withoutMoney: Plugin = {
  name: 'without-money',
  setup({ onResolve }) {
    onResolve({ filter: /\/ledger\.ts$/ }, ({ path, importer }) =>
      importer.startsWith(join(ROOT, 'lambdas', 'adapters')) && path === './ledger.ts'
        ? { path: join(import.meta.dirname, 'no-ledger.ts') }
        : undefined,
    );
  },
};

/** Writes `<folder>/<function>/index.mjs`. */
export async function bundleHosted(
  folder: string,
  { money, readable = false }: BundleVariant,
): Promise<void> {
  await build({
    ...BUNDLING,
    minify: !readable,
    entryPoints: HOSTED.map((name) => ({
      in: join(ROOT, 'lambdas', 'endpoints', name, 'handler.ts'),
      out: `${name}/index`,
    })),
    outdir: folder,
    plugins: money ? [] : [withoutMoney],
  });
}
