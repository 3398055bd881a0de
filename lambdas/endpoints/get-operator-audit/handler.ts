/** Wires `GET /api/v1/operator/audit` for Lambda. */
import { readConclusion } from '../../adapters/ledger/audit-conclusion.ts';
import { requireTable } from '../../contract/tables.ts';
import { operatorHandler } from '../../hosts/handlers.ts';
import { getOperatorAudit } from './endpoint.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'accounts');
  return getOperatorAudit(() => readConclusion(clients.client, table));
});
