/** The check that the process may serve its stage, once per process. */
import { unreadableKinds, writtenLayout } from '../contract/layouts.ts';
import { STAGE_ITEM } from '../contract/stage.ts';
import { requireTable } from '../contract/tables.ts';
import { createStageCheck, type StageCheck } from '../core/stage-check.ts';
import { text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { decodeStage } from '../dynamodb/stage-item.ts';
import { createDataResources, oncePerEnvironment } from './resources.ts';

/** Returns the check. Throws an error that names the variable if the environment lacks it. */
export const stageCheck = /* @__PURE__ */ oncePerEnvironment((environment): StageCheck => {
  const { clients, clock, log } = createDataResources();
  const key = { TableName: requireTable(environment, 'catalog'), Key: { part: text(STAGE_ITEM) } };
  const read = async () => decodeStage(await readItem(clients.client, key));
  return createStageCheck({ read, version: { unreadableKinds, writtenLayout }, clock, log });
});
