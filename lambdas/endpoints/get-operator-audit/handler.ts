/** `GET /api/v1/operator/audit`: what the last audit of the books found. */
import { readConclusion } from '../../adapters/ledger/audit-conclusion.ts';
import { requireTable } from '../../contract/tables.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { auditView } from '../../core/ledger/audit/conclusion.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'accounts');
  return async () => jsonResponse(auditView(await readConclusion(clients.client, table)));
});
