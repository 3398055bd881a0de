/** The functions of an archive, which were bundled when it was built. Its programs have this module in place of `lib/bundle.ts`. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type * as bundling from '../../../lib/bundle.ts';
import type { Config } from '../../../lib/config/config.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'bin', 'functions');

export const SHARED_HOST: typeof bundling.SHARED_HOST = 'inference-host';

/** Copies the bundles; those without the market are stored as the files in which they differ. */
export async function bundleFunctions(directory: string, { market }: Pick<Config, 'market'>): Promise<void> {
  for (const variant of market ? ['market'] : ['market', 'without-market'])
    cpSync(join(folder, variant), directory, { recursive: true });
}
