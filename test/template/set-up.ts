/** Before the template ring: synthesizes every configuration and bundles the functions, once for all test files. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunctions } from '../../lib/bundle.ts';
import { ASSEMBLIES_VARIABLE } from './assemblies.ts';
import { BUNDLES_FOLDER, METAFILE } from './bundles.ts';

// jest calls the default export of its set-up modules.
export { prepare as default };

async function prepare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assemblies-'));
  process.env[ASSEMBLIES_VARIABLE] = folder;
  // As of a function that was removed since the last time.
  mkdirSync(join(folder, BUNDLES_FOLDER, 'a-removed-endpoint'), { recursive: true });
  const program = join(import.meta.dirname, 'synthesize.ts');
  // The CDK's own check of the templates gives warnings alone, takes half of the time, and runs in `npm run synth`.
  const options = { env: { ...process.env, CDK_VALIDATION: 'false' } };
  const [metafile] = await Promise.all([
    bundleFunctions(join(folder, BUNDLES_FOLDER)),
    promisify(execFile)(process.execPath, [program, folder], options),
  ]);
  writeFileSync(join(folder, METAFILE), JSON.stringify(metafile));
}
