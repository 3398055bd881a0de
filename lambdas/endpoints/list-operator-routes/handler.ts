/** `GET /api/v1/operator/routes`: every route of the current catalog with its circuit. */

import { DynamoCircuitStore } from '../../adapters/inference/circuit-store.ts';
import { DynamoUnbilledStore } from '../../adapters/ledger/usage/unbilled-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { routesPage, routesQuery } from '../../core/inference/routing/route-list.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

export const handler = operatorHandler('platform', ({ clients, environment, clock }) => {
  const table = requireTable(environment, 'circuits');
  const catalog = catalogSource();
  const circuits = new DynamoCircuitStore(clients.client, table, clock);
  const unbilled = new DynamoUnbilledStore(clients.client, table, clock);
  return async (request) => {
    const query = validate(routesQuery, queryOf(request));
    const [{ models }, failing, losses] = await Promise.all([catalog(), circuits.list(), unbilled.list()]);
    const found = { circuits: failing, unbilled: losses };
    return jsonResponse(pageBody(routesPage(models, found, query, clock()), (entry) => entry));
  };
});
