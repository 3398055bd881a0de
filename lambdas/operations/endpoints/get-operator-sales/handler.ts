/** `GET /api/v1/operator/sales`: what the calls of a span were sold for and what they cost, in pages to add up. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { firstIdAt } from '../../../ledger/core/usage/rollups.ts';
import { salesBody, salesQuery } from '../../../ledger/core/usage/sales.ts';
import { createUsagePages } from '../../../ledger/store/usage/all-usage.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

const DAY_MS = 86_400_000;

export const handler = operatorHandler('platform', ({ clients, environment, clock }) => {
  const tables = { keys: requireTable(environment, 'keys'), usage: requireTable(environment, 'usage') };
  const read = createUsagePages(clients.client, tables);
  return async (request) => {
    const nowMs = clock();
    const query = validate(salesQuery, queryOf(request));
    const { start = nowMs - (nowMs % DAY_MS), end = nowMs, cursor: after } = query;
    const { records, next } = await read({ from: firstIdAt(start), to: firstIdAt(end), after });
    return jsonResponse(salesBody(records, next));
  };
});
