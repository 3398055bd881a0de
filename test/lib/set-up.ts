/** Before the fast ring: makes the folder for the cloud assemblies that its tests share. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASSEMBLIES_VARIABLE } from './assemblies.ts';

// jest calls the default export of its set-up modules.
export { makeFolder as default };

function makeFolder(): void {
  process.env[ASSEMBLIES_VARIABLE] = mkdtempSync(join(tmpdir(), 'assemblies-'));
}
