/**
 * `npm run diff` and `npm run deploy` run this with the settings in `CONFIG`: exits with 1 if the data of the stage is newer
 * than this version, a later version was deployed, or a restored table in use differs from what this one needs.
 */
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { loadConfig } from '../../lib/config/config.ts';
import { problemOf, readCaller } from '../aws-account.ts';
import { requireRestoredTables } from '../restore/table-checks.ts';
import { laterRelease } from './readable-stage.ts';

try {
  const config = loadConfig(process.env.CONFIG);
  const later = await laterRelease(config, (await readCaller()).region);
  if (later !== undefined)
    throw new Error(
      `version ${later} is deployed: go back to ${RELEASE} by "npm run up", which leaves the data stack as it is`,
    );
  await requireRestoredTables(config);
} catch (failure) {
  console.error(`error: ${problemOf(failure)}`);
  process.exitCode = 1;
}
