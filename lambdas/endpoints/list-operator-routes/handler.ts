/** Wires `GET /api/v1/operator/routes` for Lambda. */
import { DynamoCircuitStore } from '../../adapters/inference/circuit-store.ts';
import { DynamoUnbilledStore } from '../../adapters/ledger/usage/unbilled-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { catalogSource } from '../../hosts/catalog.ts';
import { operatorHandler } from '../../hosts/operator-handler.ts';
import { listOperatorRoutes } from './endpoint.ts';

export const handler = operatorHandler('platform', ({ clients, environment, clock }) => {
  const table = requireTable(environment, 'circuits');
  const circuits = new DynamoCircuitStore(clients.client, table);
  const unbilled = new DynamoUnbilledStore(clients.client, table, clock);
  return listOperatorRoutes({ catalog: catalogSource(), circuits, unbilled, clock });
});
