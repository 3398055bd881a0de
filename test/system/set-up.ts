/** Before the system ring: builds the service, so that no test waits for a build. */
import { join } from 'node:path';
import { ASSEMBLY_FOLDER, ensureAssembly } from '../../tools/local/build.ts';

// jest calls the default export of its set-up modules.
export { build as default };

async function build(): Promise<void> {
  const root = join(import.meta.dirname, '..', '..');
  await ensureAssembly({
    root,
    outputDir: join(root, ASSEMBLY_FOLDER),
    environment: process.env,
    log: () => {},
  });
}
