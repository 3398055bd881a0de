/**
 * `npm run diff` and `npm run deploy` run this with the settings in `CONFIG`: exits with 1 if the data of the stage is newer
 * than this version, or a restored table in use differs from what it needs.
 */
import { loadConfig } from '../../lib/config/config.ts';
import { problemOf, readCaller } from '../aws-account.ts';
import { requireRestoredTables } from '../restore/table-checks.ts';
import { requireReadableStage } from './readable-stage.ts';

try {
  const config = loadConfig(process.env.CONFIG);
  await requireReadableStage(config, (await readCaller()).region);
  await requireRestoredTables(config);
} catch (failure) {
  console.error(`error: ${problemOf(failure)}`);
  process.exitCode = 1;
}
