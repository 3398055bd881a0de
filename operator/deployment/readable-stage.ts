/** The refusal to deploy a version over data that it does not read. */
import { createDynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { outputName } from '../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import type { Config } from '../../lib/config/config.ts';
import { stackNameOf } from '../../lib/config/stage-names.ts';
import { readStageLayouts, requireReadable } from '../service/layouts.ts';
import { StageStacks } from './stacks.ts';

/** Throws if the stage exists and its data may have layouts that this version does not read. */
export async function requireReadableStage({ stage }: Pick<Config, 'stage'>, region: string): Promise<void> {
  const stacks = new StageStacks(region, stage);
  const { client, onceClient } = createDynamoClients({});
  try {
    const data = (await stacks.list()).find(({ StackName: name }) => name === stackNameOf(stage, 'data'));
    const output = data?.Outputs?.find(({ OutputKey: key }) => key === outputName(TABLES.catalog.variable));
    if (output?.OutputValue !== undefined)
      requireReadable(await readStageLayouts(client, output.OutputValue));
  } finally {
    stacks.close();
    for (const each of [client, onceClient]) each.destroy();
  }
}
