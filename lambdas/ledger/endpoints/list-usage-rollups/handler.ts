/** `GET /api/v1/usage/rollups`: the usage rollups of the signed-in account, by the hour or day. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { readRollups } from '../../core/usage/account-rollups.ts';
import { MAX_PAGES, ReadingBudget } from '../../core/usage/key-reading.ts';
import { spanOf, usageRollupsBody, usageRollupsQuery } from '../../core/usage/rollups-response.ts';
import { createRollups } from '../../store/usage/create-account-usage.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createRollups(resources);
  const { clock } = resources;
  return async (request, { session: { accountId } }) => {
    const nowMs = clock();
    const query = validate(usageRollupsQuery, queryOf(request));
    const span = spanOf(query, nowMs);
    const budget = new ReadingBudget(MAX_PAGES);
    const rollups = await readRollups({ ...dependencies, nowMs, budget }, accountId, span);
    return jsonResponse(usageRollupsBody(rollups, query, Math.floor(nowMs / 1000)));
  };
});
