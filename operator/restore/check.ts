/**
 * `npm run diff` and `npm run deploy` run this with the settings in `CONFIG`: exits with 1 if a restored table in use differs
 * from what this version needs.
 */
import { loadConfig } from '../../lib/config/config.ts';
import { requireRestoredTables } from './table-checks.ts';

try {
  await requireRestoredTables(loadConfig(process.env.CONFIG));
} catch (failure) {
  console.error(`error: ${(failure as Error).message}`);
  process.exitCode = 1;
}
