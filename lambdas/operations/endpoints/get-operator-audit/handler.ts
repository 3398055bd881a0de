/** `GET /api/v1/operator/audit`: the conclusion of the last audit of the ledger. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { auditView } from '../../../ledger/core/audit/conclusion.ts';
import { readConclusion } from '../../../ledger/store/audit-conclusion.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'accounts');
  return async () => jsonResponse(auditView(await readConclusion(clients.client, table)));
});
