/**
 * `npm run test:schema`: installs Schemathesis and cfn-lint, pinned, into a Python environment under `node_modules/.cache`,
 * and runs the `schema` ring on them; a thorough run has checkov too, in a separate environment, because the pins of
 * the two contradict each other. Where there is no Python or no package to be had, the ring is skipped, and says so.
 * Without network once they were installed.
 */
import { join } from 'node:path';
import { installedFolder, pipInstall } from '../../tools/test-kit/cached-packages.ts';
import { runRing, skipRing } from '../optional-ring.ts';

const install = (ring: string, pins: string) =>
  installedFolder({ ring, pins: join(import.meta.dirname, pins), install: pipInstall });

async function main(): Promise<number> {
  const isThorough = Number(process.env.THOROUGH ?? 1) > 1;
  let tools: Record<string, string>;
  try {
    tools = { SCHEMA_TOOLS: join(await install('schema', 'packages'), 'bin') };
    if (isThorough) tools.CHECKOV_TOOLS = join(await install('checkov', 'checkov'), 'bin');
  } catch (failure) {
    skipRing('schema', 'it needs Python 3.10 and a package registry', failure);
    return 0;
  }
  return runRing('schema', tools);
}

process.exitCode = await main();
