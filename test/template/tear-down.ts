/** After the template ring: removes what its test files shared. */
import { rmSync } from 'node:fs';
import { ASSEMBLIES_VARIABLE } from './assemblies.ts';

// jest calls the default export of its tear-down modules.
export { removeFolder as default };

function removeFolder(): void {
  const folder = process.env[ASSEMBLIES_VARIABLE];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
