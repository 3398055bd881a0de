/**
 * `npm run test:schema`: installs Schemathesis and cfn-lint, pinned, into a Python environment under `node_modules/.cache`,
 * and runs the `schema` ring on them. Where there is no Python or no package to be had, the ring is skipped, and says so.
 * Without network once they were installed.
 */
import { join } from 'node:path';
import { installedFolder, pipInstall } from '../../tools/test-kit/cached-packages.ts';
import { runRing, skipRing } from '../optional-ring.ts';

async function main(): Promise<number> {
  let folder: string;
  try {
    const pins = join(import.meta.dirname, 'packages');
    folder = await installedFolder({ ring: 'schema', pins, install: pipInstall });
  } catch (failure) {
    skipRing('schema', 'it needs Python 3.10 and a package registry', failure);
    return 0;
  }
  return runRing('schema', { SCHEMA_TOOLS: join(folder, 'bin') });
}

process.exitCode = await main();
