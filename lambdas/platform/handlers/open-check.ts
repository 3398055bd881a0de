/** The check of maintenance mode, once per process. */
import { CLOSED_ITEM } from '../contract/maintenance.ts';
import { requireTable } from '../contract/tables.ts';
import { createOpenCheck, type OpenCheck } from '../core/open-check.ts';
import { text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { createDataResources, oncePerEnvironment } from './resources.ts';

/** Returns the check. Throws an error that names the variable if the environment lacks it. */
export const openCheck = /* @__PURE__ */ oncePerEnvironment((environment): OpenCheck => {
  const { clients, clock } = createDataResources();
  const key = { TableName: requireTable(environment, 'catalog'), Key: { part: text(CLOSED_ITEM) } };
  return createOpenCheck(async () => (await readItem(clients.client, key)) !== undefined, clock);
});
