/** The check of a deployed stage before another version is deployed over it. */
import { createDynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { outputName } from '../../lambdas/platform/contract/environment.ts';
import { RELEASE, RELEASE_OUTPUT } from '../../lambdas/platform/contract/release.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import type { Config } from '../../lib/config/config.ts';
import { stackNameOf } from '../../lib/config/stage-names.ts';
import { readStageLayouts, requireReadable } from '../service/layouts.ts';
import { StageStacks } from './stacks.ts';

/**
 * Returns the version of the data stack if it is later than this one; undefined otherwise, and for a new stage. On the way
 * back that stack stays as it is: it may have tables that this version would remove from it. Throws if the data of the
 * stage may have layouts that this version does not read.
 */
export async function laterRelease(
  { stage }: Pick<Config, 'stage'>,
  region: string,
): Promise<string | undefined> {
  const stacks = new StageStacks(region, stage);
  const { client, onceClient } = createDynamoClients({});
  try {
    const data = (await stacks.list()).find(({ StackName: name }) => name === stackNameOf(stage, 'data'));
    const outputOf = (key: string) =>
      data?.Outputs?.find(({ OutputKey }) => OutputKey === outputName(key))?.OutputValue;
    const table = outputOf(TABLES.catalog.variable);
    if (table !== undefined) requireReadable(await readStageLayouts(client, table));
    const release = outputOf(RELEASE_OUTPUT) ?? RELEASE;
    return release.localeCompare(RELEASE, 'en', { numeric: true }) > 0 ? release : undefined;
  } finally {
    stacks.close();
    for (const each of [client, onceClient]) each.destroy();
  }
}
